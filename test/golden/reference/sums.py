# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over rows in decimal numbers, and the penalties that are chosen: what
the criteria of gcv and reml share."""

import decimal
from fractions import Fraction
from operator import mul

from . import data, effects, formula, penalties
from .estimate import FLOOR

ZERO = decimal.Decimal(0)


class Coordinate:
    """A penalty that is chosen. `start` is the formula's ap with those of the
    products that it is a factor of, and `penalty` is that of strength 1."""

    def __init__(self, name, start, penalty, columns):
        self.name, self.start = name, start
        self.penalty, self.columns = penalty, columns


def _plain(term):
    """The term with aps of 0."""
    return dict(term, ap=0, factors=list(map(_plain, term["factors"])))


def _coordinates(term, effect, name, products=()):
    """Those of a term, in order; `products` are the aps of the products around
    it, the outermost first."""
    if term["kind"] != "te":
        return [Coordinate(name, sum(products, term["ap"]), effect.penalty,
                           effect.columns)]
    found = []
    sizes = [factor.columns for factor in effect.factors]
    for i, factor in enumerate(effect.factors):
        for inner in _coordinates(term["factors"][i], factor, f"{name}[{i}]",
                                  (*products, term["ap"])):
            parts = [{} for _ in sizes]
            parts[i] = inner.penalty
            inner.penalty = penalties.tensor(parts, sizes, 1.0)
            inner.columns = effect.columns
            found.append(inner)
    return found


class Group:
    """Sums over the rows of one group."""

    def __init__(self, design, targets, weights):
        ys, ws = (list(map(decimal.Decimal, values))
                  for values in (targets, weights))
        columns = [list(map(decimal.Decimal, column))
                   for column in zip(*design)]
        self.total = sum(ws)
        self.positive = sum(w > 0 for w in ws)
        self.gram, self.right = [], []
        for i, column in enumerate(columns):
            weighted = list(map(mul, column, ws))
            self.right.append(sum(map(mul, weighted, ys)))
            self.gram.append([sum(map(mul, weighted, columns[j]))
                              for j in range(i + 1)])
        self.squares = sum(w * y * y for w, y in zip(ws, ys))

    def penalised(self, penalty):
        """The elements of N P + 1e-6 N I that are not 0, of its lower
        triangle."""
        added = {}
        for (i, j), value in penalty.items():
            if j <= i:
                added[i, j] = self.total * value
        for i in range(len(self.right)):
            added[i, i] = (added.get((i, i), ZERO)
                           + decimal.Decimal(FLOOR) * self.total)
        return added


class Factor:
    """The Cholesky factor of a matrix, given as the rows of its lower triangle,
    and the inverse of the factor."""

    def __init__(self, rows):
        n = len(rows)
        self.rows = rows
        for j in range(n):
            row_j = rows[j]
            head = row_j[:j]
            row_j[j] = (row_j[j] - sum(map(mul, head, head))).sqrt()
            for i in range(j + 1, n):
                row_i = rows[i]
                row_i[j] = (row_i[j] - sum(map(mul, row_i, head))) / row_j[j]
        # The columns of the factor's inverse, from the diagonal on.
        self.inverse = []
        for j in range(n):
            column = [1 / rows[j][j]]
            for i in range(j + 1, n):
                column.append(-sum(map(mul, rows[i][j:i], column))
                              / rows[i][i])
            self.inverse.append(column)

    def solve(self, right):
        n = len(right)
        half = [sum(self.inverse[j][i - j] * right[j] for j in range(i + 1))
                for i in range(n)]
        return [sum(map(mul, self.inverse[i], half[i:])) for i in range(n)]

    def trace(self, elements):
        """Of the inverse times a symmetric matrix, of which `elements` has those
        of the lower triangle."""
        return sum((1 if i == j else 2) * value
                   * sum(map(mul, self.inverse[i], self.inverse[j][i - j:]))
                   for (i, j), value in elements.items())

    def log_determinant(self):
        return 2 * sum(row[i].ln() for i, row in enumerate(self.rows))


def form(elements, x):
    """x'M x of such a matrix."""
    return sum((1 if i == j else 2) * value * x[i] * x[j]
               for (i, j), value in elements.items())


class Model:
    """The sums of a model on rows. `make` makes those of a group."""

    def __init__(self, make, digits, text, rows, group, date, weights):
        target, terms = formula.parse(text)
        training = {name: [rows[i] for i in indices] for name, indices
                    in data.group_rows(rows, group, date).items()}
        made = [effects.make(_plain(term), training, {}) for term in terms]
        self.coordinates = [Coordinate("offset", -9, {(0, 0): Fraction(1)}, 1)]
        self.firsts = [0]
        first = 1
        names = formula.effect_names(terms)[1:]
        for term, effect, name in zip(terms, made, names):
            for coordinate in _coordinates(term, effect, name):
                self.coordinates.append(coordinate)
                self.firsts.append(first)
            first += effect.columns
        self.columns = first
        self.groups = []
        for name, members in training.items():
            design = [[1.0] + [0.0] * (first - 1) for _ in members]
            start = 1
            for effect in made:
                points = effect.points(members, name)
                for dense, point in zip(design, points):
                    for i, value in effect.row(point):
                        dense[start + i] += value
                start += effect.columns
            with decimal.localcontext(digits):
                self.groups.append(make(
                    design, [float(row[target]) for row in members],
                    [float(row[weights]) if weights else 1.0
                     for row in members]))

    def penalty(self, aps, chosen=None):
        """That of all coordinates, or of those chosen."""
        total = {}
        for c in range(len(aps)) if chosen is None else chosen:
            strength = decimal.Decimal(10.0 ** aps[c])
            first = self.firsts[c]
            for (i, j), value in self.coordinates[c].penalty.items():
                place = first + i, first + j
                total[place] = (total.get(place, ZERO) + strength
                                * value.numerator / value.denominator)
        return total
