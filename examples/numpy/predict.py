#!/usr/bin/env python3
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""predict.py WEIGHTS NEW.csv: what `model predict` predicts, from the weights
file alone (docs/weights-format.md). Knows the terms l, f, s, p and c."""
import ast, csv, json, struct, sys, zlib  # noqa: E401
import numpy as np


def read(path):  # metadata and tensors
    data = open(path, "rb").read()
    end = 8 + struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8:end])
    meta = header.pop("__metadata__")
    zeroed = data.replace(meta["checksum"].encode(), b"crc32:00000000", 1)
    assert meta["checksum"] == f"crc32:{zlib.crc32(zeroed):08x}", "damaged"
    kinds = {"F64": "<f8", "I32": "<i4"}
    return meta, {name: np.frombuffer(
        data[end:][slice(*t["data_offsets"])], kinds[t["dtype"]]).reshape(
            t["shape"]) for name, t in header.items()}


def fourier(x, m, cyclic=False):
    angles = np.outer(x, np.arange(1, m + 1) * np.pi / (1 if cyclic else 2))
    return np.hstack([np.cos(angles), np.sin(angles)])


def spline(x, knots, k=10, deg=3):
    x = np.clip(x, knots[0], knots[1] - 1e-6)[:, None]
    t = np.r_[[knots[0]] * deg, np.linspace(*knots, k + 1), [knots[1]] * deg]
    basis = ((t[:-1] <= x) & (x < t[1:])).astype(float)
    for d in range(1, deg + 1):
        gap = t[d:] - t[:-d]
        up = np.where(gap > 1e-8, (x - t[:-d]) / np.maximum(gap, 1e-8), 0)
        down = np.where(gap > 1e-8, (t[d:] - x) / np.maximum(gap, 1e-8), 0)
        basis = up[:, :-1] * basis[:, :-1] + down[:, 1:] * basis[:, 1:]
    return basis


def beyond(phi, mode, x):  # docs/math.md section 3
    inside = np.clip(x, -1, 1)
    step, r = 1e-5 * np.sign(x - inside), abs(x - inside)[:, None]
    slope = (phi(inside) - phi(inside - step)) / 1e-5
    return {"continue": lambda: phi(x), "constant": lambda: phi(inside),
            "linear": lambda: phi(inside) + r * slope, "saturation": lambda:
            phi(inside) + slope * (1 - np.exp(-2 * r)) / 2}[mode]()


def columns_of(effect, inputs, ranges, knots, rows):  # of the design matrix
    call = ast.parse(effect["term"], mode="eval").body
    kind, name, n = call.func.id.lower(), call.args[0].id, effect["columns"]
    key = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    levels = kind == "c" and "n_cat" not in key
    i, = [i for i, each in enumerate(inputs) if each["column"] == name
          and bool(each["levels"]) == levels]  # a column has one rule here
    if levels:
        number = float if inputs[i]["numeric"] else str
        found = [number(level) for level in inputs[i]["levels"]]
        return np.eye(n)[[found.index(number(row[name])) for row in rows]]
    x = np.array([float(row[name]) for row in rows])
    x = (x - ranges[:, i, 0]) / ranges[:, i, 1]
    if kind == "c":
        last = key["n_cat"] - 1
        code = np.clip(np.round((x + 1) / 2 * last), 0, last)
        return (fourier(2 * code / last - 1, n // 2) if key.get("topo")
                == "fourier" else np.eye(n)[code.astype(int)])
    phi, mode = {
        "l": (lambda x: key.get("scaled", np.pi) * x[:, None], "continue"),
        "f": (lambda x: fourier(x, n // 2, key.get("cyclic")), "continue"),
        "s": (lambda x: spline(x, knots[i], **{
            k: key[k] for k in ("k", "deg") if k in key}), "linear"),
        "p": (lambda x: np.polynomial.chebyshev.chebvander(x, n)[:, 1:],
              "saturation")}[kind]
    return beyond(phi, key.get("extrapolate", mode), x)


def predict(weights, new):
    meta, tensors = read(weights)
    rows = list(csv.DictReader(open(new, newline="")))
    effects, groups, inputs, names = (json.loads(meta[key]) for key in (
        "effects", "groups", "inputs", "columns"))
    g = [groups.index(row[names["group"]]) if names["group"] else 0
         for row in rows]
    beta, ranges = tensors["coefficients"][g], tensors["ranges"][g]
    return beta[:, 0] + sum(
        (columns_of(each, inputs, ranges, tensors["knots"], rows) * beta[
            :, each["first"]:each["first"] + each["columns"]]).sum(1)
        for each in effects[1:])


if __name__ == "__main__":
    np.savetxt(sys.stdout, predict(*sys.argv[1:]), "%.17g")
