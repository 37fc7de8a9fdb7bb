"""Has models write traces: in rounds, repaired and told of verdicts, or token by token under a mask."""
