# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each check of tools/ci fails on a tree that breaks its rule, and passes on
the same tree without the break."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CI = pathlib.Path(__file__).resolve().parents[2] / "tools" / "ci"
HEAD = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"

# A tree in which every include is allowed.
GOOD = {
    "include/tamrt/abi.h": '#include <stdint.h>\n#include "tamrt/kernels.def"\n'
                           '#include "tamrt/steps.def"\n',
    "include/tamrt/kernels.def": "\n",
    "include/tamrt/steps.def": "\n",
    "include/tamrt/memory/Bfc.h": "#include <vector>\n",
    "include/tamc/Planning/Problem.h": "#include <vector>\n",
    "include/tamc/Spec/ModelSpec.h": '#include "llvm/ADT/StringRef.h"\n',
    "compiler/Planning/Bfc.cpp": '#include "tamc/Planning/Problem.h"\n'
                                 '#include "tamrt/memory/Bfc.h"\n',
    "compiler/Spec/Spec.cpp": '#include "tamc/Spec/ModelSpec.h"\n'
                              '#include "tamrt/abi.h"\n',
    "include/tamc/Target/Target.h": "\n",
    "compiler/Target/Cpu/Cpu.h": '#include "tamc/Target/Target.h"\n',
    "compiler/Target/All/All.cpp": '#include "../Cpu/Cpu.h"\n',
    "runtime/core/run.h": '#include "tamrt/abi.h"\n',
    "runtime/memory/arena.h": '#include "tamrt/abi.h"\n',
    "runtime/backends/cuda/cuda.cpp": '#include "core/run.h"\n'
                                      '#include "cuda.h"\n',
    "runtime/backends/cuda/cuda.h": '#include "memory/arena.h"\n',
    "test/unit/backends/cuda/test.cpp": '#include "backends/cuda/cuda.h"\n',
    "runtime/io/csv.h": '#include "core/run.h"\n',
    "tools/tamc/tamc.cpp": '#include "tamc/Spec/ModelSpec.h"\n'
                           '#include "llvm/Support/CommandLine.h"\n',
}

# One include each that some rule forbids.
FORBIDDEN = [
    ("compiler/Planning/a.cpp", '"llvm/ADT/StringRef.h"', "planning"),
    ("include/tamc/Planning/a.h", "<mlir/IR/Value.h>", "planning"),
    ("compiler/Planning/a.cpp", '"core/run.h"', "meet only"),
    ("runtime/io/a.cpp", '"llvm/ADT/StringRef.h"', "runtime"),
    ("runtime/io/a.cpp", '"tamc/Spec/ModelSpec.h"', "runtime"),
    ("include/tamrt/tamrt.h", "<mlir-c/IR.h>", "runtime"),
    ("runtime/memory/a.h", '"core/run.h"', "memory"),
    ("runtime/memory/a.h", '"../core/run.h"', "memory"),
    ("compiler/Spec/a.cpp", '"tamrt/memory/Bfc.h"', "meet only"),
    ("compiler/Spec/a.cpp", '"../../runtime/io/csv.h"', "meet only"),
    ("compiler/Spec/a.cpp", '"tamrt/missing.h"', "meet only"),
    ("runtime/plot/a.h", '"core/run.h"', "plot"),
    ("runtime/core/a.h", '"backends/cuda/cuda.h"', "backend"),
    ("runtime/backends/torch/a.cpp", '"backends/cuda/cuda.h"', "backend"),
    ("runtime/backends/torch/a.cpp", '"io/csv.h"', "backend"),
    ("test/unit/backends/torch/a.cpp", '"backends/cuda/cuda.h"', "backend"),
    ("test/unit/core/a.cpp", '"backends/cuda/cuda.h"', "backend"),
    ("compiler/Spec/a.cpp", '"Target/Cpu/Cpu.h"', "target"),
    ("compiler/Target/Gpu/a.cpp", '"../Cpu/Cpu.h"', "target"),
    ("tools/tamc/a.cpp", '"core/run.h"', "tools"),
    ("include/tamrt/abi.h", "<vector>", "libc"),
    ("compiler/Conversion/TamRowsToLoops/x.cpp",
     '"mlir/Dialect/LLVMIR/LLVMDialect.h"', "writes the LLVM dialect"),
]


def write(root, files):
    for name, text in files.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def check(name, root):
    return subprocess.run([sys.executable, str(CI / name), str(root)],
                          capture_output=True, text=True, check=False)


