#!/usr/bin/env bash
# What there is to run on several GPUs, in one call: all GPU tests with a process a GPU (bytes, graphs, a rank killed in
# the middle, the torch backend over NCCL), then latency against NCCL, with record, measurement and plot.
#
#     bash benchmarks/several_gpus.sh [RANKS] [FOLDER]
#
# RANKS is the number of GPUs by default; with fewer GPUs the ranks take turns, which rehearses and measures nothing.
# FOLDER is evidence by default. It needs torch, triton, pytest and matplotlib, and pinproof installed.
set -euo pipefail
cd "$(dirname "$0")/.."
gpus=$(nvidia-smi -L | wc -l)
ranks=${1:-$gpus}
folder=${2:-evidence}
# No NVLink multicast: neither transport uses it.
export NCCL_NVLS_ENABLE=0 TORCH_SYMM_MEM_DISABLE_MULTICAST=1 OMP_NUM_THREADS=1
mkdir -p "$folder"
nvidia-smi topo -m || true

status=0
python3 -m pytest -q -p no:cacheprovider tests/gpu/test_processes.py || status=$?

size=(--rows 1,2,4,8,16 --samples 25 --replays 10 --gathers 64)
if [ "$ranks" -gt "$gpus" ]; then
  size=(--rows 1,8 --samples 2 --replays 1 --gathers 2)
fi
python3 -m torch.distributed.run --standalone --nproc-per-node "$ranks" -m pinproof.kernels.measure bench gather \
  --variants torch,pull:1,pull:2,pull:4,pull:8,push:1,push:2,push:4,push:8 "${size[@]}" \
  --json "$folder/gather-$ranks-ranks.json" --plot "$folder/gather-$ranks-ranks.svg" || status=$?
exit "$status"
