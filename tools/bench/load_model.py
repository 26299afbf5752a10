# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The load model's formula and data, for the scripts in this folder:
half-hours of several years, 48 groups, D = 104."""

import datetime
import math
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORMULA = ("load ~ l(trend) + c(day, n_cat=7) + c(holiday, n_cat=2)"
           " + s(t1, k=20) + s(t2, k=20) + s(t3, k=20) + s(toy, k=20)"
           " + l(lag1)")
GROUPS = 48


def rows(days, seed):
    """Lines of the data: half-hours within days. The temperatures of three
    correlated stations are a slow random walk plus waves of day and year."""
    noise = random.Random(seed).random
    first = datetime.date(2015, 1, 1)
    weather = [0.0] * 3
    before = [50.0] * GROUPS
    for day in range(days):
        date = first + datetime.timedelta(days=day)
        of_year = date.timetuple().tm_yday
        year = 2 * math.pi * of_year / 366
        weekday = date.weekday()
        holiday = int(of_year in (1, 121, 128, 195, 227, 305, 315, 359))
        common = 4 * (noise() - 0.5)
        weather = [0.8 * w + common + (noise() - 0.5) for w in weather]
        for group in range(GROUPS):
            hour = 2 * math.pi * group / GROUPS
            t = [12 - 10 * math.cos(year) - 3 * math.cos(hour) + w
                 + 0.3 * (noise() - 0.5) for w in weather]
            load = (50 + 0.001 * day - 8 * math.cos(hour) + 6 * math.cos(year)
                    + sum(0.05 * max(15 - x, 0) ** 2 for x in t) / 3
                    - (5 if weekday > 4 else 0) - 6 * holiday
                    + 0.1 * before[group] + 2 * (noise() - 0.5))
            yield (f"{date},{group},{day / 365:.6f},{weekday},{holiday},"
                   f"{t[0]:.4f},{t[1]:.4f},{t[2]:.4f},{of_year},"
                   f"{before[group]:.4f},{load:.4f}\n")
            before[group] = load


def run(*command):
    done = subprocess.run([str(part) for part in command],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"error: {command[0]}: {done.stderr.strip()}")
    return done


def write_rows(path, days, seed):
    """Writes the data of so many days as CSV."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("date,g,trend,day,holiday,t1,t2,t3,toy,lag1,load\n")
        file.writelines(rows(days, seed))
