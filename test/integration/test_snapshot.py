# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tam-plan --format=snapshot: memory snapshots of PyTorch."""

import gzip
import json
import pickle
import pickletools
import random
import struct

from small import harness
import snapshots

PLAN = harness.BUILD / "bin" / "tam-plan"
RECORDED = harness.SOURCE / "test" / "data" / "planning" / "recorded"


def unwrap(value):
    """The object that --emit=events wrote."""
    if isinstance(value, list):
        return [unwrap(each) for each in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (key, inner), = value.items()
        if key == "!tuple":
            return tuple(map(unwrap, inner))
        if key == "!bytes":
            return bytes.fromhex(inner)
        if key == "!dict":
            return {unwrap(name): unwrap(member) for name, member in inner}
    return {name: unwrap(member) for name, member in value.items()}


def exact(value):
    """repr() tells True from 1 and 0.0 from -0.0; it keeps the order."""
    return repr(value)


class Snapshot(harness.TestCase):
    def write(self, content, name="snapshot.pickle"):
        path = self.dir / name
        path.write_bytes(content)
        return path

    def run_snapshot(self, path, *arguments):
        return self.run_program(PLAN, "--format=snapshot", path, *arguments)

    def report(self, path, *arguments):
        text = self.succeed(PLAN, "--format=snapshot", path, "--emit=json",
                            "--nodes=1000", *arguments)
        return json.loads(text)

    def objects(self, path):
        """All objects of a snapshot, as tam-plan reads them."""
        lines = self.succeed(PLAN, "--format=snapshot", path,
                             "--emit=events").splitlines()
        events = {}
        for line in lines[:-1]:
            number, event = json.loads(line)
            events.setdefault(number, []).append(unwrap(event))
        root = json.loads(lines[-1])
        root["device_traces"] = [
            events[each["!events"]] if isinstance(each, dict) else each
            for each in root["device_traces"]]
        return unwrap(root)

    def error(self, content, *arguments):
        run = self.run_snapshot(self.write(content), *arguments)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(run.stdout, "")
        return run.stderr

    def test_objects_are_those_of_python(self):
        """50 files: every protocol, Python's both picklers, any values."""
        for seed in range(50):
            draw = random.Random(seed)
            devices = [snapshots.Allocator(100 * seed + i, i)
                       for i in range(draw.randrange(1, 4))]
            for device in devices:
                device.run(draw.choice([0, 1, 2, 40, 200, 1001]))
            made = snapshots.snapshot(devices)
            protocol = 2 + seed % 4

            def anything():
                return snapshots.random_value(draw, 4, protocol > 2)
            for event in draw.choices(devices[0].trace, k=20) \
                    if devices[0].trace else []:
                event["user_metadata"] = anything()
                event[draw.choice(["x", "y"])] = anything()
            made["extra"] = anything()
            if draw.random() < 0.3:
                made = dict(reversed(made.items()))
            dumps = pickle.dumps if seed % 3 else pickle._dumps
            content = dumps(made, protocol)
            if seed % 5 == 4:
                content = pickletools.optimize(content)
            name = "snapshot.pickle"
            if seed % 7 == 6:
                content, name = gzip.compress(content), name + ".gz"
            with self.subTest(seed=seed, protocol=protocol):
                read = self.objects(self.write(content, name))
                self.assertEqual(exact(read), exact(made))

    def test_a_recorded_training_step(self):
        path = RECORDED / "snapshot-mlp.pickle.gz"
        with gzip.open(path) as file:
            made = pickle.load(file)
        self.assertEqual(exact(self.objects(path)), exact(made))
        plan = self.report(path)
        device, = plan["snapshot"]["devices"]
        self.assertEqual(
            {name: device[name] for name in
             ("device", "events", "allocations", "before", "after",
              "allocated_peak", "planned", "bound")},
            {"device": 0, "events": 690, "allocations": 260, "before": 26,
             "after": 32, "allocated_peak": 1084868, "planned": 1084868,
             "bound": 1084868})
        # The same lives as those of the recorded problem.
        rows = [line.split(",")[1:4] for line in
                (RECORDED / "snapshot-mlp.csv").read_text().split()[1:]]
        self.assertEqual(len(plan["buffers"]), len(rows))
        self.assertEqual(sorted(buffer["size"] for buffer in plan["buffers"]),
                         sorted(int(row[2]) for row in rows))
        # A profile has no segments.
        self.assertNotIn("reserved_peak", device)
        self.assertGreater(device["caching_replayed"], 1084868)

    def test_reports_are_those_of_the_allocator(self):
        for seed in range(12):
            draw = random.Random(seed)
            count = draw.randrange(1, 4)
            devices = [snapshots.Allocator(1000 + 10 * seed + i, i)
                       for i in range(count)]
            for device in devices:
                device.run(draw.choice([1, 30, 700, 3000]))
            dropped = draw.choice([0, 0, 100])
            path = self.write(pickle.dumps(
                snapshots.snapshot(devices, dropped), 2 + seed % 4))
            plan = self.report(path)
            found = {each["device"]: each
                     for each in plan["snapshot"]["devices"]}
            for device in devices:
                history = device.history[min(dropped, len(device.trace)):]
                if len(history) == 1 and not device.segments:
                    self.assertNotIn(device.device, found)
                    continue
                got = found[device.device]
                with self.subTest(seed=seed, device=device.device):
                    peak = max(each[0] for each in history)
                    self.assertEqual(got["events"], len(history) - 1)
                    self.assertEqual(got["allocated_peak"], peak)
                    self.assertEqual(history[got["peak_time"]][0], peak)
                    self.assertEqual(got["reserved_peak"],
                                     max(each[1] for each in history))
                    self.assertEqual(got["reserved_at_peak_time"],
                                     history[got["peak_time"]][1])
                    self.assertEqual(got["reserved"], device.reserved)
                    self.assertEqual(got["after"], len(device.live))
                    self.assertEqual(
                        got["out_of_memory"],
                        sum(event["action"] == "oom"
                            for event in device.trace[dropped:]))
                    self.assertLessEqual(peak, got["bound"])
                    self.assertLessEqual(got["bound"], got["planned"])
                    self.check_lives(plan, device, dropped, count)

    def check_lives(self, plan, device, dropped, count):
        """The lives add up to what the allocator had at every event."""
        space = f"device {device.device}"
        history = device.history[min(dropped, len(device.trace)):]
        change = [0] * (len(history) + 1)
        for buffer in plan["buffers"]:
            if count > 1 and buffer.get("space", space) != space:
                continue
            (lower, upper), = buffer["live"]
            change[lower] += buffer["size"]
            change[upper] -= buffer["size"]
        load = 0
        for time, (allocated, _) in enumerate(history):
            load += change[time]
            self.assertEqual(load, allocated, time)

    def test_the_stacks_at_the_peak(self):
        device = snapshots.Allocator(3)
        device.run(500)
        path = self.write(pickle.dumps(snapshots.snapshot([device]), 4))
        plan = self.report(path)
        got, = plan["snapshot"]["devices"]
        shares = {}
        live = {}
        for event in device.trace[:got["peak_time"]]:
            if event["action"] == "alloc":
                live[event["addr"]] = event
            elif event["action"] == "free_completed":
                del live[event["addr"]]
        for event in live.values():
            stack = tuple(f"{frame['name']} ({frame['filename']}:"
                          f"{frame['line']})" for frame in event["frames"])
            size, number = shares.get(stack, (0, 0))
            shares[stack] = size + event["size"], number + 1
        expected = sorted(shares.values(), reverse=True)[:20]
        self.assertEqual([each["bytes"] for each in got["stacks_at_peak"]],
                         [each[0] for each in expected])
        for each in got["stacks_at_peak"]:
            self.assertEqual(shares[tuple(each["frames"])],
                             (each["bytes"], each["allocations"]))
        text = self.succeed(PLAN, "--format=snapshot", path, "--nodes=1000")
        self.assertIn(f"allocated peak  {got['allocated_peak']}, at event "
                      f"{got['peak_time']}", text)
        self.assertIn(got["stacks_at_peak"][0]["frames"][0], text)

    def test_truncated_files(self):
        device = snapshots.Allocator(1)
        device.run(4)
        for protocol in (2, 4):
            whole = pickle.dumps(snapshots.snapshot([device]), protocol)
            for size in sorted(random.Random(0).sample(range(len(whole)), 60)):
                with self.subTest(protocol=protocol, size=size):
                    message = self.error(whole[:size])
                    offset = int(message.split("byte ")[1].split(":")[0])
                    self.assertLessEqual(offset, size)
        packed = gzip.compress(whole)
        self.assertIn("the gzip file ends in the middle", self.error(packed[:-9]))
        self.assertIn("not a valid gzip file: expected a member or the end of "
                      "the file", self.error(packed + b"\n"))

    def test_hostile_files(self):
        proto = b"\x80\x02"
        evil = pickle.dumps(Evil(), 2)
        cases = [
            (b"", "byte 0: expected more bytes, got the end of the file"),
            (b"(dp0\n.", "byte 0: expected a pickle of protocol 2 to 5"),
            (b"\x80\x06N.", "byte 0: expected a pickle of protocol 2 to 5, got "
             "protocol 6"),
            (evil, "byte 2: expected plain data, got the opcode GLOBAL"),
            (pickle.dumps(Evil(), 4), "the opcode STACK_GLOBAL"),
            (proto + b"cos\nsystem\nX\2\0\0\0lsR.", "byte 2: expected plain "
             "data, got the opcode GLOBAL"),
            (proto + b"Nb.", "byte 3: expected plain data, got the opcode "
             "BUILD"),
            (proto + b"P1\n.", "byte 2: expected plain data, got the opcode "
             "PERSID"),
            (proto + b"\xff.", "byte 2: expected an opcode of plain data, got "
             "0xff"),
            (proto + b"]" * (1 << 21), "byte 1048578: expected at most 1048576"),
            (proto + b"(" * (1 << 21), "byte 1048578: expected at most 1048576 "
             "marks"),
            (proto + b"]" * 1000 + b"a" * 999 + b".",
             "byte 1102: expected at most 100 nested values"),
            (proto + b"N" + b"\x85" * 1000 + b".",
             "byte 103: expected at most 100 nested values"),
            # Lists inside themselves.
            (proto + b"]q\0h\0a.", "byte 7: the list changes after it was used"),
            (proto + b"}q\0X\1\0\0\0xh\0s.",
             "byte 13: the dictionary changes after it was used"),
            (pickle.dumps(recursive(), 4), "changes after it was used"),
            # Lengths beyond the file.
            (proto + b"X\xff\xff\xff\xffabc.",
             "byte 2: expected 4294967295 bytes, got the end of the file after "
             "4"),
            (proto + b"\x8d" + b"\xff" * 8 + b"abc.", "byte 2: expected at most "
             "4294967296 bytes, got 18446744073709551615"),
            (proto + b"\x8b\xff\xff\xff\x7f1.", "byte 2: expected an integer of "
             "at most 1024 bytes, got 2147483647"),
            (b"\x80\x04\x95" + b"\xff" * 7 + b"\x0fN.", "expected the end of "
             "the frame"),
            (b"\x80\x04\x95" + struct.pack("<Q", 100) + b"\x95" +
             struct.pack("<Q", 1) + b"N.", "byte 11: expected no frame within "
             "a frame"),
            # Memo.
            (proto + b"h\5.", "byte 2: the memo has no entry 5"),
            (proto + b"Nr\xff\xff\xff\x7f.", "byte 3: expected the entry 0 of "
             "the memo, got 2147483647"),
            (proto + b"]" + b"".join(b"r" + struct.pack("<I", i)
                                     for i in range(200)) + b".",
             "byte 503: expected at most 100 entries of the memo for a value"),
            # Values in the wrong place.
            (proto + b"a.", "byte 2: expected a value before this opcode"),
            (proto + b"(a.", "byte 3: expected a value before this opcode"),
            (proto + b"Ne.", "byte 3: expected a mark before this opcode"),
            (proto + b"NNa.", "byte 4: expected a list before this opcode"),
            (proto + b"}]Ns.", "byte 5: expected a key, got a list or "
             "dictionary"),
            (proto + b"}(Nu.", "byte 5: expected a value for each key"),
            (proto + b"X\1\0\0\0\xff.", "byte 2: expected a string in UTF-8"),
            (proto + b"NN.", "byte 4: expected one value at the end"),
            (proto + b".", "byte 2: expected a value before this opcode"),
            (proto + b"N.N", "byte 4: expected the end of the file after the "
             "pickle"),
            (proto + b"}(X\1\0\0\0aNX\1\0\0\0aNu.",
             "expected each key of a dictionary once"),
            # Pickles that are no snapshots.
            (proto + b"N.", "byte 3: expected a dictionary with the member "
             "'device_traces'"),
        ]
        for content, message in cases:
            with self.subTest(message=message):
                self.assertIn(message, self.error(content))

    def test_memo_bombs(self):
        """Values that refer to others 2^50 times are small, but no text."""
        value = ["x"]
        for _ in range(50):
            value = [value, value]
        content = pickle.dumps({"segments": [], "device_traces": [],
                                "bomb": value}, 4)
        path = self.write(content)
        self.succeed(PLAN, "--format=snapshot", path)
        self.assertIn("expected values of at most",
                      self.error(content, "--emit=events"))

    def test_bad_snapshots(self):
        def error(**changes):
            event = {"action": "alloc", "addr": 1, "size": 2, "frames": []}
            event.update(changes.pop("event", {}))
            made = {"segments": [], "device_traces": [[event]]}
            made.update(changes)
            return self.error(pickle.dumps(made, 4))
        self.assertIn("0 or more as 'size'", error(event={"size": -1}))
        self.assertIn("0 or more as 'addr'", error(event={"addr": None}))
        self.assertIn("0 or more as 'addr'", error(event={"addr": 1 << 70}))
        self.assertIn("less than 2^61", error(event={"size": 1 << 61}))
        self.assertIn("a string as 'action'", error(event={"action": 3}))
        self.assertIn("a list as 'frames'", error(event={"frames": 3}))
        self.assertIn("member of 'frames'", error(event={"frames": [3]}))
        self.assertIn("with an 'action'", error(device_traces=[[1]]))
        self.assertIn("a member of 'device_traces'", error(device_traces=[1]))
        self.assertIn("'device_traces' alone",
                      error(other=[{"action": "alloc", "addr": 5, "size": 1}]))
        self.assertIn("as 'total_size'", error(segments=[{"device": 0}]))
        self.assertIn("less than 65536 devices", error(segments=[
            {"device": 1 << 40, "address": 0, "total_size": 0, "blocks": []}]))

    def test_events_that_are_one_object(self):
        event = {"action": "alloc", "addr": 1, "size": 2, "frames": []}
        made = {"segments": [], "device_traces": [[event] * 3, [event]]}
        path = self.write(pickle.dumps(made, 4))
        self.assertEqual(self.objects(path), made)

    def test_long_traces(self):
        """More than a million allocations in little memory: the first plan of
        them is made in their order."""
        def text(name, entry):
            return (b"X" + struct.pack("<I", len(name)) + name.encode() + b"q" +
                    bytes([entry]))

        def event(action, address, size):
            return (b"}(h\0" + action + b"h\3K" + bytes([address]) + b"h\4M" +
                    struct.pack("<H", size) + b"u")
        alloc, free = b"h\1", b"h\2"
        # A hole of 100 bytes is too small for the third buffer.
        steps = [(alloc, 1, 100), (alloc, 2, 200), (free, 1, 100),
                 (alloc, 1, 150), (free, 2, 200), (free, 1, 150)]
        block = b"(" + b"".join(event(*step) for step in steps) * 100 + b"e"
        words = ["action", "alloc", "free_completed", "addr", "size"]
        content = (b"\x80\x02}(X\5\0\0\0words(" +
                   b"".join(text(word, i) for i, word in enumerate(words)) +
                   b"tX\x08\0\0\0segments]X\x0d\0\0\0device_traces](]" +
                   block * 3500 + b"eu.")
        path = self.write(content)
        command = f"ulimit -v 1000000; exec {PLAN} --format=snapshot {path}"
        if harness.SANITIZE:
            command = command.partition(";")[2]
        report = self.succeed("sh", "-c", command)
        self.assertIn("2100000 events, 1050000 allocations", report)
        self.assertIn("allocated peak  350, at event 4\n", report)
        self.assertIn("static plan     450, bound 350\n", report)
        self.assertIn("planned in their order", report)
        # A capacity needs a plan of each buffer, and short traces have one.
        path = self.write(content.replace(block * 3500, block * 10))
        report = self.succeed(PLAN, "--format=snapshot", path)
        self.assertIn("static plan     350, bound 350", report)
        self.assertNotIn("planned in their order", report)

    def test_other_forms(self):
        device = snapshots.Allocator(5)
        device.run(300)
        path = self.write(pickle.dumps(snapshots.snapshot([device]), 5))
        page = self.succeed(PLAN, "--format=snapshot", path, "--emit=html",
                            "--nodes=1000")
        self.assertIn('"name":"noteText"', page)
        csv = self.succeed(PLAN, "--format=snapshot", path, "--emit=csv",
                           "--nodes=1000")
        plan = self.dir / "plan.csv"
        plan.write_text(csv)
        self.assertIn("the plan is correct", self.succeed(
            PLAN, "--format=snapshot", path, "--check", plan))
        run = self.run_program(PLAN, plan, "--emit=events")
        self.assertEqual(run.returncode, 1)
        self.assertIn("events need --format=snapshot", run.stderr)


class Evil:
    def __reduce__(self):
        import os
        return os.system, ("touch /tmp/evil",)


def recursive():
    made = {"segments": [], "device_traces": []}
    made["segments"].append(made)
    return made


if __name__ == "__main__":
    harness.main()
