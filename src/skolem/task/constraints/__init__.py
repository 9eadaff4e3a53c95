"""Which objects fit? Candidates of variables, by a constraint solver over relations."""
