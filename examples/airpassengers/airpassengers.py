#!/usr/bin/env python3
#
# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts rows out of a CSV file and scores forecasts of log_passengers.

usage: airpassengers.py rows FILE FIRST LAST
       airpassengers.py mape TRUTH FORECAST

`rows` prints the header and the data rows FIRST..LAST, counted from 0, both
included. `mape` prints the mean absolute percentage error of
exp(prediction) against exp(log_passengers), row by row, with four digits.
"""

import csv
import math
import sys


def rows(path, first, last):
    with open(path) as file:
        lines = file.read().splitlines()
    if not 0 <= first <= last < len(lines) - 1:
        sys.exit(f"{path}: expected rows within 0..{len(lines) - 2}, "
                 f"got {first}..{last}")
    print("\n".join([lines[0]] + lines[1 + first:2 + last]))


def mape(truth, forecast):
    def column(path, name):
        with open(path, newline="") as file:
            return [math.exp(float(row[name])) for row in csv.DictReader(file)]

    expected = column(truth, "log_passengers")
    got = column(forecast, "prediction")
    if len(expected) != len(got) or not got:
        sys.exit(f"expected {len(expected)} forecasts, got {len(got)}")
    errors = [abs(e - g) / e for e, g in zip(expected, got)]
    print(f"{100 * sum(errors) / len(errors):.4f}")


def main(arguments):
    if len(arguments) == 4 and arguments[0] == "rows":
        rows(arguments[1], int(arguments[2]), int(arguments[3]))
    elif len(arguments) == 3 and arguments[0] == "mape":
        mape(arguments[1], arguments[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