class Includes(unittest.TestCase):
    def test_allowed(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, GOOD)
            run = check("check-includes", root)
            self.assertEqual(run.returncode, 0, run.stderr)

    def test_forbidden(self):
        for path, header, word in FORBIDDEN:
            with self.subTest(path=path, header=header), \
                    tempfile.TemporaryDirectory() as root:
                write(root, GOOD | {path: f"\n  #  include {header}\n"})
                run = check("check-includes", root)
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertIn(f"{path}:2: error: ", run.stderr)
                self.assertIn(word, run.stderr)
                self.assertEqual(len(run.stderr.splitlines()), 1)

    def test_ops_of_the_llvm_dialect(self):
        for code, count in (("LLVM::GlobalOp::create(builder, loc);", 1),
                            ("builder.create<mlir::LLVM::CallOp>(loc);", 1),
                            ("module.lookupSymbol<LLVM::LLVMFuncOp>(a);", 0)):
            for path, allowed in (("compiler/Emit/a.cpp", False),
                                  ("compiler/Conversion/TamKToLLVM/a.cpp",
                                   True)):
                with self.subTest(code=code, path=path), \
                        tempfile.TemporaryDirectory() as root:
                    write(root, GOOD | {path: f"\n{code}\n"})
                    run = check("check-includes", root)
                    expected = [] if allowed or not count else [
                        f"{path}:2: error: only compiler/Conversion/TamKToLLVM "
                        "writes the LLVM dialect"]
                    found = [line for line in run.stderr.splitlines()
                             if ": error: " in line]
                    self.assertEqual(found, expected)
                    self.assertEqual(run.returncode, int(bool(expected)))

    def test_folders_that_include_each_other(self):
        trees = [
            {"runtime/core/run/a.h": '#include "core/device/b.h"\n',
             "runtime/core/device/b.h": '#include "core/run/a.h"\n'},
            {"runtime/core/run/a.h": '#include "core/data/b.h"\n',
             "runtime/core/data/b.h": '#include "core/model/c.h"\n',
             "runtime/core/model/c.h": '#include "core/run/a.h"\n'},
            {"include/tamc/Spec/a.h": '#include "tamc/Emit/b.h"\n',
             "include/tamc/Emit/b.h": "",
             "compiler/Spec/a.h": "",
             "compiler/Emit/b.cpp": '#include "../Spec/a.h"\n'},
        ]
        for tree in trees:
            with self.subTest(tree=tree), \
                    tempfile.TemporaryDirectory() as root:
                write(root, GOOD | tree)
                run = check("check-includes", root)
                self.assertEqual(run.returncode, 1, run.stderr)
                includes = sum(1 for text in tree.values() if text)
                self.assertEqual(
                    run.stderr.count("folders include each other"), includes,
                    run.stderr)

    def test_empty_tree(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(check("check-includes", root).returncode, 1)


class Callers(unittest.TestCase):
    GOOD = {
        "include/tamrt/memory/Cache.h":
            "namespace tamrt {\n"
            "struct Source {\n"
            "  virtual void *take(size_t bytes = size_t(1)) = 0;\n"
            "};\n"
            "class Cache final : public Source {\n"
            "public:\n"
            "  Cache();\n"
            "  ~Cache();\n"
            "  Cache &operator=(const Cache &) = delete;\n"
            "  void *take(size_t bytes) override;\n"
            "  void give() { empty(); }\n"
            "  std::function<void(int)> visitor;\n"
            "private:\n"
            "  void empty();\n"
            "  class Implementation;\n"
            "};\n"
            "int total();\n"
            "} // namespace tamrt\n",
        "runtime/memory/Cache.cpp":
            '#include "tamrt/memory/Cache.h"\n'
            "void *Cache::take(size_t n) { return below->take(n); }\n"
            "void Cache::empty() { other.give(); }\n"
            "int tamrt::total() { return total(); }\n",
        "runtime/core/user.h": '#include "tamrt/memory/Cache.h"\n',
        "runtime/core/user.cpp":
            '#include "user.h"\n'
            "void use(Source &source) { source.take(2); }\n"
            "void use(Cache *cache) { cache->give(); }\n"
            "int sum() { return total(); }\n",
    }
    HEADER, USER = "include/tamrt/memory/Cache.h", "runtime/core/user.cpp"
    # Changes of a file that break the rule, by the name in the message.
    BAD = [
        ("'Source::take'", USER, "source.take(2)", "take(2)"),
        ("'Cache::give'", USER, "cache->give();", "// cache->give();"),
        ("'Cache::give'", USER, "->give()", '->log("cache.give()")'),
        ("'Cache'", USER, "Cache *cache", "auto *cache"),
        ("'total'", USER, "return total()", "return cache.total()"),
        ("'Cache::peak'", HEADER, "  Cache();", "  size_t\n  peak() const;"),
        ("'Source::trim'", HEADER, "= 0;", "= 0;\n  static void trim();"),
        ("'limit'", HEADER, "int total();", "int total(), y = 0;\n"
                                            "std::vector<int> limit(int x);"),
    ]

    def test_both(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, self.GOOD)
            run = check("check-callers", root)
            self.assertEqual(run.returncode, 0, run.stderr)
        for word, path, old, new in self.BAD:
            with self.subTest(word=word, new=new), \
                    tempfile.TemporaryDirectory() as root:
                text = self.GOOD[path]
                self.assertIn(old, text)
                write(root, self.GOOD | {path: text.replace(old, new)})
                run = check("check-callers", root)
                self.assertEqual(run.returncode, 1, run.stdout)
                self.assertIn(word, run.stderr)
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)

    def test_calls_that_do_not_count(self):
        call = "void use(Cache *cache) { cache->give(); }\n"
        without = {self.USER: self.GOOD[self.USER].replace(call, "Cache *a;")}
        for path, include in (("test/unit/user.cpp", '"core/user.h"'),
                              ("runtime/core/other.cpp", '"core/none.h"')):
            with self.subTest(path), tempfile.TemporaryDirectory() as root:
                write(root, self.GOOD | without
                      | {path: f"#include {include}\n{call}"})
                run = check("check-callers", root)
                self.assertEqual(run.returncode, 1, run.stdout)
                self.assertIn("'Cache::give'", run.stderr)

    def test_empty_tree(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(check("check-callers", root).returncode, 1)


class Format(unittest.TestCase):
    def test_both(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, {".clang-format": "BasedOnStyle: LLVM\n",
                         "a.cpp": "int f() { return 1; }\n"})
            run = check("check-format", root)
            self.assertEqual(run.returncode, 0, run.stderr)
            write(root, {"b.h": "int  f( );\n"})
            run = check("check-format", root)
            self.assertEqual(run.returncode, 1)
            self.assertIn("b.h:1", run.stderr)


class Files(unittest.TestCase):
    def test_each_rule(self):
        bad = {
            "at most": HEAD + "//\n" * 800,
            "blanks": HEAD + "int a; \n",
            "tab": HEAD + "\tint a;\n",
            "newline": HEAD + "int a;",
            "conflict": HEAD + "<" * 7 + " HEAD\n",
            "SPDX": "int a;\n",
        }
        with tempfile.TemporaryDirectory() as root:
            write(root, {"a.cpp": HEAD + "//\n" * 799})
            run = check("check-files", root)
            self.assertEqual(run.returncode, 0, run.stderr)
            for word, text in bad.items():
                with self.subTest(word):
                    write(root, {"a.cpp": text})
                    run = check("check-files", root)
                    self.assertEqual(run.returncode, 1)
                    self.assertIn(word, run.stderr)

    def test_names_of_machines(self):
        for folder, is_bad in (("compiler/Emit", True), ("include/tamc", True),
                               ("compiler/Target/Cpu", False),
                               ("compiler/Planning", False),
                               ("runtime/kernels", False)):
            with self.subTest(folder), tempfile.TemporaryDirectory() as root:
                write(root, {f"{folder}/a.cpp": HEAD + "// For AVX-512.\n"
                                                "int prefix86, approx;\n"})
                run = check("check-files", root)
                self.assertEqual(run.returncode, is_bad, run.stderr)
                self.assertEqual("'AVX'" in run.stderr, is_bad)

    def test_package_without_a_reason(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, {"tools/packages.txt": "cmake # builds\nninja\n",
                         "docs/dependencies.md": "`cmake` builds\n"})
            run = check("check-files", root)
            self.assertEqual(run.returncode, 1)
            self.assertIn("'ninja'", run.stderr)
            self.assertNotIn("'cmake'", run.stderr)


class Constraints(unittest.TestCase):
    GOOD = {
        "include/tamc/Ops.td": "    * (gram_c1) the sizes match.\n",
        "compiler/Ops.cpp": "  if (a != b) // gram_c1\n",
        "test/invalid.mlir": "// gram_c1: rows.\n// expected-error\n",
    }
    # Violations of the rule, by a word of the message.
    BAD = [
        ("verifier", {"compiler/Ops.cpp": "int gram_c1;\n"}),
        ("negative test", {"test/invalid.mlir": "// gram_c1\n"}),
        ("negative test", {
            "test/invalid.mlir": "// gram_c1\n// -----\n// expected-error\n"}),
        ("twice", {"include/tamc/Types.td": "* (gram_c1) again.\n"}),
        ("'gram_c2'", {"compiler/More.cpp": "// gram_c2\n"}),
        ("'gram_c2'", {
            "test/more.mlir": "func.func @gram_c2_rows() // expected-error\n"}),
    ]

    def test_both(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, self.GOOD)
            run = check("check-constraints", root)
            self.assertEqual(run.returncode, 0, run.stderr)
        for word, files in self.BAD:
            with self.subTest(word=word, files=files), \
                    tempfile.TemporaryDirectory() as root:
                write(root, self.GOOD | files)
                run = check("check-constraints", root)
                self.assertEqual(run.returncode, 1, run.stdout)
                self.assertIn(word, run.stderr)
                self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)


if __name__ == "__main__":
    unittest.main()
