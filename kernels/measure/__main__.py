"""`python -m pinproof.kernels.measure`: on a machine that has torch, triton and little else."""

from __future__ import annotations

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
