# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian packages: equal bytes twice, lintian without an error, installed
into a fresh root, a model compiled and run there, removed without a trace."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import small
from small import harness

CPACK = os.environ.get("CPACK", "cpack")
CMAKE = os.environ.get("CMAKE", "cmake")
# Tools of the packages with --help.
TOOLS = ("tamc", "tam-opt", "tam-plan", "tam-lsp-server")
EPOCH = "1700000000"
# Where Debian's LibTorch is, its backend is a package.
TORCH = "libtamrt-torch"
HAS_TORCH = bool(re.search(
    rf"(?m)^set\(CPACK_COMPONENTS_ALL .*\b{TORCH}\b",
    (harness.BUILD / "CPackConfig.cmake").read_text(encoding="utf-8")))
NAMES = ["libtamrt", *([TORCH] if HAS_TORCH else []), "tamc"]


def pack(folder, *options, **variables):
    """Builds the packages of the build, as tools/build-packages does; returns
    their paths by name."""
    subprocess.run(
        [CPACK, "--config", harness.BUILD / "CPackConfig.cmake", "-B", folder,
         *options],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH} | variables, umask=0o022)
    shutil.rmtree(folder / "_CPack_Packages")
    return {path.name.partition("_")[0]: path
            for path in folder.glob("*.deb")}


def members(package):
    """Name without what compressed it, time, owner and mode of each file in the
    archive that a package is."""
    found, content, at = [], package.read_bytes(), 8
    while at < len(content):
        head = content[at:at + 60]
        found.append((head[:16].partition(b".")[0], head[16:48]))
        at += 60 + (int(head[48:58]) + 1) // 2 * 2
    return found


