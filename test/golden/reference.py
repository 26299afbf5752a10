# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/math.md in plain loops, for the terms l, f, s, c and p.

An oracle that shares nothing with tamc: no vector library, no compiler, no
encoding beyond a list of (column, value) pairs. It is slow on purpose.
"""

import csv
import math
import re

EPS = 1e-5
FLOOR = 1e-6


def read_csv(path):
    """The rows of a CSV file, as dicts of texts."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


# The formula (docs/math.md section 1).


def _split(text, separator):
    """Splits at `separator` outside parentheses and quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == separator and depth == 0:
            parts.append("")
            continue
        else:
            depth += {"(": 1, ")": -1}.get(character, 0)
        parts[-1] += character
    return [part.strip() for part in parts]


def _value(text):
    if text[0] in "'\"":
        return text[1:-1]
    if text[0] == "(":
        return tuple(float(part) for part in text[1:-1].split(","))
    words = {"True": True, "False": False, "None": None}
    if text in words:
        return words[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


DEFAULTS = {
    "l": dict(scaled=math.pi, extrapolate="continue"),
    "f": dict(m=10, s=1, cyclic=False, period=None, extrapolate="continue"),
    "s": dict(k=10, deg=3, p=2, extrapolate="linear"),
    "c": dict(n_cat=None, topo="nominal", p_order=1, unseen="edge",
              extrapolate="continue"),
    "p": dict(deg=5, s=0, extrapolate="saturation"),
}


def parse(formula):
    """The target and the terms: dicts with kind, feature and parameters."""
    target, right = (part.strip() for part in formula.split("~"))
    terms = []
    for text in _split(right, "+"):
        if text == "1":
            continue
        name, arguments = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
        feature, *rest = _split(arguments, ",")
        term = dict(DEFAULTS[name.lower()], kind=name.lower(),
                    feature=feature, ap=-9)
        for argument in rest:
            key, value = argument.split("=", 1)
            if key.strip() not in term:
                raise ValueError(f"unknown parameter {key}")
            term[key.strip()] = _value(value.strip())
        terms.append(term)
    return target, terms


# Inputs (docs/math.md section 2).


def order_groups(names):
    try:
        return sorted(names, key=float)
    except ValueError:
        return sorted(names, key=str.encode)


def group_rows(rows, group, date):
    """Row indices of each group, groups in order, rows by date, stably."""
    members = {}
    for index, row in enumerate(rows):
        members.setdefault(row[group] if group else "", []).append(index)
    if date:
        for indices in members.values():
            indices.sort(key=lambda index: rows[index][date])
    return {name: members[name] for name in order_groups(members)}


def _range(values):
    return (min(values), max(values))


def _normaliser(bounds):
    lo, hi = bounds
    return ((lo + hi) / 2, ((hi - lo) or 1.0) / 2)


def _code_range(values, n):
    if any(value != round(value) for value in values):
        return _range(values)
    return (0, n - 1) if max(values) <= n - 1 else (min(values),
                                                    min(values) + n - 1)


# Feature maps and penalties (docs/math.md section 3). A row is a list of
# (column, value).


def _fourier(x, m, cyclic):
    step = math.pi * x if cyclic else math.pi * x / 2
    angles = [k * step for k in range(1, m + 1)]
    return ([(k, math.cos(a)) for k, a in enumerate(angles)]
            + [(m + k, math.sin(a)) for k, a in enumerate(angles)])


def _spline(x, k, degree, lo, hi):
    step = (hi - lo) / k
    knots = ([lo] * (degree + 1) + [lo + i * step for i in range(1, k)]
             + [hi] * (degree + 1))
    x = min(max(x, lo), hi - 1e-6)
    basis = [1.0 if knots[i] <= x < knots[i + 1] else 0.0
             for i in range(len(knots) - 1)]
    for d in range(1, degree + 1):
        def part(numerator, gap, value):
            return 0.0 if gap <= 1e-8 else numerator / gap * value
        basis = [part(x - knots[i], knots[i + d] - knots[i], basis[i])
                 + part(knots[i + d + 1] - x, knots[i + d + 1] - knots[i + 1],
                        basis[i + 1])
                 for i in range(len(basis) - 1)]
    return [(i, value) for i, value in enumerate(basis) if value]


def _chebyshev(x, degree):
    values = [1.0, x]
    while len(values) <= degree:
        values.append(2 * x * values[-1] - values[-2])
    return [(k - 1, values[k]) for k in range(1, degree + 1)]


def _onehot(x, n):
    # round() of Python rounds half to even, as docs/math.md asks.
    return [(min(max(round((x + 1) / 2 * (n - 1)), 0), n - 1), 1.0)]


def _differences(n, order):
    rows = [[(i, 1.0)] for i in range(n)]
    for _ in range(order):
        following = []
        for upper, lower in zip(rows, rows[1:]):
            row = dict(lower)
            for column, value in upper:
                row[column] = row.get(column, 0.0) - value
            following.append(sorted(row.items()))
        rows = following
    return rows


def _difference_penalty(n, order, scale):
    penalty = {}
    for row in _differences(n, order):
        for i, a in row:
            for j, b in row:
                penalty[i, j] = penalty.get((i, j), 0.0) + scale * a * b
    return penalty


class Effect:
    """A term with what it learnt from the training rows."""

    def __init__(self, term, rows, groups):
        self.term, self.kind = term, term["kind"]
        self.feature = term["feature"]
        scale = 10.0 ** term["ap"]
        values = {name: [float(rows[i][self.feature]) for i in indices]
                  for name, indices in groups.items()}
        self.levels = None
        self.n = None
        bounds = {name: _range(column) for name, column in values.items()}
        if self.kind == "c":
            self._categorical(values, bounds)
        elif self.kind == "f" and isinstance(term["period"], tuple):
            bounds = {name: term["period"] for name in values}
        self.normalisers = {name: _normaliser(bound)
                            for name, bound in bounds.items()}
        normalised = [self._normalise(value, name)
                      for name, column in values.items() for value in column]
        self.lo, self.hi = _range(normalised)
        if self.lo == self.hi:
            self.lo, self.hi = self.lo - 1e-3, self.hi + 1e-3

        if self.kind == "l":
            self.columns, self.penalty = 1, {(0, 0): scale}
        elif self.kind == "s":
            self.columns = term["k"] + term["deg"]
            self.penalty = _difference_penalty(self.columns, term["p"], scale)
        elif self.kind in "fp":
            degree = term["m"] if self.kind == "f" else term["deg"]
            half = [scale * (1 + k ** (2.0 * term["s"]))
                    for k in range(1, degree + 1)]
            diagonal = half * 2 if self.kind == "f" else half
            self.columns = len(diagonal)
            self.penalty = {(i, i): p for i, p in enumerate(diagonal)}
        elif term["topo"] == "fourier":
            self.columns = 2 * (self.n // 2 + self.n % 2)
            self.penalty = {(i, i): 2 * scale for i in range(self.columns)}
        else:
            self.columns = self.n
            order = term["p_order"] if term["topo"] == "ordinal" else 0
            self.penalty = _difference_penalty(self.n, order, scale)

    def _categorical(self, values, bounds):
        everything = [v for column in values.values() for v in column]
        self.n = self.term["n_cat"]
        if self.n is None and self.term["topo"] == "fourier":
            self.n = int(max(everything)) + 1
        if self.n is None:
            self.levels = sorted(set(everything))
            self.n = len(self.levels)
            return
        for name, column in values.items():
            bounds[name] = _code_range(column, self.n)

    def _normalise(self, value, group):
        centre, half = self.normalisers[group]
        return (value - centre) / half

    def _map(self, x):
        term = self.term
        if self.kind == "l":
            return [(0, term["scaled"] * x)]
        if self.kind == "f":
            return _fourier(x, term["m"], term["cyclic"])
        if self.kind == "s":
            return _spline(x, term["k"], term["deg"], self.lo, self.hi)
        if self.kind == "p":
            return _chebyshev(x, term["deg"])
        if term["topo"] == "fourier":
            return _fourier(x, self.columns // 2, False)
        return _onehot(x, self.n)

    def row(self, value, group):
        """The effect's part of the design row of one value."""
        if self.levels is not None:
            nearest = min(range(self.n),
                          key=lambda i: (abs(self.levels[i] - value), i))
            return [(nearest, 1.0)]
        x = self._normalise(value, group)
        border = min(max(x, -1.0), 1.0)
        distance = abs(x - border)
        mode = self.term["extrapolate"]
        if mode == "continue" or distance == 0:
            return self._map(x)
        inside = dict(self._map(border))
        if mode == "constant":
            return sorted(inside.items())
        back = dict(self._map(border - EPS * math.copysign(1, x)))
        reach = (distance if mode == "linear"
                 else (1 - math.exp(-2 * distance)) / 2)
        return [(i, inside.get(i, 0.0) + reach *
                 (inside.get(i, 0.0) - back.get(i, 0.0)) / EPS)
                for i in sorted(set(inside) | set(back))]


