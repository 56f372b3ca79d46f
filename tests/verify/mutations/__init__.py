"""Mutations of real locks: tampering that has to be found, and changes that are legitimate."""

from .file_kinds import FILE_KINDS
from .graph_kinds import GRAPH_KINDS
from .kinds import Kind, Mutation, mutations
from .source_kinds import SOURCE_KINDS

KINDS: tuple[Kind, ...] = FILE_KINDS + SOURCE_KINDS + GRAPH_KINDS

__all__ = ["KINDS", "Kind", "Mutation", "mutations"]
