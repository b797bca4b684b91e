"""Between messages and the types of this package."""
