"""What editors ask of a text while it is written: from the text and a place in it to an answer."""
