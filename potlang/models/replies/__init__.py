"""The parts of a model's reply: JSON and its schemas, lists of steps, the answer that prose states."""
