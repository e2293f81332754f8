"""Pictures of results. They draw and compute nothing; each takes ``ax=`` and returns the Axes."""
