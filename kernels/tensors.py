"""Checks of the tensors of a paired gather. They run before every gather, so each is a few comparisons."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from .layout import UNIT


@dataclass(frozen=True, slots=True)
class TensorRule:
    """What one tensor of the pair must be.

    Attributes:
        name: "latent" or "router".
        width: elements of a row of one rank.
        world_size: rows of as many ranks lie side by side in the output.
        dtype: of input and output.
        device: of input and output.
        max_rows: the largest number of rows.
    """

    name: str
    width: int
    world_size: int
    dtype: torch.dtype
    device: torch.device
    max_rows: int

    def check_input(self, tensor: torch.Tensor) -> int:
        """Return the number of rows of `tensor`, this rank's input.

        Raises:
            TypeError: it is no tensor.
            ValueError: it is not what this rule demands.
        """
        shown = f"{self.name}_local"
        self._check(shown, tensor, self.width)
        rows = tensor.shape[0]
        if not 1 <= rows <= self.max_rows:
            raise ValueError(f"{shown} has {rows} rows, expected 1 to {self.max_rows} (max_rows)")
        if tensor.requires_grad and torch.is_grad_enabled():
            raise ValueError(f"{shown} requires grad, but no gradient flows through the gather; detach it")
        return rows

    def check_output(self, tensor: torch.Tensor, rows: int) -> None:
        """Raise unless `tensor` can take the output of `rows` rows.

        Raises:
            TypeError: it is no tensor.
            ValueError: it is not what this rule demands.
        """
        shown = f"{self.name} output"
        self._check(shown, tensor, self.world_size * self.width)
        if tensor.shape[0] != rows:
            raise ValueError(f"{shown} has {tensor.shape[0]} rows, expected {rows} as in the inputs")
        if tensor.requires_grad:
            raise ValueError(f"{shown} requires grad, but no gradient flows through the gather; detach it")

    def new_output(self, rows: int) -> torch.Tensor:
        """Return an uninitialised output `[rows, world_size * width]`."""
        return torch.empty((rows, self.world_size * self.width), dtype=self.dtype, device=self.device)

    def _check(self, shown: str, tensor: torch.Tensor, width: int) -> None:
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"{shown} is of type {type(tensor).__name__}, expected a tensor")
        if tensor.dtype is not self.dtype:
            raise ValueError(f"{shown} has dtype {tensor.dtype}, expected {self.dtype}")
        if tensor.device != self.device:
            raise ValueError(f"{shown} is on {tensor.device}, expected {self.device}")
        if tensor.ndim != 2 or tensor.shape[1] != width:
            raise ValueError(f"{shown} has shape {list(tensor.shape)}, expected [rows, {width}]")
        if not tensor.is_contiguous():
            raise ValueError(
                f"{shown} has strides {list(tensor.stride())}, expected contiguous rows; call .contiguous()"
            )
        if tensor.data_ptr() % UNIT:
            raise ValueError(f"{shown} begins at {tensor.data_ptr():#x}, expected a multiple of {UNIT} bytes")


def check_no_overlap(inputs: tuple[torch.Tensor, torch.Tensor], outputs: tuple[torch.Tensor, torch.Tensor]) -> None:
    """Raise unless each output is apart from the other output and from both inputs. Inputs may overlap each other.

    Raises:
        ValueError: names the two tensors and their addresses.
    """
    spans = [(tensor.data_ptr(), tensor.data_ptr() + tensor.nbytes) for tensor in (*outputs, *inputs)]
    names = ("the latent output", "the router output", "latent_local", "router_local")
    for first in (0, 1):
        begin, end = spans[first]
        for second in range(first + 1, 4):
            other_begin, other_end = spans[second]
            if begin < other_end and other_begin < end:
                raise ValueError(
                    f"{names[first]} ({begin:#x} to {end:#x}) overlaps {names[second]} "
                    f"({other_begin:#x} to {other_end:#x}); use separate memory"
                )
