"""What is written to files and read back: named here, once, for whoever passes it on."""

from __future__ import annotations

from typing import Any, TypeAlias

#: What ``state_dict`` returns and ``load_state_dict`` takes: a tree of plain data and arrays, see
#: :mod:`mfbpi_core.running.state`. Who has saved it knows what is where.
StateDict: TypeAlias = dict[str, Any]

#: An object of a JSON file, such as a manifest or a provenance.
JsonObject: TypeAlias = dict[str, Any]
