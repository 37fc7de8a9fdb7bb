"""The colours of drawings, once for a light and once for a dark background."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Palette(NamedTuple):
    """Fill and border by status, colours of lines by tone (`none`: edges), and the text's."""

    status: Mapping[str, tuple[str, str]]
    tone: Mapping[str, str]
    text: str
    background: str


LIGHT = Palette(
    {
        "initial": ("#e8e8f4", "#6b6b99"),
        "active": ("#fdf3d0", "#b58900"),
        "validated": ("#d9f2dd", "#2e8540"),
        "invalidated": ("#f9dcdc", "#b3261e"),
        "none": ("#f2f2f2", "#8a8a8a"),
    },
    {
        "none": "#6f6f6f",
        "proved": "#2e8540",
        "assumed": "#1f6fc4",
        "refuted": "#b3261e",
        "unknown": "#8e44ad",
    },
    "#1a1a1a",
    "#ffffff",
)
DARK = Palette(
    {
        "initial": ("#2b2b45", "#9a9ad0"),
        "active": ("#453a12", "#e0b830"),
        "validated": ("#153d1e", "#63c377"),
        "invalidated": ("#4a1a18", "#f08a83"),
        "none": ("#303030", "#9a9a9a"),
    },
    {
        "none": "#a8a8a8",
        "proved": "#63c377",
        "assumed": "#6fb1f5",
        "refuted": "#f08a83",
        "unknown": "#c792ea",
    },
    "#ececec",
    "#161616",
)
