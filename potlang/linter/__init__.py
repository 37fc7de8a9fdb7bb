"""The linter: what a program that compiles may say without being meant, one module of `rules` a finding."""
