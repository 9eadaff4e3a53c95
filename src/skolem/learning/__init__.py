"""How is a domain of one's own learned? From a few problems to a model, in one sitting."""
