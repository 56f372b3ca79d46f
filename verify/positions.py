"""Where keys stand in a TOML text. Loaded only when there is something to report."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter_toml
from tree_sitter import Language, Node, Parser

from .document import Key

Path = tuple[Key, ...]
_LANGUAGE = Language(tree_sitter_toml.language())
_HEADERS = ("table", "table_array_element")
_KEYS = ("bare_key", "quoted_key", "dotted_key")


class Positions:
    """Finds key paths in one text that is valid TOML. Tables are indexed at once, their contents when asked for."""

    def __init__(self, text: str) -> None:
        self._source = text.encode()
        self._lines = self._source.split(b"\n")
        self._tables: list[tuple[Path, Node]] = []
        self._read_arrays: dict[int, list[Node]] = {}
        self._read_tables: dict[int, dict[Key, list[tuple[Path, Node, Node]]]] = {}
        root = self._root = Parser(_LANGUAGE).parse(self._source).root_node
        self._tables.append(((), root))
        arrays: dict[Path, int] = {}
        for node in root.children:
            if node.type in _HEADERS:
                self._tables.append((self._header(node, arrays), node))
        self._by_path: dict[Path, list[Node]] = {}
        for path, node in self._tables:
            self._by_path.setdefault(path, []).append(node)

    def find(self, keys: Path) -> tuple[int, int]:
        """Return line and column, both from 1, of the key path, else of the longest part of it that is there."""
        return self.closest(keys)[1]

    def closest(self, keys: Path) -> tuple[int, tuple[int, int]]:
        """Return how many of `keys` are there, and line and column of the last of these."""
        best: tuple[int, Node | None] = (0, None)
        for size in range(len(keys), -1, -1):
            for node in self._by_path.get(keys[:size], ()):
                depth, found = self._descend(node, keys[size:])
                if size + depth > best[0] and found is not None:
                    best = (size + depth, found)
            if best[0] == len(keys):
                break
        return best[0], (1, 1) if best[1] is None else self._place(best[1])

    def comments(self) -> Iterator[tuple[int, int, str]]:
        """Yield line, column, both from 1, and text of every comment."""
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            if node.type == "comment":
                yield (*self._place(node), (node.text or b"").decode("utf-8", "replace"))
            waiting.extend(reversed(node.children))

    def _descend(self, node: Node, keys: Path) -> tuple[int, Node | None]:
        """Return how many of `keys` are found inside `node`, and the node of the last of them."""
        if not keys:
            return 0, (None if node.type == "document" else node)
        best: tuple[int, Node | None] = (0, None if node.type == "document" else node)
        for size, place, value in self._entries(node, keys):
            depth, deeper = self._descend(value, keys[size:])
            found = place if depth == 0 else deeper
            if size + depth > best[0]:
                best = (size + depth, found)
        return best

    def _entries(self, node: Node, keys: Path) -> Iterator[tuple[int, Node, Node]]:
        """Yield the entries of a table or array that begin `keys`: how many keys they name, their place and value."""
        if node.type == "array":
            values = self._values(node)
            if isinstance(keys[0], int) and keys[0] < len(values):
                yield 1, values[keys[0]], values[keys[0]]
            return
        for names, key, value in self._pairs(node).get(keys[0], ()):
            if names == keys[: len(names)]:
                yield len(names), key, value

    def _values(self, array: Node) -> list[Node]:
        """The values of an array, read once: there may be as many findings in it as values."""
        if array.id not in self._read_arrays:
            self._read_arrays[array.id] = [child for child in array.named_children if child.type != "comment"]
        return self._read_arrays[array.id]

    def _pairs(self, table: Node) -> dict[Key, list[tuple[Path, Node, Node]]]:
        """The pairs of a table by the first part of their keys: all parts, the key, the value."""
        if table.id not in self._read_tables:
            found: dict[Key, list[tuple[Path, Node, Node]]] = {}
            for pair in table.named_children:
                if pair.type == "pair":
                    key, value = pair.named_children[0], pair.named_children[-1]
                    names = self._names(key)
                    found.setdefault(names[0], []).append((names, key, value))
            self._read_tables[table.id] = found
        return self._read_tables[table.id]

    def _header(self, node: Node, arrays: dict[Path, int]) -> Path:
        names = self._names(next(c for c in node.named_children if c.type in _KEYS))
        path: Path = ()
        for position, name in enumerate(names, 1):
            path = (*path, name)
            if position < len(names) and path in arrays:
                path = (*path, arrays[path])
        if node.type == "table_array_element":
            arrays[path] = arrays.get(path, -1) + 1
            path = (*path, arrays[path])
        return path

    def _names(self, key: Node) -> tuple[str, ...]:
        if key.type == "dotted_key":
            return tuple(name for child in key.named_children for name in self._names(child))
        text = (key.text or b"").decode()
        if key.type != "quoted_key":
            return (text,)
        if text.startswith("'"):
            return (text[1:-1],)
        import rtoml

        return (str(next(iter(rtoml.loads(f"{text} = 0")))),)

    def _place(self, node: Node) -> tuple[int, int]:
        row, byte = node.start_point
        return row + 1, len(self._lines[row][:byte].decode("utf-8", "replace")) + 1
