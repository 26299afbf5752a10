# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Penalty matrices as {(row, column): value} (docs/math.md section 3). Values are
fractions, the exact ones of the formula's numbers: rounded differences have no
null space."""

from fractions import Fraction


def diagonal(values):
    return {(i, i): Fraction(value) for i, value in enumerate(values)}


def sobolev(order, s, scale):
    """scale * (1 + k^(2s)) for k = 1 .. order."""
    return [scale * (1 + k ** (2.0 * s)) for k in range(1, order + 1)]


def differences(n, order):
    """The rows of the forward difference, as dicts."""
    rows = [{i: 1} for i in range(n)]
    for _ in range(order):
        following = []
        for upper, lower in zip(rows, rows[1:]):
            row = dict(lower)
            for column, value in upper.items():
                row[column] = row.get(column, 0) - value
            following.append(row)
        rows = following
    return rows


def _square(rows, scale):
    """scale * L'L."""
    penalty = {}
    for row in rows:
        for i, a in row.items():
            for j, b in row.items():
                penalty[i, j] = penalty.get((i, j), 0) + a * b
    return {place: Fraction(scale) * value
            for place, value in penalty.items()}


def difference(n, order, scale):
    return _square(differences(n, order), scale)


def differential(n, weights, scale):
    """For the spline that satisfies sum_o w_o D^o = 0; `weights` by order."""
    # Choice: the highest order that is given decides how many rows there are,
    # also when its weight is 0. No golden number decides it.
    rows = [{} for _ in range(n - max(weights))]
    for order, weight in weights.items():
        every = differences(n, order)
        top = (len(every) - len(rows)) // 2
        for row, extra in zip(rows, every[top:]):
            for column, value in extra.items():
                row[column] = row.get(column, 0) + Fraction(weight) * value
    return _square(rows, scale)


def harmonic(m, weights, scale):
    """|sum_o w_o (ik)^o|^2 for k = 1 .. m, twice."""
    half = []
    for k in range(1, m + 1):
        # The powers of i by hand: 1, i, -1, -i.
        parts = [0.0, 0.0]
        for order, weight in weights.items():
            sign = -1.0 if order % 4 in (2, 3) else 1.0
            parts[order % 2] += sign * weight * float(k) ** order
        half.append(scale * (parts[0] ** 2 + parts[1] ** 2))
    return diagonal(half * 2)


def tensor(penalties, columns, scale):
    """scale * sum_i I (x) .. P_i .. (x) I, the last factor fastest."""
    total = {}
    for which, penalty in enumerate(penalties):
        before = after = 1
        for n in columns[:which]:
            before *= n
        for n in columns[which + 1:]:
            after *= n
        n = columns[which]
        for (i, j), value in penalty.items():
            for outer in range(before):
                for inner in range(after):
                    row = (outer * n + i) * after + inner
                    column = (outer * n + j) * after + inner
                    total[row, column] = (total.get((row, column), 0)
                                          + Fraction(scale) * value)
    return total
