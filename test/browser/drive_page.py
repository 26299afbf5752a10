#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drives a page of `tam-plan --emit=html` in headless Chromium.

usage: drive_page.py PAGE [--chromium PROGRAM] [--screenshots PREFIX]
                     [--size WxH] [--dark]

Loads the page, zooms, drags, hovers, searches and changes the theme as a reader
would, and prints the times. Exits 1 if the page logs an error, makes a network
request, is not painted in 2 s, or if a frame of zooming or moving takes more
than 50 ms of script. Screenshots are PREFIX-all.png, -zoom and -find. Needs
Chromium (Debian: chromium-headless-shell) and nothing else; it talks to it
through a pipe.
"""

import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

FIRST_PAINT_MS = 2000
FRAME_MS = 50

# Records every frame's script time and all network requests.
PROBE = """
(() => {
  const request = window.requestAnimationFrame.bind(window);
  window.frames_ = [];
  window.firstPaint_ = 0;
  window.requestAnimationFrame = callback => request(now => {
    const begin = performance.now();
    callback(now);
    frames_.push(performance.now() - begin);
    if (!firstPaint_ && window.panels_ready_ && panels_ready_())
      firstPaint_ = performance.now();
  });
  window.panels_ready_ = () =>
    document.documentElement.dataset.state === "ready";
})();
"""


class Browser:
    """Chromium and the one page in it."""

    def __init__(self, program, size):
        self.profile = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()
        flags = [program, "--headless", "--no-sandbox", "--disable-gpu",
                 "--hide-scrollbars", "--remote-debugging-pipe",
                 f"--window-size={size[0]},{size[1]}",
                 f"--user-data-dir={self.profile}", "about:blank"]

        def descriptors():
            # Chromium uses descriptors 3 and 4; first move both pipes away from
            # them.
            high = [os.dup2(to_read, 20), os.dup2(back_write, 21)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            flags, close_fds=False, preexec_fn=descriptors,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(back_write)
        self.number, self.rest, self.events = 0, b"", []
        self.session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=target["targetId"])["sessionId"]

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"error: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def read(self):
        while b"\0" not in self.rest:
            part = os.read(self.back, 1 << 20)
            if not part:
                sys.exit("error: Chromium ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"error: {expression}: "
                     f"{result['exceptionDetails']['exception']}")
        return result["result"].get("value")

    def wait(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                sys.exit(f"error: waited {seconds} s for {expression}")
            time.sleep(0.02)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


READY = "document.documentElement.dataset.state === 'ready' && !dirty"


def drive(browser, page, prefix, dark):
    problems = []
    for domain in ("Page", "Runtime", "Network", "Log"):
        browser.call(f"{domain}.enable")
    browser.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
    browser.call("Page.addScriptToEvaluateOnNewDocument", source=PROBE)
    browser.call("Page.navigate", url=page.resolve().as_uri())
    browser.wait("window.firstPaint_ > 0")
    first = browser.evaluate("firstPaint_")
    print(f"buffers              {browser.evaluate('bufferCount')}")
    print(f"first paint          {first:.0f} ms")
    if first > FIRST_PAINT_MS:
        problems.append(f"first paint took {first:.0f} ms")

    def frames(what, limit=FRAME_MS):
        browser.wait(READY)
        times = sorted(browser.evaluate("frames_.splice(0)"))
        middle, most = times[len(times) // 2], times[-1]
        print(f"{what:20} {len(times)} frames, median {middle:.1f} ms, "
              f"longest {most:.1f} ms")
        if most > limit:
            problems.append(f"{what}: a frame took {most:.1f} ms")

    def shoot(name):
        browser.wait(READY)
        if prefix:
            browser.screenshot(f"{prefix}-{name}.png")

    shoot("all")
    box = browser.evaluate(
        "(r => [r.left, r.top, r.width, r.height])"
        "(panels[0].canvas.getBoundingClientRect())")
    # Near the middle of a buffer, so that something is visible.
    middle = browser.evaluate(
        "(p => { const s = p.scene, i = s.list[s.list.length >> 1];"
        "return [p.xOf((s.lower[i] + s.upper[i]) / 2),"
        " p.yOf((s.begin[i] + s.end[i]) / 2)] })(panels[0])")
    x, y = box[0] + middle[0], box[1] + middle[1]
    browser.evaluate("frames_.splice(0)")
    for _ in range(12):
        browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
        time.sleep(0.03)
    frames("zoom in")
    browser.mouse("mousePressed", x, y, button="left", clickCount=1)
    for step in range(1, 30):
        browser.mouse("mouseMoved", x - 4 * step, y + 2 * step, button="left",
                      buttons=1)
        time.sleep(0.016)
    browser.mouse("mouseReleased", x - 116, y + 58, button="left")
    frames("drag")
    for step in range(60):
        browser.mouse("mouseMoved", x - 116 + 4 * step, y + 58 - 2 * step)
        if not browser.evaluate("byId('tip').hidden"):
            break
    tip = browser.evaluate("byId('tip').innerText")
    print(f"under the pointer    {', '.join(tip.splitlines()[:4])}")
    if not tip:
        problems.append("no buffer is found under the pointer")
    frames("hover")
    shoot("zoom")
    for _ in range(14):
        browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=120)
        time.sleep(0.03)
    frames("zoom out")
    browser.evaluate("panels[0].canvas.focus()")
    for key in ("ArrowLeft", "ArrowUp", "+", "-", "0"):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key,
                     text=key if len(key) == 1 else "")
        browser.wait(READY)
    if not browser.evaluate("views.time.t1 >= timeRange.t1"):
        problems.append("key 0 does not show all")
    frames("keys")

    name = browser.evaluate("names.get(bufferCount >> 1)")
    begin = time.monotonic()
    browser.evaluate(f"byId('find').value = {json.dumps(name)}, search()")
    print(f"search               {1000 * (time.monotonic() - begin):.0f} ms, "
          f"{browser.evaluate('matches.length')} found")
    if not browser.evaluate("matches.includes(bufferCount >> 1)"):
        problems.append(f"the search does not find '{name}'")
    browser.wait(READY)
    browser.evaluate("frames_.splice(0)")
    browser.evaluate("step(1)")
    frames("show one")
    shoot("find")
    browser.evaluate("byId('theme').click()")
    frames("theme")

    for event in browser.events:
        parameters = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if url != page.resolve().as_uri():
                problems.append(f"asked for {url[:80]}")
        elif event.get("method") == "Runtime.exceptionThrown":
            problems.append(str(parameters["exceptionDetails"]))
        elif event.get("method") == "Log.entryAdded" and \
                parameters["entry"]["level"] == "error":
            problems.append(parameters["entry"]["text"])
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--chromium", default=shutil.which(
        "chromium-headless-shell") or shutil.which("chromium"))
    parser.add_argument("--screenshots", metavar="PREFIX")
    parser.add_argument("--size", default="1300x800")
    parser.add_argument("--dark", action="store_true")
    arguments = parser.parse_args()
    if not arguments.chromium:
        sys.exit("error: expected Chromium on the path, or --chromium")
    size = [int(side) for side in arguments.size.split("x")]
    browser = Browser(arguments.chromium, size)
    try:
        problems = drive(browser, arguments.page, arguments.screenshots,
                         arguments.dark)
    finally:
        browser.close()
    for problem in problems:
        print(f"{arguments.page}: error: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
