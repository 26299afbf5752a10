# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Penalties chosen by GCV (docs/math.md section 4): every candidate is a dense
solve and a trace of its own, in decimal numbers of 40 digits, so that scores
have no rounding errors but those of the design."""

import decimal
import typing
from operator import mul

from . import sums

DIGITS = decimal.Context(prec=40)
ZERO = decimal.Decimal(0)


class Group(sums.Group):
    """Sums over the rows of one group, with scores."""

    def fit(self, penalty, gamma):
        """The score, and the part of the rows that the degrees of freedom
        leave."""
        added = self.penalised(penalty)
        rows = [row[:] for row in self.gram]
        for (i, j), value in added.items():
            rows[i][j] += value
        factor = sums.Factor(rows)
        beta = factor.solve(self.right)
        # tr(S A^-1) = D - tr((A - S) A^-1).
        trace = len(rows) - factor.trace(added)
        fitted = sum(map(mul, beta, self.right))
        quadratic = fitted - sums.form(added, beta)
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


class Gcv(sums.Model):
    """The sums of a model on rows."""

    def __init__(self, text, rows, group=None, date=None, weights=None):
        super().__init__(Group, DIGITS, text, rows, group, date, weights)
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
                penalty = self.penalty(aps)
                scores, left = zip(*(group.fit(penalty, gamma)
                                     for group in self.groups))
                self.scores[key] = sum(scores) / len(scores), min(left)
        return self.scores[key]

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
