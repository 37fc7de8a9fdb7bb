"""The expression language that all three languages share: grammar, parser, surface tree."""
