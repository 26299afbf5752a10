# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the golden numbers."""

import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from harness import DATA, EXAMPLE, read_csv  # noqa: E402
from reference import formula  # noqa: E402

# The cases of effects.json.
EFFECTS = (
    "linear", "spline_default", "spline_sat", "spline_const", "fourier",
    "fourier_linear_ood", "cat_nominal", "cat_ordinal", "cat_fourier", "cheb",
    "wavelet", "pid", "neural_relu", "neural_cos_2l", "tree_uniform",
    "tree_quantile", "tree_nary", "lt", "te", "te3", "phys_spline",
    "phys_fourier", "rbf_matern")

# docs/math.md section 6. The matrix of the model has condition number 2.5e6,
# and the published coefficients have the rounding errors of the program that
# computed them: they differ from the exact solution of the same equations by up
# to 1.1e-10 of the largest coefficient, but two small ones by 1.1e-9 of
# themselves.
AIRPASSENGERS_BETA = (
    4.838146028999804, 1.321831162210237, -1.170010350758048,
    .917551951371418, -.554832652423238, .238219859373828, -.053956526725354,
    .054376225156342, -.07735090835473, .089764729079001, -.061963409090091,
    .035584231601202, -.008526945607111, .22231993879604)
# First and last row of training, of the rows scored, MAPE in per cent.
AIRPASSENGERS_MAPE = (((0, 119), (120, 143), "3.8269"),
                      ((0, 83), (0, 83), "5.3198"),
                      ((0, 83), (84, 95), "3.8221"),
                      ((0, 83), (96, 119), "4.0966"))


def airpassengers_formula():
    for line in (EXAMPLE / "airpassengers.yaml").read_text().splitlines():
        if line.startswith("formula: "):
            return line[len("formula: "):]
    raise ValueError("airpassengers.yaml has no formula")


def airpassengers_rows(first, last, drop_missing=False):
    """Rows first..last, both included; without those that lack the lag."""
    rows = read_csv(EXAMPLE / "airpassengers.csv")[first:last + 1]
    return [row for row in rows
            if row["lag_log_passengers"] or not drop_missing]


def mape(rows, predictions):
    """Mean absolute percentage error of exp(prediction), four digits."""
    errors = []
    for row, prediction in zip(rows, predictions, strict=True):
        truth = math.exp(float(row["log_passengers"]))
        errors.append(abs(math.exp(prediction) - truth) / truth)
    return f"{100 * math.fsum(errors) / len(errors):.4f}"


def effect_case(name):
    """A case of effects.json, with the paths `train` and `test`."""
    cases = json.loads((DATA / "effects" / "effects.json").read_text())
    case = cases[name]
    for split in ("train", "test"):
        case[split] = DATA / "effects" / f"{split}_G{case['groups']}.csv"
    return case


def first_effect(case):
    """The name of the effect with a case's state."""
    return formula.effect_names(formula.parse(case["formula"])[1])[1]


def given_state(case):
    """The part of a case's state that must be given to a model, as {effect:
    {table: rows}}: no rule of docs/math.md draws these centres."""
    if "centers" not in case["state"]:
        return {}
    return {first_effect(case): {"centers": case["state"]["centers"]}}


def national_rows(name):
    """The case and the rows."""
    folder = DATA / "national"
    case = json.loads((folder / f"{name}.json").read_text())
    return case, read_csv(folder / "national_sub.csv")


def national(name):
    """The case, the rows, and the predictions in their order."""
    case, rows = national_rows(name)
    predictions = [float(row["pred"]) for row in
                   read_csv(DATA / "national" / f"{name}.pred.csv")]
    return case, rows, predictions


def inference(name):
    """The case, and the standard errors of the predictions of national rows in
    their order."""
    folder = DATA / "inference"
    case = json.loads((folder / f"{name}.json").read_text())
    return case, [float(row["se"])
                  for row in read_csv(folder / f"{name}.se.csv")]


def reml(name):
    """The case, and the rows by split."""
    case = json.loads((DATA / "inference" / f"{name}.json").read_text())
    if name == "reml_small":
        return case, {"train": read_csv(DATA / "inference" / "small.train.csv"),
                      "test": read_csv(DATA / "effects" / "test_G1.csv")}
    rows = read_csv(DATA / "national" / "national_sub.csv")
    return case, {split: [row for row in rows if row["split"] == split]
                  for split in ("train", "test")}


def rmse(rows, predictions, target):
    errors = [(float(row[target]) - prediction) ** 2
              for row, prediction in zip(rows, predictions, strict=True)]
    return math.sqrt(math.fsum(errors) / len(errors))
