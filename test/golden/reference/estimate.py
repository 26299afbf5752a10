# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model: design, normal equations, predictions (docs/math.md section 4)."""

import math
from operator import mul

from . import data, effects, formula

FLOOR = 1e-6


class Cholesky:
    """The factorisation of a symmetric positive definite matrix, lower triangle
    given as rows."""

    def __init__(self, matrix):
        n = len(matrix)
        self.factor = factor = [row[:] for row in matrix]
        for j in range(n):
            row_j = factor[j]
            pivot = row_j[j] - sum(v * v for v in row_j[:j])
            if pivot <= 0:
                raise ArithmeticError(f"pivot {j} is {pivot}")
            row_j[j] = math.sqrt(pivot)
            head = row_j[:j]
            for i in range(j + 1, n):
                row_i = factor[i]
                row_i[j] = (row_i[j] - sum(map(mul, row_i, head))) / row_j[j]
        self.columns = [[factor[j][i] for j in range(i, n)] for i in range(n)]
        self.full = [matrix[i] + [matrix[j][i] for j in range(i + 1, n)]
                     for i in range(n)]

    def _solve_once(self, b):
        x = b[:]
        for i, row in enumerate(self.factor):
            x[i] = (x[i] - sum(map(mul, row[:i], x))) / row[i]
        for i in reversed(range(len(x))):
            x[i] = (x[i] - sum(map(mul, self.columns[i][1:], x[i + 1:]))
                    ) / self.factor[i][i]
        return x

    def solve(self, right):
        """Refined with exact residuals."""
        result = self._solve_once(right)
        for _ in range(2):
            rest = [b - math.fsum(map(mul, row, result))
                    for row, b in zip(self.full, right)]
            result = [x + dx for x, dx in zip(result, self._solve_once(rest))]
        return result


def cholesky_solve(matrix, right):
    """Solves A x = b for a symmetric positive definite A, lower triangle
    given as rows; refines the solution with exact residuals."""
    return Cholesky(matrix).solve(right)


class Model:
    """A model fitted to `rows` (dicts of texts or numbers). `state` is {effect
    name: state}, see effects.py; `aps` {penalty name: ap} replaces those of the
    formula."""

    def __init__(self, text, rows, group=None, date=None, weights=None,
                 state=None, aps=None):
        self.group, self.date, self.weights = group, date, weights
        self.target, self.formula = formula.parse(text)
        terms = self.formula
        self.names = formula.effect_names(terms)
        self.aps = {"offset": -9, **(aps or {})}
        for name, term in formula.penalties(terms):
            term["ap"] = self.aps.setdefault(name, term["ap"])
        training = {name: [rows[i] for i in indices] for name, indices
                    in data.group_rows(rows, group, date).items()}
        self.effects = [effects.make(term, training, (state or {}).get(name,
                                                                       {}))
                        for term, name in zip(terms, self.names[1:])]
        self.first = [0, 1]
        for effect in self.effects:
            self.first.append(self.first[-1] + effect.columns)
        self.columns = self.first[-1]
        self.penalty = {(0, 0): 10.0 ** self.aps["offset"]}
        for first, effect in zip(self.first[1:], self.effects):
            for (i, j), value in effect.penalty.items():
                self.penalty[first + i, first + j] = float(value)
        self.coefficients = {name: self._fit(members, name)
                             for name, members in training.items()}

    def _group_design(self, rows, name):
        """Dense rows of one group's rows, which are in time order."""
        design = [[1.0] + [0.0] * (self.columns - 1) for _ in rows]
        for first, effect in zip(self.first[1:], self.effects):
            for dense, point in zip(design, effect.points(rows, name)):
                for i, value in effect.row(point):
                    # A column may occur twice in a sparse row.
                    dense[first + i] += value
        return design

    def _fit(self, rows, name):
        ys = [float(row[self.target]) for row in rows]
        ws = [float(row[self.weights]) if self.weights else 1.0
              for row in rows]
        total = math.fsum(ws)
        columns = list(zip(*self._group_design(rows, name)))
        matrix, right = [], []
        for i, column in enumerate(columns):
            weighted = list(map(mul, column, ws))
            right.append(math.fsum(map(mul, weighted, ys)))
            matrix.append([math.fsum(map(mul, weighted, columns[j]))
                           for j in range(i + 1)])
        for (i, j), value in self.penalty.items():
            if j <= i:
                matrix[i][j] += total * value
        for i in range(self.columns):
            matrix[i][i] += FLOOR * total
        return cholesky_solve(matrix, right)

    def ap_of(self, effect):
        """log10 of the strength of an effect's penalty, of a product those of
        its factors."""
        if effect == 0:
            return self.aps["offset"]

        def walk(term):
            if not term["factors"]:
                return [term["ap"]]
            return [term["ap"] + ap for factor in term["factors"]
                    for ap in walk(factor)]
        term = self.formula[effect - 1]
        return walk(term) if term["factors"] else term["ap"]

    def design(self, rows):
        """Dense design rows, in the order of `rows`. With a pid, a row depends
        on the other rows of its group."""
        result = [None] * len(rows)
        for name, indices in data.group_rows(rows, self.group,
                                             self.date).items():
            design = self._group_design([rows[i] for i in indices], name)
            for i, dense in zip(indices, design):
                result[i] = dense
        return result

    def predict(self, rows):
        """Predictions, in the order of `rows`."""
        return list(map(math.fsum, self.terms(rows)))

    def terms(self, rows):
        """The effects of every row, the offset first."""
        result = []
        for row, dense in zip(rows, self.design(rows)):
            beta = self.coefficients[self._name(row)]
            result.append([
                math.fsum(map(mul, dense[first:last], beta[first:last]))
                for first, last in zip(self.first, self.first[1:])])
        return result

    def _name(self, row):
        return row[self.group] if self.group else ""
