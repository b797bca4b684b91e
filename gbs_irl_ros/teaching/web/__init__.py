"""The page in the browser: the server behind it and what it shows."""
