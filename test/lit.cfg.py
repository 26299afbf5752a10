# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Configuration of the lit suites: test/Conversion, test/Dialect, test/Reference,
# test/tools and whatever folder joins them.
# lit.site.cfg.py, written by CMake, sets the directories and loads this file.
#
# Substitutions, beside lit's own (%s, %S, %t, ...):
#   %tamc, %tam-opt, %tam-plan   the tools, also reachable by their bare names
#   %mlir-opt                    MLIR's stock mlir-opt of the same version
#   %plugin-opt                  the same with our passes and dialects loaded
#   %run-loops                   compares row loops, run by mlir-runner, with the
#                                interpreter (test/Reference/run_loops.py)
#   %lower, %run-main            to the LLVM dialect, and mlir-runner on @main
#   %bin, %src, %obj             build/bin, the source tree, the build tree
#   %data, %examples             test/golden/data and examples
#   %python                      the Python that CMake found

import os

import lit.formats

config.name = "tamc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".yaml", ".test"]
# Inputs are files that tests read; the other folders have their own runners.
config.excludes = ["Inputs", "unit", "cts", "data", "fuzz", "golden",
                   "integration", "support"]
config.test_source_root = os.path.join(config.tamc_source_dir, "test")
config.test_exec_root = os.path.join(config.tamc_binary_dir, "test", "lit")

bin_dir = os.path.join(config.tamc_binary_dir, "bin")
path = [bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "CC",
             "TMPDIR", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

if not config.sanitize:
    config.environment["GLIBC_TUNABLES"] = config.tunables

plugin = os.path.join(config.tamc_binary_dir, "lib", "TamPasses.so")
plugin_opt = "%s --load-dialect-plugin=%s --load-pass-plugin=%s" % (
    os.path.join(config.llvm_tools_dir, "mlir-opt"), plugin, plugin)
runner = os.path.join(config.llvm_tools_dir, "mlir-runner")
if config.sanitize:
    # The stock tools are not linked with a sanitizer, so ours must be loaded
    # first.
    preload = "env LD_PRELOAD=%s ASAN_OPTIONS=%s " % (
        config.asan_runtime, "allow_user_poisoning=0:detect_leaks=0")
    plugin_opt = preload + plugin_opt
    runner = preload + runner
run_loops = '%s %s --library=%s --runner="%s"' % (
    config.python,
    os.path.join(config.test_source_root, "Reference", "run_loops.py"),
    os.path.join(config.tamc_binary_dir, "test", "lib", "libtamrt-driven.so"),
    runner)

# From memrefs and structured control flow to the LLVM dialect, and a run of
# @main with what it prints.
lower = plugin_opt + (
    " --pass-pipeline='builtin.module("
    "func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,"
    "async-to-async-runtime,async-runtime-ref-counting,convert-async-to-llvm,"
    "convert-scf-to-cf,convert-vector-to-llvm,convert-complex-to-llvm,"
    "convert-math-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
    "reconcile-unrealized-casts)'")
run_main = runner + (
    " -e main -entry-point-result=void --shared-libs=%s" % (
    ",".join(os.path.join(config.llvm_tools_dir, "..", "lib",
                          "libmlir_%s.so" % name)
             for name in ("c_runner_utils", "runner_utils",
                          "async_runtime"))))

for name, value in (
    ("%lower", lower),
    ("%run-main", run_main),
    ("%tamc", os.path.join(bin_dir, "tamc")),
    ("%tam-opt", os.path.join(bin_dir, "tam-opt")),
    ("%tam-plan", os.path.join(bin_dir, "tam-plan")),
    ("%mlir-opt", os.path.join(config.llvm_tools_dir, "mlir-opt")),
    ("%plugin-opt", plugin_opt),
    ("%run-loops", run_loops),
    ("%bin", bin_dir),
    ("%src", config.tamc_source_dir),
    ("%obj", config.tamc_binary_dir),
    ("%data", os.path.join(config.test_source_root, "golden", "data")),
    ("%examples", os.path.join(config.tamc_source_dir, "examples")),
    ("%python", config.python),
):
    # A substitution never matches the head of a longer word: %src, not %srcs.
    config.substitutions.append((name + r"(?![\w-])", value))

if config.sanitize:
    config.available_features.add("sanitizer")
