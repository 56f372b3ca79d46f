"""Places outside of pyproject.toml and uv.lock that name a pinned commit or a locked release."""
