"""[SMT-LOGIC] Features, fragments and logic names."""

from __future__ import annotations

import pytest

from potlang.ir.reader import read_module
from potlang.smt.fragment import Fragment, describe, features