class Packages(harness.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tamc-packages-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.packages = pack(cls.folder / "first")

    def test_names(self):
        self.assertEqual(sorted(self.packages), NAMES)

    @unittest.skipUnless(shutil.which("ninja") and
                         (harness.BUILD / "build.ninja").exists(),
                         "not built by Ninja")
    def test_target_makes_all_files(self):
        """tools/build-packages builds one target: it makes each file of the
        packages that the build makes."""
        def told(*arguments):
            return self.succeed("ninja", "-C", harness.BUILD, "-t", *arguments)
        makes = {line.rpartition(": ")[0]
                 for line in told("targets", "all").splitlines()}
        inputs = set(re.findall('label="([^"]+)"',
                                told("graph", "tamc-packages")))
        found = set()
        for script in harness.BUILD.rglob("cmake_install.cmake"):
            for component, files in re.findall(
                    r'CMAKE_INSTALL_COMPONENT.* STREQUAL "([\w-]+)"'
                    r'((?:(?!STREQUAL).|\n)*)', script.read_text()):
                if component in NAMES:
                    found |= {
                        os.path.relpath(path, harness.BUILD) for path in
                        re.findall(r'FILES "([^"]+)"', files)} & makes
        self.assertIn("bin/tamc", found)
        self.assertEqual(found - inputs, set())

    def test_same_bytes_twice(self):
        # Compressed otherwise, which takes a third of the time: xz writes the
        # same bytes for the same input.
        again = pack(self.folder / "second", "-D",
                     "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", TZ="Asia/Tokyo",
                     LC_ALL="C")
        self.assertEqual(sorted(again), sorted(self.packages))
        for name, path in self.packages.items():
            self.assertEqual(path.name, again[name].name)
            # These say where a difference is.
            for show in ("--field", "--contents"):
                self.assertEqual(self.succeed("dpkg-deb", show, path),
                                 self.succeed("dpkg-deb", show, again[name]))
            self.assertEqual(
                *(self.succeed("dpkg-deb", "--info", deb, "md5sums")
                  for deb in (path, again[name])))
            self.assertEqual(members(path), members(again[name]))
            for part in ("--ctrl-tarfile", "--fsys-tarfile"):
                one, other = (subprocess.run(
                    ["dpkg-deb", part, deb], check=True,
                    stdout=subprocess.PIPE).stdout
                    for deb in (path, again[name]))
                self.assertTrue(one == other, f"{part} of {name} differs")

    @unittest.skipUnless(shutil.which("lintian"), "no lintian here")
    def test_lintian(self):
        run = self.run_program(
            "lintian", "--fail-on", "error,warning", "--no-cfg",
            "--suppress-tags", "initial-upload-closes-no-bugs",
            *self.packages.values())
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def field(self, package, name):
        return self.succeed("dpkg-deb", "--field", self.packages[package],
                            name).strip()

    def test_dependencies(self):
        depends = self.field("tamc", "Depends").split(", ")
        version = self.field("tamc", "Version")
        self.assertIn(f"libtamrt (= {version})", depends)
        for library in ("libc6", "libstdc++6", "libllvm22", "libmlir-22"):
            self.assertTrue([entry for entry in depends
                             if entry.split(" ")[0] == library], library)
        # Archives need no library.
        self.assertEqual(self.field("libtamrt", "Depends"), "")
        self.assertEqual(self.field("libtamrt", "Version"), version)
        # Who does not want LibTorch does not get it.
        self.assertEqual(self.field("libtamrt", "Suggests"), TORCH)
        self.assertNotIn("torch", self.field("tamc", "Depends"))

    @unittest.skipUnless(HAS_TORCH, "the build has no Debian's LibTorch")
    def test_dependencies_of_the_backend(self):
        self.assertRegex(self.field(TORCH, "Depends"), r"\blibtorch1\.13\b")
        self.assertEqual(self.field(TORCH, "Enhances"), "libtamrt")
        self.assertEqual(self.field(TORCH, "Version"),
                         self.field("libtamrt", "Version"))

    def dpkg(self, root, *arguments):
        # Without --force-not-root only root may change a database of packages;
        # this one belongs to the test.
        return self.succeed(
            "dpkg", f"--root={root}", f"--log={self.dir / 'dpkg.log'}",
            "--force-not-root", "--force-bad-path", *arguments,
            env=os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})

    def root(self):
        """A root without files, whose database says that the machine's packages
        are installed: dependencies are checked."""
        root = self.dir / "root"
        database = root / "var" / "lib" / "dpkg"
        for name in ("info", "updates", "triggers", "parts"):
            (database / name).mkdir(parents=True)
        installed = pathlib.Path("/var/lib/dpkg/status").read_text(
            encoding="utf-8").split("\n\n")
        # Their lists of files are not there.
        (database / "status").write_text("\n\n".join(
            text for text in installed
            if not re.match(r"Package: (tamc|libtamrt(-torch)?)\n", text)),
            encoding="utf-8")
        architectures = pathlib.Path("/var/lib/dpkg/arch")
        if architectures.exists():
            shutil.copy(architectures, database)
        return root

    def files(self, root):
        """Files and folders outside of the database of packages."""
        return {path.relative_to(root) for path in root.rglob("*")
                if "dpkg" not in path.parts}

    def test_install_use_remove(self):
        root = self.root()
        before = self.files(root)
        # The compiler needs its runtime.
        run = self.run_program(
            "dpkg", f"--root={root}", "--force-not-root", "--force-bad-path",
            f"--log={self.dir / 'dpkg.log'}", "--install",
            self.packages["tamc"],
            env=os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("libtamrt", run.stderr)

        self.dpkg(root, "--install", *self.packages.values())
        tamc = root / "usr" / "bin" / "tamc"
        self.use(tamc)
        self.use_cmake(root / "usr")
        self.use_planner(root / "usr")
        self.look_at_pages(root)
        if HAS_TORCH:
            self.use_torch(root)

        self.dpkg(root, "--purge", *NAMES)
        self.assertEqual(self.files(root), before)

    def use(self, tamc):
        """A model of the installed tamc writes the bytes of one of the build's."""
        outputs = []
        for compiler, name in ((tamc, "installed"), (harness.TAMC, "built")):
            model = self.dir / name
            self.succeed(compiler, "-f", "y ~ l(a) + c(k, n_cat=3)",
                         "--group", "g", "--date", "date", "--name", "small",
                         "-o", model)
            train = harness.write_csv(self.dir / "train.csv", small.rows())
            weights = self.fit(model, train)
            outputs.append((model.read_bytes(), weights.read_bytes(),
                            self.predict(model, train, weights).read_bytes()))
        self.assertEqual(outputs[0][1:], outputs[1][1:])
        # Only symbols of debuggers are missing in the packages' archives.
        self.assertTrue(outputs[0][0] == outputs[1][0], "the models differ")

    def use_torch(self, root):
        """The model that was compiled last finds the installed backend."""
        folder = root / "usr" / "lib" / "tamrt"
        text = self.succeed(self.dir / "installed", "info", "--devices",
                            env=dict(os.environ,
                                     TAMRT_BACKEND_PATH=str(folder)))
        self.assertRegex(text, r"  torch:cpu: .*\n    found: "
                         rf"{re.escape(str(folder))}/.*\n(    .*\n)*"
                         r"    tested: cholesky: ok\n    trusted; ")

    def use_cmake(self, prefix):
        """The example that is installed, with find_package(tamc)."""
        examples = prefix / "share" / "doc" / "tamc" / "examples"
        build = self.dir / "example"
        self.succeed(CMAKE, "-S", examples / "cmake", "-B", build,
                     f"-DCMAKE_PREFIX_PATH={prefix}",
                     "-DCMAKE_BUILD_TYPE=Release")
        self.succeed(CMAKE, "--build", build)
        helper = examples / "airpassengers" / "airpassengers.py"
        data = examples / "airpassengers" / "airpassengers.csv"
        for name, first, last in (("train", 12, 119), ("new", 120, 143)):
            (self.dir / f"{name}.csv").write_text(
                self.succeed("python3", "-B", helper, "rows", data, first,
                             last))
        train, new = self.dir / "train.csv", self.dir / "new.csv"
        model = build / "airpassengers"
        weights = self.dir / "airpassengers.safetensors"
        self.succeed(model, "fit", train, "-o", weights)
        self.succeed(model, "predict", new, "--weights", weights, "-o",
                     self.dir / "predicted.csv")
        expected = [float(row["prediction"]) for row in
                    harness.read_csv(self.dir / "predicted.csv")]
        printed = self.succeed(build / "forecast", train, new).split()
        self.assertEqual([float(text) for text in printed], expected)
        self.assertEqual(len(expected), 24)

        # A newer spec is compiled again.
        archive = build / "passengers.tamc" / "libpassengers.a"
        first = archive.stat().st_mtime_ns
        self.succeed(CMAKE, "--build", build)
        self.assertEqual(archive.stat().st_mtime_ns, first)
        os.utime(examples / "airpassengers" / "airpassengers.yaml")
        self.succeed(CMAKE, "--build", build)
        self.assertGreater(archive.stat().st_mtime_ns, first)

    def use_planner(self, prefix):
        """The example with find_package(tamc COMPONENTS Planning)."""
        examples = prefix / "share" / "doc" / "tamc" / "examples"
        build = self.dir / "planning"
        self.succeed(CMAKE, "-S", examples / "planning", "-B", build,
                     f"-DCMAKE_PREFIX_PATH={prefix}",
                     "-DCMAKE_BUILD_TYPE=Release")
        self.succeed(CMAKE, "--build", build)
        self.assertIn("peak 32768, bound 32768\n",
                      self.succeed(build / "plan"))
        # A part that the package does not have.
        lists = self.dir / "other" / "CMakeLists.txt"
        lists.parent.mkdir()
        lists.write_text("cmake_minimum_required(VERSION 3.25)\n"
                         "project(other LANGUAGES C CXX)\n"
                         "find_package(tamc REQUIRED COMPONENTS Nothing)\n")
        run = self.run_program(CMAKE, "-S", lists.parent, "-B", lists.parent,
                               f"-DCMAKE_PREFIX_PATH={prefix}")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("expected the component Planning, got Nothing",
                      " ".join(run.stderr.split()))

    def look_at_pages(self, root):
        share = root / "usr" / "share"
        for tool in TOOLS:
            page = gzip.decompress(
                (share / "man" / "man1" / f"{tool}.1.gz").read_bytes()).decode()
            self.assertIn(f'.TH {tool.upper()}'.replace("-", "\\-"), page)
            self.assertIn("\\-\\-version", page)
        page = gzip.decompress(
            (share / "man" / "man1" / "tamc.1.gz").read_bytes()).decode()
        for text in ("compiles the spec of an additive model",
                     "\\-\\-emit=<value>", "lib: a static library",
                     "\\-\\-chunk\\-rows=<n>"):
            self.assertIn(text, page)

        self.assertEqual(self.complete(root, "tamc", "--em"), ["--emit="])
        self.assertEqual(
            self.complete(root, "tamc", "--emit", "=", "a"), ["asm"])
        self.assertEqual(self.complete(root, "tamc", "--reuse", "="),
                         ["branch-safe", "program"])
        self.assertEqual(self.complete(root, "tamc", "--group", "=", ""), [])
        self.assertEqual(self.complete(root, "tam-plan", "--strategy", "gr"),
                         ["greedy", "greedy-conflicts", "greedy-first",
                          "greedy-life"])
        (self.dir / "mine.yaml").write_text("")
        self.assertEqual(self.complete(root, "tamc", "mi"), ["mine.yaml"])
        if shutil.which("zsh"):
            self.zsh(share)

    def complete(self, root, program, *words):
        """What bash offers for the last of the words."""
        file = root / "usr/share/bash-completion/completions" / program
        function = "_" + program.replace("-", "_")
        text = " ".join(f"'{word}'" for word in (program, *words))
        out = self.succeed("bash", "--norc", "-c", f"""
            source {file}
            COMP_WORDS=({text}) COMP_CWORD={len(words)}
            {function}
            printf '%s\\n' "${{COMPREPLY[@]-}}" """)
        return sorted(out.split())

    def zsh(self, share):
        """zsh reads each file as one call of _arguments."""
        for tool in TOOLS:
            file = share / "zsh" / "vendor-completions" / f"_{tool}"
            out = self.succeed("zsh", "-f", "-c",
                               "_arguments() { print -rl -- $@ }; "
                               f"source {file}")
            self.assertEqual(file.read_text().splitlines()[0],
                             f"#compdef {tool}")
            self.assertIn("\n*:file:_files\n", "\n" + out)


if __name__ == "__main__":
    harness.main()
