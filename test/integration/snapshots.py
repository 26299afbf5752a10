# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory snapshots as PyTorch writes them, of a simulated allocator, and what
they must say."""

import random


class Allocator:
    """A caching allocator of one device with its trace. It records what the
    allocated and the reserved bytes were at each event."""

    def __init__(self, seed, device=0):
        self.random = random.Random(seed)
        self.device = device
        self.trace = []
        self.segments = {}  # address: [size, {offset: (size, requested, stack)}]
        self.live = {}  # address: (requested, stack)
        self.next = 0x7f0000000000 + device * 0x100000000000
        self.allocated = self.reserved = 0
        self.history = [(0, 0)]
        shared = [{"filename": f"net{i}.py", "line": 10 * i, "name": f"f{i}"}
                  for i in range(12)]
        self.stacks = [[self.random.choice(shared)
                        for _ in range(self.random.randrange(1, 20))]
                       for _ in range(25)]

    def record(self, action, address, size, stack):
        event = {"action": action, "addr": address, "size": size, "stream": 0,
                 "time_us": 1700000000000000 + len(self.trace),
                 "compile_context": None, "user_metadata": "",
                 "frames": stack}
        if action == "oom":
            event["device_free"] = event.pop("addr")
        self.trace.append(event)
        self.history.append((self.allocated, self.reserved))

    def alloc(self):
        requested = self.random.choice([1, 37, 512, 4096, 100000, 3 << 20])
        size = -(-requested // 512) * 512
        stack = self.random.choice(self.stacks)
        for address, (total, blocks) in self.segments.items():
            at = 0
            for offset in sorted(blocks) + [total]:
                if offset - at >= size:
                    break
                if offset < total:
                    at = offset + blocks[offset][0]
            else:
                continue
            break
        else:
            address, total, at = self.next, max(size, 2 << 20), 0
            self.next += total + (64 << 20)
            self.segments[address] = [total, {}]
            self.reserved += total
            self.record(self.random.choice(["segment_alloc", "segment_map"]),
                        address, total, stack)
        self.segments[address][1][at] = (size, requested, stack)
        self.live[address + at] = (requested, stack)
        self.allocated += requested
        self.record("alloc", address + at, requested, stack)

    def free(self):
        address = self.random.choice(sorted(self.live))
        requested, stack = self.live.pop(address)
        self.record("free_requested", address, requested, stack)
        for begin, (total, blocks) in self.segments.items():
            if begin <= address < begin + total:
                del blocks[address - begin]
        self.allocated -= requested
        self.record("free_completed", address, requested, stack)

    def trim(self):
        for address, (total, blocks) in list(self.segments.items()):
            if not blocks:
                del self.segments[address]
                self.reserved -= total
                self.record("segment_free", address, total, [])

    def run(self, events):
        while len(self.trace) < events:
            draw = self.random.random()
            if draw < 0.01:
                self.trim()
            elif draw < 0.02:
                self.record("oom", 12345, 1 << 40, self.stacks[0])
            elif draw < 0.03:
                self.record("snapshot", 0, self.allocated, [])
            elif draw < 0.5 and self.live:
                self.free()
            else:
                self.alloc()

    def segment_dicts(self):
        dicts = []
        for address, (total, blocks) in self.segments.items():
            listed, at = [], 0
            for offset in sorted(blocks) + [total]:
                if offset > at:
                    listed.append({"address": address + at, "size": offset - at,
                                   "requested_size": 0, "state": "inactive",
                                   "frames": []})
                if offset < total:
                    size, requested, stack = blocks[offset]
                    listed.append({"address": address + offset, "size": size,
                                   "requested_size": requested,
                                   "state": "active_allocated",
                                   "frames": stack})
                    at = offset + size
            dicts.append({
                "device": self.device, "address": address, "total_size": total,
                "allocated_size": sum(b[0] for b in blocks.values()),
                "active_size": sum(b[0] for b in blocks.values()),
                "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
                "is_expandable": False, "frames": [], "blocks": listed})
        return dicts


def snapshot(allocators, dropped=0):
    """The snapshot of some devices, without the first events of each trace."""
    return {"segments": [each for one in allocators
                         for each in one.segment_dicts()],
            "device_traces": [one.trace[dropped:] for one in allocators],
            "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "",
                                   "max_split_size": -1,
                                   "garbage_collection_threshold": 0.0,
                                   "expandable_segments": False},
            "external_annotations": []}


def random_value(draw, levels=4, has_bytes=True):
    """Anything of which snapshots may consist. In protocol 2, Python writes
    bytes as a call of a function."""
    kind = draw.randrange(14 if levels else 10)
    if kind == 0:
        return None
    if kind == 1:
        return draw.random() < 0.5
    if kind == 2:
        return draw.choice([-1, 1]) * draw.getrandbits(draw.randrange(1, 900))
    if kind == 3:
        return draw.randrange(-1 << 17, 1 << 17)
    if kind == 4:
        return draw.choice([0.0, -0.0, 1e300, -2.5, 3.0, float("inf"),
                            draw.random()])
    if kind == 5 and has_bytes:
        return draw.randbytes(draw.randrange(300))
    if kind < 10:
        return "".join(draw.choices("a\"\\\n\x7f\u00e9\u20ac\U0001f600\ud800!",
                                    k=draw.randrange(draw.choice([8, 300]))))
    if kind < 12:
        many = draw.random() < 0.1
        made = [random_value(draw, 0 if many else levels - 1, has_bytes)
                for _ in range(1001 if many else draw.randrange(4))]
        return made if kind == 10 else tuple(made)
    keys = [random_value(draw, 0, has_bytes) for _ in range(draw.randrange(5))]
    return {key if kind == 12 else str(key):
            random_value(draw, levels - 1, has_bytes) for key in keys}
