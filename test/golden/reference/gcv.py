# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Penalties chosen by GCV (docs/math.md section 4): every candidate is a dense
solve and a trace of its own, in decimal numbers of 40 digits, so that scores
have no rounding errors but those of the design."""

import decimal
import typing
from operator import mul

from . import data, effects, formula, penalties
from .estimate import FLOOR

DIGITS = decimal.Context(prec=40)
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

    def fit(self, penalty, gamma):
        """The score, and the part of the rows that the degrees of freedom
        leave."""
        n = len(self.right)
        added = {}
        for (i, j), value in penalty.items():
            if j <= i:
                added[i, j] = self.total * value
        for i in range(n):
            added[i, i] = (added.get((i, i), ZERO)
                           + decimal.Decimal(FLOOR) * self.total)
        factor = [row[:] for row in self.gram]
        for (i, j), value in added.items():
            factor[i][j] += value
        for j in range(n):
            row_j = factor[j]
            head = row_j[:j]
            row_j[j] = (row_j[j] - sum(map(mul, head, head))).sqrt()
            for i in range(j + 1, n):
                row_i = factor[i]
                row_i[j] = (row_i[j] - sum(map(mul, row_i, head))) / row_j[j]
        # The columns of the factor's inverse, from the diagonal on.
        inverse = []
        for j in range(n):
            column = [1 / factor[j][j]]
            for i in range(j + 1, n):
                column.append(-sum(map(mul, factor[i][j:i], column))
                              / factor[i][i])
            inverse.append(column)
        half = [sum(inverse[j][i - j] * self.right[j] for j in range(i + 1))
                for i in range(n)]
        beta = [sum(map(mul, inverse[i], half[i:])) for i in range(n)]
        # tr(S A^-1) = D - tr((A - S) A^-1).
        trace = decimal.Decimal(n)
        for (i, j), value in added.items():
            entry = sum(map(mul, inverse[i], inverse[j][i - j:]))
            trace -= (1 if i == j else 2) * value * entry
        fitted = sum(map(mul, beta, self.right))
        quadratic = fitted
        for (i, j), value in added.items():
            quadratic -= ((1 if i == j else 2) * value * beta[i] * beta[j])
        rss = max(ZERO, self.squares - 2 * fitted + quadratic)
        left = max(1 - decimal.Decimal(gamma) * trace / self.positive,
                   decimal.Decimal(1e-6))
        return rss / self.positive / left ** 2, left


class Found(typing.NamedTuple):
    """The result of a search."""
    aps: list
    score: decimal.Decimal
    evaluations: int
    # The distance of the closest decision from the other one, relative to the
    # score.
    closest: decimal.Decimal
    # The least part of a group's rows that the degrees of freedom left.
    left: decimal.Decimal


class Gcv:
    """The sums of a model on rows."""

    def __init__(self, text, rows, group=None, date=None, weights=None):
        target, terms = formula.parse(text)
        training = {name: [rows[i] for i in indices] for name, indices
                    in data.group_rows(rows, group, date).items()}
        made = [effects.make(_plain(term), training, {}) for term in terms]
        self.coordinates = [Coordinate("offset", -9, {(0, 0): 1.0}, 1)]
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
            with decimal.localcontext(DIGITS):
                self.groups.append(Group(
                    design, [float(row[target]) for row in members],
                    [float(row[weights]) if weights else 1.0
                     for row in members]))
        self.scores = {}

    def score(self, aps, gamma=1.4):
        """The mean of the groups' scores."""
        return self._score(aps, gamma)[0]

    def _score(self, aps, gamma):
        """The mean, and the least part of a group's rows that the degrees of
        freedom leave."""
        key = (*aps, gamma)
        if key not in self.scores:
            with decimal.localcontext(DIGITS):
                penalty = self._penalty(aps)
                scores, left = zip(*(group.fit(penalty, gamma)
                                     for group in self.groups))
                self.scores[key] = sum(scores) / len(scores), min(left)
        return self.scores[key]

    def _penalty(self, aps):
        total = {}
        for ap, coordinate, first in zip(aps, self.coordinates, self.firsts):
            strength = decimal.Decimal(10.0 ** ap)
            for (i, j), value in coordinate.penalty.items():
                place = first + i, first + j
                total[place] = (total.get(place, ZERO)
                                + strength * decimal.Decimal(value))
        return total

    def search(self, low=-30.0, high=6.0, candidates=(), gamma=1.4, cycles=15):
        aps = [min(max(coordinate.start, low), high)
               for coordinate in self.coordinates]
        best, left = self._score(aps, gamma)
        step = (high - low) / 10
        evaluations, closest = 1, decimal.Decimal(1)
        for _ in range(cycles):
            gained = False
            for i, value in enumerate(aps):
                for ap in candidates or (max(value - step, low),
                                         min(value + step, high)):
                    if ap == aps[i]:
                        continue
                    evaluations += 1
                    score, here = self._score([*aps[:i], ap, *aps[i + 1:]],
                                              gamma)
                    left = min(left, here)
                    least = best * (1 - decimal.Decimal("1e-8"))
                    if best:
                        closest = min(closest, abs(score - least) / best)
                    if score < least:
                        best, aps[i], gained = score, ap, True
            if not gained:
                break
        return Found(aps, best, evaluations, closest, left)
