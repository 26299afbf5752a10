# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation's transcripts are true: the test follows every page as a
reader would, in a folder that looks like the root of the repository, and every
command must print the output on the page."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import harness  # noqa: E402
import pages  # noqa: E402

# Commands that a page may show without a test, with the reasons.
NOT_RUN = {
    r"\./tools/(quickstart|check)( .*)?": "builds the project",
    r"(cmake|ninja|ctest) .*|/usr/lib/llvm-22/bin/lit .*":
        "builds the project, or runs tests",
    r"clang-format -i .*": "changes the tree",
    r"(TAMC_\w+=\d+ )?build[-a-z]*/(test/)?bin/\w+(Test|Benchmark|Fuzzer)\b.*":
        "runs for minutes, and its figures are the machine's",
    r"tools/bench/.*": "runs for minutes, and its figures are the machine's",
    r"tools/device-check/pack .*|tar xf device-check\.tar\.xz && .*":
        "is for a machine with a GPU",
    r"mkdir corpus\b.*": "belongs to the fuzzers",
    r"test/browser/drive_page\.py .*": "needs a browser",
    r"\./airpassengers .* --device torch:cpu .*|"
    r"TAMC_TORCH_BACKENDS=.* --backends=torch:cpu": "a build may lack LibTorch",
    r"python -m tamc run .*": "needs the Python package and pyarrow",
    r"python3 -c 'import sys, pyarrow\.csv.*": "pyarrow is no dependency",
}
# Commands that fail without printing an error.
VERDICT = re.compile(r"status +(infeasible|not found|timed out)")
RUNNER = """cd "$1"
index=0
while [ -e "$2/$index.cmd" ]; do
  { eval "$(cat "$2/$index.cmd")"; } >"$2/$index.out" 2>&1 </dev/null
  echo $? >"$2/$index.status"
  index=$((index + 1))
done
"""


class Transcripts(harness.TestCase):
    maxDiff = None

    def make_root(self):
        """A folder like the repository after a build, in which a page may
        write; the contents of its folders are the repository's."""
        root = self.dir / "tamc"
        (root / "build").mkdir(parents=True)
        for path in harness.SOURCE.iterdir():
            if not path.name.startswith(("build", ".git")):
                (root / path.name).symlink_to(path)
        for name in ("bin", "lib", "test"):
            (root / "build" / name).symlink_to(harness.BUILD / name)
        return root

    def run_all(self, scripts, root):
        """Runs scripts one after another in one shell; returns the lines of
        output and the exit status of each."""
        work = self.dir / "commands"
        work.mkdir()
        for index, script in enumerate(scripts):
            (work / f"{index}.cmd").write_text(script + "\n")
        tools = pathlib.Path(os.environ.get("TAMC_LIT", "/")).parent
        environment = os.environ | {
            "PATH": f"{root}/build/bin:{os.environ['PATH']}:{tools}",
            "HOME": str(root), "LC_ALL": "C.UTF-8"}
        subprocess.run(["bash", "-c", RUNNER, "runner", str(root), str(work)],
                       env=environment, check=True, timeout=harness.PATIENCE)
        results = []
        for index in range(len(scripts)):
            text = (work / f"{index}.out").read_text(errors="replace")
            results.append(([line.rstrip() for line in text.splitlines()],
                            int((work / f"{index}.status").read_text())))
        return results

    def steps(self, name, path):
        """The reader's actions: pairs of a block and a command, in the order of
        the page. A file is written by a command without output."""
        found = []
        for block in pages.blocks(path.read_text(encoding="utf-8")):
            if block.kind == "console":
                found += [(block, each) for each in pages.commands(block)]
            elif block.kind == "sh":
                self.check_not_run(name, pages.commands(block))
            elif block.kind == "pycon":
                self.assertEqual(name, "docs/python.md",
                                 "the page whose examples have a test")
            elif block.name:
                text = shlex.quote("\n".join(block.lines))
                found.append((block, pages.Command(
                    f"printf '%s\\n' {text} > {block.name}", [], block.line)))
            elif block.kind == "yaml":
                self.check_fragment(name, block)
        return found

    def check_page(self, name, path):
        steps = self.steps(name, path)
        for index, (block, _) in enumerate(steps):
            pattern = rf"(^|[\s/<]){re.escape(block.name)}\b"
            if block.name and not any(
                    re.search(pattern, later.text) for after, later in
                    steps[index + 1:] if after.kind == "console"):
                self.fail(f"{name}:{block.line}: no command after it uses "
                          f"{block.name}")
        results = self.run_all([command.text for _, command in steps],
                               self.make_root())
        for (block, command), (output, status) in zip(steps, results,
                                                      strict=True):
            with self.subTest(f"{name}:{command.line}"):
                self.check_output(name, block, command, output, status)

    def check_output(self, name, block, command, output, status):
        text = "\n".join(output)
        place = f"{name}:{command.line}: {command.text}"
        if not pages.matches(command.output, output, block.varies):
            self.fail(f"{place}\nexpected:\n" + "\n".join(command.output) +
                      f"\ngot:\n{text}")
        failure = "error: " in text or VERDICT.search(text)
        self.assertEqual(bool(status), bool(failure),
                         f"{place}\nexit status {status}\n{text}")

    def check_not_run(self, name, commands):
        for command in commands:
            if not any(re.fullmatch(pattern, command.text, re.DOTALL)
                       for pattern in NOT_RUN):
                self.fail(f"{name}:{command.line}: expected a block of console "
                          f"for '{command.text}', which a test can run")
            for program in re.findall(r"^(?:\./)?((?:tools|test)/\S+)",
                                      command.text):
                self.assertTrue((harness.SOURCE / program).exists(), program)
            for target in re.findall(r"^(?:\w+=\d+ )?build\S*/(\w+)",
                                     command.text):
                self.assertIn(target, self.targets())

    def targets(self):
        """Names of the programs in the build files."""
        return " ".join(path.read_text() for folder in ("test", "tools")
                        for path in
                        (harness.SOURCE / folder).rglob("CMakeLists.txt"))

    def check_fragment(self, name, block):
        """A part of a spec must be accepted by tamc."""
        spec = self.dir / "fragment.yaml"
        text = "\n".join(block.lines) + "\n"
        if not re.search("^formula:", text, re.MULTILINE):
            text = "formula: y ~ s(x) + l(z)\n" + text
        spec.write_text(text)
        run = self.run_program(harness.TAMC, spec, "--emit=mlir", "-o", "-")
        self.assertEqual(run.returncode, 0,
                         f"{name}:{block.line}:\n{run.stderr}")


def add_tests():
    for name, path in pages.pages(harness.SOURCE).items():
        def test(self, name=name, path=path):
            self.check_page(name, path)
        setattr(Transcripts, "test_" + re.sub(r"\W", "_", name[:-3]), test)


add_tests()

if __name__ == "__main__":
    harness.main()