# Estimation (docs/math.md section 4).


def cholesky_solve(matrix, right):
    """Solves A x = b for a symmetric positive definite A, lower triangle
    given as rows; overwrites both."""
    n = len(right)
    for j in range(n):
        row_j = matrix[j]
        pivot = row_j[j] - sum(v * v for v in row_j[:j])
        if pivot <= 0:
            raise ArithmeticError(f"pivot {j} is {pivot}")
        row_j[j] = math.sqrt(pivot)
        head = row_j[:j]
        for i in range(j + 1, n):
            row_i = matrix[i]
            row_i[j] = (row_i[j] - sum(map(float.__mul__, row_i, head))
                        ) / row_j[j]
    for i in range(n):
        right[i] = (right[i] - sum(map(float.__mul__, matrix[i], right[:i]))
                    ) / matrix[i][i]
    for i in reversed(range(n)):
        right[i] = (right[i] - sum(matrix[j][i] * right[j]
                                   for j in range(i + 1, n))) / matrix[i][i]
    return right


class Model:
    """A model fitted to `rows` (dicts of texts)."""

    def __init__(self, formula, rows, group=None, date=None, weights=None):
        self.group, self.date = group, date
        self.target, terms = parse(formula)
        groups = group_rows(rows, group, date)
        self.effects = [Effect(term, rows, groups) for term in terms]
        self.first = [1]
        for effect in self.effects:
            self.first.append(self.first[-1] + effect.columns)
        self.columns = self.first.pop()
        self.coefficients = {
            name: self._solve([rows[i] for i in indices], name, weights)
            for name, indices in groups.items()}

    def sparse_row(self, row, name):
        cells = [(0, 1.0)]
        for first, effect in zip(self.first, self.effects):
            cells += [(first + i, value) for i, value in
                      effect.row(float(row[effect.feature]), name)]
        return cells

    def _solve(self, rows, name, weights):
        n, count = self.columns, float(len(rows))
        # A row of the lower triangle holds the columns up to the diagonal.
        matrix = [[0.0] * (i + 1) for i in range(n)]
        right = [0.0] * n
        for row in rows:
            cells = self.sparse_row(row, name)
            weight = float(row[weights]) if weights else 1.0
            y = float(row[self.target]) * weight
            for i, a in cells:
                right[i] += a * y
                for j, b in cells:
                    if j <= i:
                        matrix[i][j] += a * weight * b
        matrix[0][0] += count * 10.0 ** -9
        for first, effect in zip(self.first, self.effects):
            for (i, j), value in effect.penalty.items():
                if j <= i:
                    matrix[first + i][first + j] += count * value
        for i in range(n):
            matrix[i][i] += FLOOR * count
        return cholesky_solve(matrix, right)

    def design(self, rows):
        """Dense design rows, in the order of `rows`."""
        result = []
        for row in rows:
            dense = [0.0] * self.columns
            for i, value in self.sparse_row(row, self._name(row)):
                dense[i] = value
            result.append(dense)
        return result

    def predict(self, rows):
        """Predictions, in the order of `rows`."""
        return [sum(self.coefficients[self._name(row)][i] * value
                    for i, value in self.sparse_row(row, self._name(row)))
                for row in rows]

    def _name(self, row):
        return row[self.group] if self.group else ""
