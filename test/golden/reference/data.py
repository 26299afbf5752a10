# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups, their order, and normalised inputs (docs/math.md section 2)."""

import csv
import datetime


def read_csv(path):
    """The rows of a CSV file, as dicts of texts."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def order_groups(names):
    try:
        return sorted(names, key=float)
    except ValueError:
        return sorted(names, key=str.encode)


def _date(text):
    """A date as a number that orders it."""
    try:
        return float(text)
    except ValueError:
        date = datetime.datetime.fromisoformat(text)
    if date.tzinfo is None:
        date = date.replace(tzinfo=datetime.timezone.utc)
    return date.timestamp()


def group_rows(rows, group, date):
    """Row indices of each group, groups in order, rows by date, stably."""
    members = {}
    for index, row in enumerate(rows):
        members.setdefault(row[group] if group else "", []).append(index)
    if date:
        for indices in members.values():
            indices.sort(key=lambda index: _date(rows[index][date]))
    return {name: members[name] for name in order_groups(members)}


class Input:
    """A feature, normalised by a range of values per group."""

    def __init__(self, feature, ranges):
        self.feature = feature
        self.scales = {}
        for name, (lo, hi) in ranges.items():
            centre, half = (lo + hi) / 2, ((hi - lo) or 1.0) / 2
            farther = max(hi - centre, centre - lo)
            if farther > half * (1 + 2.0 ** -30):
                half = farther
            self.scales[name] = (centre, half)

    def column(self, rows, group):
        centre, half = self.scales[group]
        return [(float(row[self.feature]) - centre) / half for row in rows]


def _values(training, feature):
    return {name: [float(row[feature]) for row in rows]
            for name, rows in training.items()}


def plain_input(training, feature):
    """Normalised by the group's training range."""
    return Input(feature, {name: (min(values), max(values)) for name, values
                           in _values(training, feature).items()})


def period_input(training, feature, period):
    """Normalised by a period: (lo, hi) or 'auto'."""
    if period == "auto":
        # Choice: the distinct values in ascending order ("first distinct" is
        # not the first row's), the rounded ones, and one range for all groups.
        distinct = sorted({round(value, 10) for values
                           in _values(training, feature).values()
                           for value in values})
        if len(distinct) == 1:
            return plain_input(training, feature)
        gap = min(b - a for a, b in zip(distinct, distinct[1:]))
        period = (distinct[0], distinct[-1] + gap)
    return Input(feature, {name: period for name in training})


def code_input(training, feature, n):
    """Normalised so that codes correspond to the levels 0 .. n-1."""
    ranges = {}
    for name, values in _values(training, feature).items():
        lo, hi = min(values), max(values)
        if all(value == round(value) for value in values):
            lo, hi = (0, n - 1) if hi <= n - 1 else (lo, lo + n - 1)
        ranges[name] = (lo, hi)
    return Input(feature, ranges)


class Levels:
    """A feature whose distinct training values are numbered in order. The
    coordinate is that of the number among n, so that rounding gives the number;
    for a value unseen in training it may be the text "mean" or "zero"
    instead."""

    def __init__(self, training, feature, n, unseen):
        self.feature, self.unseen = feature, unseen
        texts = {row[feature] for rows in training.values() for row in rows}
        try:
            self.levels = sorted({float(text) for text in texts})
            self.read = float
        except ValueError:
            self.levels = sorted(map(str, texts), key=str.encode)
            self.read = str
        self.n = n or len(self.levels)
        if len(self.levels) > self.n:
            raise ValueError(f"more than {self.n} levels: {self.levels}")

    def column(self, rows, group):
        return [self._coordinate(row[self.feature]) for row in rows]

    def _coordinate(self, text):
        try:
            value = self.read(text)
        except ValueError:
            value = None
        if value in self.levels:
            index = self.levels.index(value)
        elif self.unseen != "edge":
            return self.unseen
        elif isinstance(value, float):
            # Choice: of two nearest levels, the lower.
            index = min(range(len(self.levels)),
                        key=lambda i: (abs(self.levels[i] - value), i))
        else:
            index = len(self.levels) - 1
        return 2 * index / (self.n - 1) - 1 if self.n > 1 else 0.0
