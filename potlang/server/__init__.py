"""Servers: the tool for models over the Model Context Protocol."""
