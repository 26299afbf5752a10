# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Effective degrees of freedom, standard errors, intervals, and statistics of
the training rows, of one group (docs/math.md section 8)."""

import math
import statistics
from operator import mul

from .estimate import FLOOR, Cholesky


def dot(a, b):
    return math.fsum(map(mul, a, b))


def ratio(a, b):
    """None where there is no ratio."""
    return a / b if b > 0 else None


class Inference:
    """Of a group whose dense design rows, targets and weights are given in time
    order. `first` has the first column of each effect and the number of
    columns; `penalty` is {(row, column): value}."""

    def __init__(self, design, targets, weights, first, penalty):
        self.effects = [slice(*ends) for ends in zip(first, first[1:])]
        self.design, self.targets, self.weights = design, targets, weights
        self.total = math.fsum(weights)
        columns = list(zip(*design))
        weighted = [list(map(mul, column, weights)) for column in columns]
        gram = [[dot(a, b) for b in columns] for a in weighted]
        matrix = [row[:i + 1] for i, row in enumerate(gram)]
        for (i, j), value in penalty.items():
            if j <= i:
                matrix[i][j] += self.total * value
        for i, row in enumerate(matrix):
            row[i] += FLOOR * self.total
        self._invert(matrix)
        self.beta = self.cholesky.solve([dot(a, targets) for a in weighted])
        leverage = [dot(a, b) for a, b in zip(self.inverse, zip(*gram))]
        self.edf = [math.fsum(leverage[effect]) for effect in self.effects]
        self.means = [0.0] + [math.fsum(column) / self.total
                              for column in weighted[1:]]

        self.terms = [self.effects_of(row) for row in design]
        predictions = list(map(math.fsum, self.terms))
        self.residuals = [y - p for y, p in zip(targets, predictions)]
        self.rows = sum(w > 0 for w in weights)
        self.rss = dot(weights, [r * r for r in self.residuals])
        self.degrees = self.rows - math.fsum(self.edf)
        self.sigma2 = ratio(self.rss, self.degrees)
        self.spread_of_predictions = self._spread(predictions, predictions)

    def _invert(self, matrix):
        n = len(matrix)
        self.cholesky = Cholesky(matrix)
        self.inverse = [self.cholesky.solve([float(i == j) for i in range(n)])
                        for j in range(n)]
        self.log_determinant = 2 * math.fsum(
            math.log(row[i]) for i, row in enumerate(self.cholesky.factor))
        roots = [math.sqrt(row[-1]) for row in matrix]
        scaled = max(math.fsum(abs(v) / a / b for v, b in zip(row, roots))
                     for row, a in zip(self.cholesky.full, roots))
        inverse = max(math.fsum(abs(v) * a * b for v, b in zip(row, roots))
                      for row, a in zip(self.inverse, roots))
        # In the norm that is the largest sum of a column.
        self.condition = scaled * inverse

    def _spread(self, a, b):
        """The weighted covariance times the sum of the weights."""
        mean_a, mean_b = (dot(self.weights, x) / self.total for x in (a, b))
        return math.fsum(w * (x - mean_a) * (y - mean_b)
                         for w, x, y in zip(self.weights, a, b))

    def effects_of(self, row):
        return [dot(row[effect], self.beta[effect]) for effect in self.effects]

    def form(self, row, effect=None):
        """row' A^-1 row, or that of the columns of one effect."""
        part = self.effects[effect] if effect is not None else slice(None)
        x = row[part]
        return math.fsum(v * dot(line[part], x)
                         for v, line in zip(x, self.inverse[part]))

    def error_of(self, form):
        return math.sqrt(self.sigma2 * max(form, 0.0))

    def coefficient_errors(self):
        return [self.error_of(row[i]) for i, row in enumerate(self.inverse)]

    def interval(self, row, level, weight=1.0):
        """Below and above the prediction of a design row of this weight."""
        half = (statistics.NormalDist().inv_cdf((1 + level) / 2)
                * math.sqrt(self.sigma2 * (1 / weight + self.form(row)))
                if weight > 0 else math.inf)
        middle = math.fsum(self.effects_of(row))
        return [middle - half, middle + half]

    def centred(self, row):
        """The centred effects, the offset first, which has what they lack, and
        their standard errors."""
        means = self.effects_of(self.means)
        effects = [value - mean for value, mean
                   in zip(self.effects_of(row), means)]
        effects[0] += math.fsum(means)
        apart = [x - m for x, m in zip(row, self.means)]
        level = [1.0] + self.means[1:]
        forms = [self.form(level)] + [self.form(apart, i)
                                      for i in range(1, len(effects))]
        return effects, list(map(self.error_of, forms))

    def sums(self):
        """What measures of several groups together are made of."""
        absolute = list(map(abs, self.residuals))
        nonzero = [(w, r / abs(y)) for w, r, y
                   in zip(self.weights, absolute, self.targets) if y]
        return {"rows": self.rows, "weight": self.total, "rss": self.rss,
                "absolute": dot(self.weights, absolute),
                "targets": dot(self.weights, map(abs, self.targets)),
                "relative": math.fsum(w * r for w, r in nonzero),
                "nonzero": math.fsum(w for w, _ in nonzero)}

    def summary(self):
        r, n = self.residuals, len(self.residuals)
        mean, middle = math.fsum(r) / n, (n - 1) / 2
        apart = [x - mean for x in r]
        slope = ratio(math.fsum((t - middle) * x for t, x in enumerate(r)),
                      math.fsum((t - middle) ** 2 for t in range(n)))
        return {"rows": self.rows, "weight": self.total, "sigma2": self.sigma2,
                "edf": math.fsum(self.edf), **quality([self]),
                "acf1": ratio(dot(apart[1:], apart), dot(apart, apart)),
                "drift": slope and slope * (n - 1),
                "log_determinant": self.log_determinant,
                "condition": self.condition}

    def summary_of_effect(self, i):
        values = [terms[i] for terms in self.terms]
        predictions = list(map(math.fsum, self.terms))
        return {"columns": self.effects[i].stop - self.effects[i].start,
                "edf": self.edf[i], "low": min(values), "high": max(values),
                "sd": math.sqrt(self._spread(values, values) / self.total),
                "share": ratio(self._spread(values, predictions),
                               self.spread_of_predictions)}


def quality(groups):
    """How well the predictions of groups fit their training rows, together."""
    sums = {name: math.fsum(group.sums()[name] for group in groups)
            for name in groups[0].sums()}
    mean = math.fsum(dot(group.weights, group.targets)
                     for group in groups) / sums["weight"]
    squares = math.fsum(w * (y - mean) ** 2 for group in groups
                        for w, y in zip(group.weights, group.targets))
    unexplained = ratio(sums["rss"], squares)

    def percent(a, b):
        part = ratio(sums[a], sums[b])
        return part if part is None else 100 * part

    return {"rmse": math.sqrt(sums["rss"] / sums["weight"]),
            "mape": percent("relative", "nonzero"),
            "nmae": percent("absolute", "targets"),
            "r2": None if unexplained is None else 1 - unexplained}
