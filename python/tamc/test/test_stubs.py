#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stubs declare the functions, classes and parameters that the extensions
have. (mypy's stubtest does not know nanobind's functions.)"""

import ast
import importlib
import pathlib
import re
import unittest

from test_model import tamc


def parameters(function):
    """Names of parameters, without self."""
    names = [each.arg for each in
             function.args.posonlyargs + function.args.args]
    return [name for name in names if name != "self"]


def declared(path):
    """The parameters of each function and method of a stub."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = parameters(node)
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                found[f"{node.name}.{method.name}"] = parameters(method)
    return found


def defined(module):
    """The same of an extension, by the signatures that nanobind keeps."""
    found = {}

    def add(name, function):
        (text, *_), = function.__nb_signature__
        text = re.sub(r"ndarray\[[^\]]*\]", "Any", text)
        found[name] = parameters(ast.parse(f"{text}: ...").body[0])

    for name, value in vars(module).items():
        if hasattr(value, "__nb_signature__"):
            add(name, value)
        elif isinstance(value, type):
            for method, function in vars(value).items():
                if isinstance(function, staticmethod):
                    function = function.__func__
                if hasattr(function, "__nb_signature__"):
                    add(f"{name}.{method}", function)
    return found


class Stubs(unittest.TestCase):
    def test_extensions(self):
        folder = pathlib.Path(tamc.__file__).parent
        for name in ("_engine", "_compiler"):
            with self.subTest(extension=name):
                module = importlib.import_module(f"tamc.{name}")
                wanted = defined(module)
                self.assertGreater(len(wanted), 1)
                self.assertEqual(declared(folder / f"{name}.pyi"), wanted)


if __name__ == "__main__":
    unittest.main()
