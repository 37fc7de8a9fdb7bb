"""Relations in the text of a step, wherever they stand, and whether they are claimed ([REL-FIND] ff.)."""
