"""The device code of the paired gather: `pull` and `push`. One launch gathers both tensors; docs/kernels.md draws it.

Common to both. A launch has `row_blocks` programs a rank; block `b` moves the complete rows of
`pinproof.kernels.layout.partition`. The grid is `(row_blocks, ranks in this launch)`: one rank where every rank is a
process, all of them where they are emulated. Rows are copied as bytes: 4-byte words in `pull`, 8-byte words in `push`.

Generations. `state[block]` holds how many gathers this rank has made, one copy a block. Every launch advances all
copies, also those of blocks that it does not have: block `b` advances the copies `b`, `b + row_blocks`, ... and is the
only one to do so, and it reads no other copy than its own, so nothing is contended. Hence all blocks of all ranks agree
on the slot (the parity of the generation) even where row blocks change from call to call. Had each block counted for
itself, a block that pauses would return to a slot that a peer's other block may still be reading. Generations are 64
bits wide: a block that was not launched for 2^31 gathers would take a 32-bit flag of its last one for a new one.

Two slots suffice: whoever writes slot `s` in launch `n + 2` has finished `n + 1`, for which every peer must have
started `n + 1`, hence finished reading `n`, by stream order. It does not hold for launches that overlap (programmatic
dependent launch, two streams without an event between them).

Time limit. A wait reads the clock once in 256 polls. In `pull` the limit counts from the first of these readings, in
`push` from the launch. A wait that outlasts it records block and peer in `missing`, which the host can read, sets the
limit to zero, so that nothing waits any longer, and marks the rank broken for good: from then on its outputs are filled
with bytes 0xFF, which is NaN in every supported dtype.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"
from __future__ import annotations

import triton
import triton.language as tl

from .triton_memory import BROKEN, FLAG_BYTES, LIMIT, MAX_ROW_BLOCKS, REFRESH_EVERY, STATE_WORDS

_BLOCKS = tl.constexpr(MAX_ROW_BLOCKS)
_BROKEN = tl.constexpr(BROKEN)
_LIMIT = tl.constexpr(LIMIT)
_STATE_WORDS = tl.constexpr(STATE_WORDS)
_FLAG_BYTES = tl.constexpr(FLAG_BYTES)
_REFRESH_EVERY = tl.constexpr(REFRESH_EVERY)

# Only widths, worlds and tiles specialise a kernel. An integer that is 1 or divisible by 16 would compile another one
# lazily, behind a peer that already waits; and so would a dtype, hence addresses as integers.
_RUNTIME = [
    *("latent", "router", "latent_out", "router_out", "peers", "state", "missing"),
    *("rank", "rows", "share", "max_rows"),
]


@triton.jit
def _signal_and_wait(peer_flag, own_flag, generation, limit, record):
    """Set `peer_flag` to `generation`, then wait until `own_flag` has reached it.

    Does nothing where `peer_flag` is 0. A wait given up sets `record` to 1, the limit to 0, the word behind it to 1.
    """
    return tl.inline_asm_elementwise(
        """{
        .reg .pred p, first;
        .reg .u32 polls;
        .reg .u64 seen, now, start, most;
        setp.eq.u64 p, $1, 0;
        @p bra DONE;
        st.release.sys.global.u64 [$1], $3;
        mov.u64 start, 0;
        AGAIN:
        mov.u32 polls, 256;
        POLL:
        .pragma "nounroll";
        ld.acquire.sys.global.u64 seen, [$2];
        setp.ge.s64 p, seen, $3;
        @p bra DONE;
        sub.u32 polls, polls, 1;
        setp.ne.u32 p, polls, 0;
        @p bra POLL;
        mov.u64 now, %globaltimer;
        ld.relaxed.gpu.global.u64 most, [$4];
        setp.eq.u64 first, start, 0;
        @first mov.u64 start, now;
        sub.u64 now, now, start;
        setp.lt.u64 p, now, most;
        @p bra AGAIN;
        st.relaxed.sys.global.u64 [$5], 1;
        st.relaxed.gpu.global.u64 [$4], 0;
        st.relaxed.gpu.global.u64 [$4+8], 1;
        DONE:
        mov.u32 $0, 0;
        }""",
        "=r,l,l,l,l,l",
        [peer_flag, own_flag, generation, limit, record],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def _load_word(place):
    """Load the 8 bytes at `place`; 0 where it is 0."""
    return tl.inline_asm_elementwise(
        """{
        .reg .pred p;
        .reg .u64 word;
        setp.ne.u64 p, $1, 0;
        mov.u64 word, 0;
        @p ld.global.u64 word, [$1];
        mov.u64 $0, word;
        }""",
        "=l,l",
        [place],
        dtype=tl.int64,
        is_pure=False,
        pack=1,
    )


@triton.jit
def _send_line(line, data, flag):
    """Write the 16-byte line at `line`: each 8-byte half holds 4 bytes of `data` and the flag, and is written whole.

    Writes nothing where `line` is 0.
    """
    return tl.inline_asm_elementwise(
        """{
        .reg .pred p;
        .reg .u32 low, high;
        .reg .u64 first, second;
        setp.ne.u64 p, $1, 0;
        mov.b64 {low, high}, $2;
        mov.b64 first, {low, $3};
        mov.b64 second, {high, $3};
        @p st.relaxed.sys.global.v2.u64 [$1], {first, second};
        mov.u32 $0, 0;
        }""",
        "=r,l,l,r",
        [line, data, flag],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def _peek_line(line, flag):
    """Read the two halves of the line at `line`, arrived or not. Where `line` is 0: halves that have arrived."""
    return tl.inline_asm_elementwise(
        """{
        .reg .pred p;
        .reg .u64 first, second;
        setp.ne.u64 p, $2, 0;
        mov.b64 first, {0, $3};
        mov.u64 second, first;
        @p ld.relaxed.sys.global.v2.u64 {first, second}, [$2];
        mov.u64 $0, first;
        mov.u64 $1, second;
        }""",
        "=l,=l,l,r",
        [line, flag],
        dtype=(tl.int64, tl.int64),
        is_pure=False,
        pack=1,
    )


@triton.jit
def _clock():
    """Return nanoseconds of the clock that all multiprocessors share."""
    return tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)


@triton.jit
def _take_line(line, first, second, flag, target, deadline, limit, missing, sender):
    """Wait for the line whose halves were peeked at, where needed, and write its 8 bytes to `target`.

    Does nothing where `line` is 0. A wait given up sets word `sender` of `missing` to 1, and the limit and the word
    behind it as in `_signal_and_wait`. All memory is touched here, in assembly: a store of Triton's own would choose
    another layout, for whose sake Triton 3.6 repeats the waiting. The assembly is repeated for every line that a thread
    takes, so what only a late line needs is kept short.
    """
    return tl.inline_asm_elementwise(
        """{
        .reg .pred p;
        .reg .u32 polls, low, high, seen, also;
        .reg .u64 one, two, now;
        mov.b64 {low, seen}, $2;
        mov.b64 {high, also}, $3;
        setp.eq.u32 p, seen, $4;
        setp.eq.and.u32 p, also, $4, p;
        @p bra DONE;
        AGAIN:
        mov.u32 polls, 256;
        POLL:
        .pragma "nounroll";
        ld.relaxed.sys.global.v2.u64 {one, two}, [$1];
        mov.b64 {low, seen}, one;
        mov.b64 {high, also}, two;
        setp.eq.u32 p, seen, $4;
        setp.eq.and.u32 p, also, $4, p;
        @p bra DONE;
        sub.u32 polls, polls, 1;
        setp.ne.u32 p, polls, 0;
        @p bra POLL;
        mov.u64 now, %globaltimer;
        setp.lt.u64 p, now, $6;
        @p bra AGAIN;
        mad.wide.s32 now, $9, 8, $8;
        st.relaxed.sys.global.u64 [now], 1;
        st.relaxed.gpu.global.u64 [$7], 0;
        st.relaxed.gpu.global.u64 [$7+8], 1;
        DONE:
        setp.ne.u64 p, $1, 0;
        @p st.global.v2.u32 [$5], {low, high};
        mov.u32 $0, 0;
        }""",
        "=r,l,l,l,r,l,l,l,l,r",
        [line, first, second, flag, target, deadline, limit, missing, sender],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def _advance(state, generation, block):
    copy = tl.arange(0, _BLOCKS)
    tl.store(state + copy, generation, mask=copy % tl.num_programs(0) == block)


@triton.jit
def _poison_rows(
    latent_out,
    router_out,
    begin,
    last,
    world: tl.constexpr,
    latent_words: tl.constexpr,
    router_words: tl.constexpr,
    latent_tile: tl.constexpr,
    router_tile: tl.constexpr,
    column_tiles: tl.constexpr,
):
    """Set rows `begin` to `last` of the outputs to bytes 0xFF."""
    rank = tl.arange(0, world)[:, None]
    for row in range(begin, last):
        for tile in tl.static_range(column_tiles):
            x = tile * latent_tile + tl.arange(0, latent_tile)[None, :]
            y = tile * router_tile + tl.arange(0, router_tile)[None, :]
            tl.store(latent_out + (row * world + rank) * latent_words + x, -1, mask=(x < latent_words) & (rank >= 0))
            tl.store(router_out + (row * world + rank) * router_words + y, -1, mask=(y < router_words) & (rank >= 0))


@triton.jit
def _stage_rows(
    latent,
    router,
    staged_latent,
    staged_router,
    first,
    last,
    latent_words: tl.constexpr,
    router_words: tl.constexpr,
    row_tile: tl.constexpr,
    latent_tile: tl.constexpr,
    router_tile: tl.constexpr,
    column_tiles: tl.constexpr,
):
    """Copy own rows `first` to `first + row_tile`, short of `last`, into the slot."""
    row = first + tl.arange(0, row_tile)[:, None]
    for tile in tl.static_range(column_tiles):
        x = tile * latent_tile + tl.arange(0, latent_tile)[None, :]
        y = tile * router_tile + tl.arange(0, router_tile)[None, :]
        in_x = (row < last) & (x < latent_words)
        in_y = (row < last) & (y < router_words)
        some_latent = tl.load(latent + row * latent_words + x, mask=in_x)
        some_router = tl.load(router + row * router_words + y, mask=in_y)
        tl.store(staged_latent + row * latent_words + x, some_latent, mask=in_x)
        tl.store(staged_router + row * router_words + y, some_router, mask=in_y)


@triton.jit
def _read_rows(
    slots,  # int32 pointers [world], in the order of `peer`
    peer,
    latent_out,
    router_out,
    first,
    last,
    rows,
    world: tl.constexpr,
    latent_words: tl.constexpr,
    router_words: tl.constexpr,
    row_tile: tl.constexpr,
    latent_tile: tl.constexpr,
    router_tile: tl.constexpr,
    column_tiles: tl.constexpr,
):
    """Copy rows `first` to `first + row_tile`, short of `last`, from every slot into the outputs, rank-major."""
    row = first + tl.arange(0, row_tile)[:, None, None]
    slot = slots[None, :, None]
    rank = peer[None, :, None]
    for tile in tl.static_range(column_tiles):
        x = tile * latent_tile + tl.arange(0, latent_tile)[None, None, :]
        y = tile * router_tile + tl.arange(0, router_tile)[None, None, :]
        in_x = (row < last) & (x < latent_words) & (rank >= 0)
        in_y = (row < last) & (y < router_words) & (rank >= 0)
        some_latent = tl.load(slot + row * latent_words + x, mask=in_x)
        some_router = tl.load(slot + rows * latent_words + row * router_words + y, mask=in_y)
        tl.store(latent_out + (row * world + rank) * latent_words + x, some_latent, mask=in_x)
        tl.store(router_out + (row * world + rank) * router_words + y, some_router, mask=in_y)


@triton.jit(do_not_specialize=_RUNTIME)
def pull(
    latent: tl.int64,  # address of [ranks, rows, latent_words] of this launch's ranks, contiguous
    router: tl.int64,
    latent_out: tl.int64,  # address of [ranks, rows, world, latent_words]
    router_out: tl.int64,
    peers: tl.int64,  # address of int64 [world], the address of every rank's buffer: flags, slot 0, slot 1
    state: tl.int64,  # address of int64 [ranks, STATE_WORDS]
    missing: tl.int64,  # address of int64 [ranks, blocks, world], in host memory
    rank: tl.int32,  # the first of this launch
    rows: tl.int32,
    share: tl.int32,  # rows a block
    max_rows: tl.int32,
    world: tl.constexpr,
    latent_words: tl.constexpr,  # 4-byte words of one row of one rank
    router_words: tl.constexpr,
    row_tile: tl.constexpr,
    latent_tile: tl.constexpr,
    router_tile: tl.constexpr,
    column_tiles: tl.constexpr,
    one_row_tile: tl.constexpr,
    threads: tl.constexpr,
):
    """Stage own rows in own memory, meet every peer's namesake block at a flag barrier, then read every peer's rows."""
    block = tl.program_id(0)
    local = tl.program_id(1)
    me = rank + local
    words = tl.pointer_type(tl.int64)
    peers = peers.to(words)
    state = state.to(words) + local * _STATE_WORDS
    missing = missing.to(words) + local * _BLOCKS * world
    generation = tl.load(state + block) + 1
    own = tl.load(peers + me)
    peer = (tl.arange(0, world) + me) & (world - 1)
    buffers = tl.load(peers + peer)
    lane = tl.arange(0, threads)
    other = (lane < world) & (lane != me)
    lane_buffer = tl.load(peers + lane, mask=other, other=0)

    word = tl.pointer_type(tl.int32)
    latent = tl.multiple_of(latent.to(word) + local * rows * latent_words, 16)
    router = tl.multiple_of(router.to(word) + local * rows * router_words, 16)
    latent_out = tl.multiple_of(latent_out.to(word) + local * rows * world * latent_words, 16)
    router_out = tl.multiple_of(router_out.to(word) + local * rows * world * router_words, 16)
    slot_bytes = (max_rows * (latent_words + router_words) * 4 + 127) // 128 * 128
    slot = _BLOCKS * world * _FLAG_BYTES + (generation & 1) * slot_bytes
    staged = tl.multiple_of((own + slot).to(word), 16)
    begin = block * share
    last = tl.minimum(begin + share, rows)

    if one_row_tile:
        _stage_rows(
            latent, router, staged, staged + rows * latent_words, begin, last,
            latent_words, router_words, row_tile, latent_tile, router_tile, column_tiles,
        )  # fmt: skip
    else:
        for first in range(begin, last, row_tile):
            _stage_rows(
                latent, router, staged, staged + rows * latent_words, first, last,
                latent_words, router_words, row_tile, latent_tile, router_tile, column_tiles,
            )  # fmt: skip

    # The barrier makes the staged rows of all threads part of what the release publishes, the second one makes what
    # the acquire has seen visible to all threads.
    tl.debug_barrier()
    peer_flag = tl.where(other, lane_buffer + (block * world + me) * _FLAG_BYTES, 0)
    own_flag = own + (block * world + lane) * _FLAG_BYTES
    _signal_and_wait(peer_flag, own_flag, generation, state + _LIMIT, missing + block * world + lane)
    tl.debug_barrier()
    broken = tl.load(state + _BROKEN, volatile=True)

    slots = tl.multiple_of((buffers + slot).to(word), [16])
    if one_row_tile:
        _read_rows(
            slots, peer, latent_out, router_out, begin, last, rows, world,
            latent_words, router_words, row_tile, latent_tile, router_tile, column_tiles,
        )  # fmt: skip
    else:
        for first in range(begin, last, row_tile):
            _read_rows(
                slots, peer, latent_out, router_out, first, last, rows, world,
                latent_words, router_words, row_tile, latent_tile, router_tile, column_tiles,
            )  # fmt: skip
    if broken != 0:
        tl.debug_barrier()
        _poison_rows(
            latent_out, router_out, begin, last, world,
            latent_words, router_words, latent_tile, router_tile, column_tiles,
        )  # fmt: skip
    _advance(state, generation, block)


@triton.jit
def _push_rows(
    latent,  # int64 address
    router,
    lines,  # int64 addresses [world] of the lines of own row 0 in every rank's slot
    flag,
    first,
    last,
    latent_words: tl.constexpr,
    router_words: tl.constexpr,
    row_tile: tl.constexpr,
    latent_tile: tl.constexpr,
    router_tile: tl.constexpr,
    column_tiles: tl.constexpr,
):
    """Write own rows `first` to `first + row_tile`, short of `last`, as lines into every rank's slot."""
    row = first + tl.arange(0, row_tile)[:, None, None]
    line = lines[None, :, None]
    for tile in tl.static_range(column_tiles):
        x = tile * latent_tile + tl.arange(0, latent_tile)[None, None, :]
        y = tile * router_tile + tl.arange(0, router_tile)[None, None, :]
        in_x = (row < last) & (x < latent_words) & (line != 0)
        in_y = (row < last) & (y < router_words) & (line != 0)
        some_latent = _load_word(tl.where(in_x, latent + (row * latent_words + x) * 8, 0))
        some_router = _load_word(tl.where(in_y, router + (row * router_words + y) * 8, 0))
        at = row * (latent_words + router_words)
        _send_line(tl.where(in_x, line + (at + x) * 16, 0), some_latent, flag)
        _send_line(tl.where(in_y, line + (at + latent_words + y) * 16, 0), some_router, flag)


