#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A long run can be interrupted, and shows its progress."""

import contextlib
import io
import os
import signal
import threading
import time
import unittest

import numpy as np

from test_model import Folder, tamc

#: Seconds of processor time between the signal and the exception: the piece of
#: work of each thread, and a compilation. Other work on the machine does not
#: count.
MOST = 2.0


class Interrupt(Folder):
    def setUp(self):
        super().setUp()
        # A shell's job in the background begins without a handler.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(
            signal.SIGINT, signal.default_int_handler))
        # A fit of half a minute.
        rows = 4_000_000
        random = np.random.default_rng(0)
        self.long = {name: random.random(rows) for name in ("x", "z", "v", "y")}
        self.short = {name: values[:500] for name, values in self.long.items()}
        self.formula = "y ~ te(s(x, k=5), s(z, k=5), s(v, k=5))"
        self.model = tamc.AdditiveModel(self.formula, threads=2)
        self.model.fit(self.short)
        self.wanted = self.model.predict(self.short).tolist()

    def interrupt(self, work, seconds=0.0, stream=None, line="model: "):
        """Calls work() again and again until SIGINT, which is sent after so
        many seconds, and once the stream, if there is one, has a line of
        progress. Measures how much is done after it."""
        sent, ended = [], threading.Event()

        def send():
            waits = ended.wait(seconds)
            end = time.monotonic() + 300
            while (not waits and stream and line not in stream.getvalue()
                   and time.monotonic() < end):
                waits = ended.wait(0.01)
            if not ended.is_set():
                sent.append(time.process_time())
                os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        try:
            with self.assertRaises(KeyboardInterrupt):
                # The signal may come at any time from here on.
                sender.start()
                while True:
                    work()
        finally:
            ended.set()
            sender.join()
        self.assertLess(time.process_time() - sent[0], MOST)

    def check_usable(self):
        self.assertEqual(self.model.predict(self.short).tolist(), self.wanted)
        again = tamc.AdditiveModel(self.formula, threads=2).fit(self.short)
        self.assertEqual(again.predict(self.short).tolist(), self.wanted)

    def test_fit(self):
        threads = None
        # While rows are read, and while they are summed.
        for seconds in (0.05, 0.4, 1.5):
            with self.subTest(seconds=seconds):
                self.interrupt(lambda: self.model.fit(self.long), seconds)
                self.check_usable()
                count = len(os.listdir("/proc/self/task"))
                self.assertLessEqual(count, threads or count)
                threads = count
        names = {path.suffix for path in (self.folder / "cache").iterdir()}
        self.assertEqual(names, {".levels", ".so"})

    def test_predict_and_tune(self):
        self.interrupt(lambda: self.model.predict(self.long), 0.3)
        self.interrupt(lambda: tamc.AdditiveModel(self.formula, group="g").tune(
            dict(self.short, g=np.arange(500) % 2)), 1)
        self.check_usable()

    def test_adapt(self):
        windows = tamc.AdditiveModel("y ~ s(x, k=20) + l(z)", threads=2)
        rows = {name: values[:1_000_000] for name, values in self.long.items()}
        wanted = windows.adapt(self.short, window=200, update=10)
        # While rows are read, and while windows are fitted.
        for seconds in (0.05, 0.8):
            with self.subTest(seconds=seconds):
                self.interrupt(lambda: windows.adapt(rows, window=200), seconds)
        self.assertFalse(hasattr(windows, "_fit_"))
        np.testing.assert_array_equal(
            windows.adapt(self.short, window=200, update=10), wanted)
        stream = io.StringIO()
        windows.set_params(verbose=True)
        with contextlib.redirect_stderr(stream):
            self.interrupt(lambda: windows.adapt(rows, window=200),
                           stream=stream, line="model: windows: ")
        self.assertIn("model: windows: ", stream.getvalue())
        self.check_usable()

    def test_other_threads(self):
        """A call that waits for its turn can be interrupted; the run of the
        other thread goes on."""
        ends = []

        def fit():
            ends.append(tamc.AdditiveModel("y ~ s(x, k=20)").fit(
                self.long).predict(self.short).tolist())

        thread = threading.Thread(target=fit)
        thread.start()
        self.interrupt(lambda: self.model.predict(self.long), 0.3)
        thread.join()
        self.assertEqual(len(ends), 1)
        self.check_usable()

    def test_exception_of_a_handler(self):
        class Alarm(Exception):
            pass

        def ring(*_):
            raise Alarm

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            with self.assertRaises(Alarm):
                self.model.fit(self.long)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.check_usable()

    def test_progress(self):
        for verbose, shows in ((True, True), (None, False), (False, False)):
            stream = io.StringIO()
            self.model.set_params(verbose=verbose)
            with contextlib.redirect_stderr(stream):
                self.interrupt(lambda: self.model.fit(self.long),
                               0.0 if shows else 2.5,
                               stream if shows else None)
            text = stream.getvalue()
            if not shows:
                self.assertEqual(text, "")
                continue
            lines = [line.rstrip() for line in text.split("\r")]
            self.assertRegex(lines[1], "^model: (read|learn|fit)")
            # The last line was removed.
            self.assertEqual(lines[-2:], ["", ""])

    def test_progress_on_a_terminal(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        stream = Terminal()
        with contextlib.redirect_stderr(stream):
            self.interrupt(lambda: self.model.fit(self.long), stream=stream)
        self.assertRegex(stream.getvalue(), "^\r\x1b\\[Kmodel: ")
        self.assertTrue(stream.getvalue().endswith("\r\x1b[K"))

    def test_progress_in_a_notebook(self):
        stream = type("OutStream", (io.StringIO,),
                      {"__module__": "ipykernel.iostream"})()
        with contextlib.redirect_stderr(stream):
            self.interrupt(lambda: self.model.fit(self.long), stream=stream)
        self.assertRegex(stream.getvalue(), "^\rmodel: ")


if __name__ == "__main__":
    unittest.main()
