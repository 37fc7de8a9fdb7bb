"""Drawings of traces: a neutral graph, and its forms in Mermaid, Graphviz, SVG and one HTML page."""