@triton.jit
def _receive_rows(
    lines,  # int64 addresses [world] of the lines of row 0 of every rank in own slot, in the order of `peer`
    peer,
    flag,
    latent_out,
    router_out,
    deadline,
    limit,
    missing,
    first,
    last,
    world: tl.constexpr,
    latent_words: tl.constexpr,
    router_words: tl.constexpr,
    row_tile: tl.constexpr,
    latent_tile: tl.constexpr,
    router_tile: tl.constexpr,
    column_tiles: tl.constexpr,
):
    """Wait for rows `first` to `first + row_tile`, short of `last`, and copy them into the outputs, rank-major.

    All lines are read before any is waited for: most have arrived, and the reads overlap.
    """
    row = first + tl.arange(0, row_tile)[:, None, None]
    line = lines[None, :, None]
    rank = peer[None, :, None]
    for tile in tl.static_range(column_tiles):
        x = tile * latent_tile + tl.arange(0, latent_tile)[None, None, :]
        y = tile * router_tile + tl.arange(0, router_tile)[None, None, :]
        in_x = (row < last) & (x < latent_words) & (rank >= 0)
        in_y = (row < last) & (y < router_words) & (rank >= 0)
        at = row * (latent_words + router_words)
        line_x = tl.where(in_x, line + (at + x) * 16, 0)
        line_y = tl.where(in_y, line + (at + latent_words + y) * 16, 0)
        first_x, second_x = _peek_line(line_x, flag)
        first_y, second_y = _peek_line(line_y, flag)
        target_x = latent_out + ((row * world + rank) * latent_words + x) * 8
        target_y = router_out + ((row * world + rank) * router_words + y) * 8
        _take_line(line_x, first_x, second_x, flag, target_x, deadline, limit, missing, rank)
        _take_line(line_y, first_y, second_y, flag, target_y, deadline, limit, missing, rank)


