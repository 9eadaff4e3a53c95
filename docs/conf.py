"""How the site is built from the pages of the repository: `make docs`."""

import skolem

project = "Skolem"
author = "the authors of Skolem"
version = release = skolem.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "docs/index"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**", "results/*.md", "examples/README.md"]
html_theme = "furo"
html_title = f"Skolem {version}"
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
# Links to code and data lead to the files themselves; tests/test_docs.py checks that they are there.
suppress_warnings = ["myst.xref_missing", "myst.header", "toc.not_readable"]
