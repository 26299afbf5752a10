# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The executables that a test program has compiled, for its further tests:
many of them need the same model, and compiling one takes longer than running
it. tamc writes the same bytes for the same input (integration.determinism)."""

import atexit
import pathlib
import shutil
import tempfile

# Executables that are kept, at most: those that were used last.
MOST = 32
# Options that only choose the code, and cause no other output. Models compiled
# with others, and with options that name files, are not shared.
SHARED = ("--block-limit=", "--dense", "--device-steps=", "--fuse-rows=",
          "--join-pairs=", "--mcpu=", "--merge-columns=", "--min-cg=", "--panels=", "--reuse=",
          "--row-words=", "--small-block-limit=", "--solver=",
          "--table-operands=")

_folder = None
# File by name, text of the spec, and options.
_files = {}
_made = 0


def make(spec, options, executable, run):
    """Makes an executable from a spec: by `run`, or by a copy of one that was
    made with the same name, spec and options."""
    global _folder, _made
    # A process may run the one that is there (forked.py).
    executable.unlink(missing_ok=True)
    if not all(str(option).startswith(SHARED) for option in options):
        run()
        return
    key = executable.name, spec.read_text(), tuple(map(str, options))
    if file := _files.pop(key, None):
        _files[key] = file
        shutil.copy(file, executable)
        return
    run()
    if not _folder:
        _folder = pathlib.Path(tempfile.mkdtemp(prefix="tamc-compiled-"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    if len(_files) == MOST:
        _files.pop(next(iter(_files))).unlink()
    _made += 1
    _files[key] = shutil.copy(executable, _folder / str(_made))