@triton.jit
def _refresh(
    own_slot,
    flag,
    block,
    rows,
    max_rows,
    world: tl.constexpr,
    row_lines: tl.constexpr,
    threads: tl.constexpr,
):
    """Renew the flags of the lines of own slot that nobody writes in this launch."""
    idle = (max_rows - rows) * row_lines
    for source in range(world):
        base = own_slot + (source * max_rows + rows) * row_lines * 16
        for start in range(block * threads, idle, tl.num_programs(0) * threads):
            at = start + tl.arange(0, threads)
            _send_line(tl.where(at < idle, base + at * 16, 0), tl.zeros([threads], tl.int64), flag)


@triton.jit(do_not_specialize=_RUNTIME)
def push(
    latent: tl.int64,  # as in `pull`, in 8-byte words
    router: tl.int64,
    latent_out: tl.int64,
    router_out: tl.int64,
    peers: tl.int64,  # every rank's buffer is slot 0, slot 1; each is [world, max_rows, lines of a row]
    state: tl.int64,
    missing: tl.int64,
    rank: tl.int32,
    rows: tl.int32,
    share: tl.int32,
    max_rows: tl.int32,
    world: tl.constexpr,
    latent_words: tl.constexpr,  # 8-byte words, that is lines, of one row of one rank
    router_words: tl.constexpr,
    row_tile: tl.constexpr,
    latent_tile: tl.constexpr,
    router_tile: tl.constexpr,
    column_tiles: tl.constexpr,
    one_row_tile: tl.constexpr,
    threads: tl.constexpr,
):
    """Write own rows into every rank's slot, each 8 bytes beside the generation, and wait for everybody's in own slot.

    A flag is the lower half of the generation, compared for equality. The line that was written 2^32 gathers ago would
    pass for a new one, hence `_refresh`.
    """
    block = tl.program_id(0)
    local = tl.program_id(1)
    me = rank + local
    words = tl.pointer_type(tl.int64)
    peers = peers.to(words)
    state = state.to(words) + local * _STATE_WORDS
    missing = missing.to(words) + (local * _BLOCKS + block) * world
    limit = state + _LIMIT
    deadline = _clock() + tl.load(limit)
    generation = tl.load(state + block) + 1
    flag = generation.to(tl.int32)
    own = tl.load(peers + me)
    peer = (tl.arange(0, world) + me) & (world - 1)
    buffers = tl.load(peers + peer)

    latent += local * rows * (latent_words * 8)
    router += local * rows * (router_words * 8)
    latent_out += local * rows * (world * latent_words * 8)
    router_out += local * rows * (world * router_words * 8)
    rank_bytes = max_rows * ((latent_words + router_words) * 16)
    slot = (generation & 1) * world * rank_bytes
    begin = block * share
    last = tl.minimum(begin + share, rows)

    theirs = buffers + slot + me * rank_bytes
    if one_row_tile:
        _push_rows(
            latent, router, theirs, flag, begin, last,
            latent_words, router_words, row_tile, latent_tile, router_tile, column_tiles,
        )  # fmt: skip
    else:
        for first in range(begin, last, row_tile):
            _push_rows(
                latent, router, theirs, flag, first, last,
                latent_words, router_words, row_tile, latent_tile, router_tile, column_tiles,
            )  # fmt: skip

    mine = own + slot + peer * rank_bytes
    if one_row_tile:
        _receive_rows(
            mine, peer, flag, latent_out, router_out, deadline, limit, missing, begin, last, world,
            latent_words, router_words, row_tile, latent_tile, router_tile, column_tiles,
        )  # fmt: skip
    else:
        for first in range(begin, last, row_tile):
            _receive_rows(
                mine, peer, flag, latent_out, router_out, deadline, limit, missing, first, last, world,
                latent_words, router_words, row_tile, latent_tile, router_tile, column_tiles,
            )  # fmt: skip
    if (generation & (_REFRESH_EVERY - 1)) < 2:
        _refresh(own + slot, flag, block, rows, max_rows, world, latent_words + router_words, threads)
    # No thread may still have to read its generation, or what another one wrote of a wait given up.
    tl.debug_barrier()
    if tl.load(state + _BROKEN, volatile=True) != 0:
        _poison_rows(
            latent_out.to(words), router_out.to(words), begin, last, world,
            latent_words, router_words, latent_tile, router_tile, column_tiles,
        )  # fmt: skip
    _advance(state, generation, block)
