"""Models behind the protocols: what runs here, and what is reached over HTTP."""
