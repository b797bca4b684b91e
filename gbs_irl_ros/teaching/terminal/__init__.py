"""A lesson at the keyboard: a screen of text and one key for everything."""
