# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Penalties chosen by REML (docs/math.md section 8): every point is a dense
factorisation in decimal numbers of 50 digits, in which the null spaces of
strong penalties keep theirs, and the search is a quasi-Newton method from
several starts."""

import decimal
import typing
from operator import mul

from . import sums

DIGITS = decimal.Context(prec=50)
STARTS = (-5.5, -3.0, -1.0)


class Group(sums.Group):
    """Sums over the rows of one group, with scores."""

    def at(self, penalty, parts):
        """V, and its derivatives by the logarithms of the strengths of
        coordinates, whose penalties `parts` has."""
        added = self.penalised(penalty)
        n = len(self.right)
        rows = [row[:] for row in self.gram]
        alone = [[sums.ZERO] * (i + 1) for i in range(n)]
        for (i, j), value in added.items():
            rows[i][j] += value
            alone[i][j] = value
        whole, strong = sums.Factor(rows), sums.Factor(alone)
        beta = whole.solve(self.right)
        deviance = self.squares - sum(map(mul, beta, self.right))
        score = (self.positive * deviance.ln() + whole.log_determinant()
                 - strong.log_determinant()) / 2
        slopes = []
        for part in parts:
            part = {(i, j): self.total * value
                    for (i, j), value in part.items() if j <= i}
            slopes.append((self.positive * sums.form(part, beta) / deviance
                           + whole.trace(part) - strong.trace(part)) / 2)
        return score, slopes


class Found(typing.NamedTuple):
    """A minimum."""
    aps: list
    score: decimal.Decimal
    # By ap.
    slopes: list


class Reml(sums.Model):
    """The sums of a model on rows."""

    def __init__(self, text, rows, group=None, date=None, weights=None):
        super().__init__(Group, DIGITS, text, rows, group, date, weights)

    def at(self, aps):
        """The sum of the groups' scores, and its derivatives by aps."""
        with decimal.localcontext(DIGITS):
            parts = [self.penalty(aps, [i]) for i in range(len(aps))]
            penalty = self.penalty(aps)
            scores, slopes = zip(*(group.at(penalty, parts)
                                   for group in self.groups))
            ln10 = decimal.Decimal(10).ln()
            return Found(list(aps), sum(scores),
                         [float(ln10 * sum(of)) for of in zip(*slopes)])

    def free(self, here, low, high):
        """The coordinates that are not at a bound beyond which V falls."""
        return [i for i, (ap, slope) in enumerate(zip(here.aps, here.slopes))
                if not (ap <= low and slope >= 0)
                and not (ap >= high and slope <= 0)]

    def descend(self, aps, low, high):
        """The minimum that a quasi-Newton method finds from there."""
        here = self.at([min(max(ap, low), high) for ap in aps])
        n = len(aps)
        matrix = [[float(i == j) for j in range(n)] for i in range(n)]
        for _ in range(120):
            free = self.free(here, low, high)
            if sum(abs(here.slopes[i]) for i in free) < 1e-7:
                break
            step = [-sum(matrix[i][j] * here.slopes[j] for j in free)
                    if i in free else 0.0 for i in range(n)]
            if sum(map(mul, step, here.slopes)) >= 0:
                step = [-here.slopes[i] if i in free else 0.0
                        for i in range(n)]
            scale = min(1, 1.5 / max(map(abs, step)))
            for _ in range(30):
                there = self.at([min(max(ap + scale * s, low), high)
                                 for ap, s in zip(here.aps, step)])
                if there.score < here.score:
                    break
                scale /= 2
            else:
                break
            moved = [b - a for a, b in zip(here.aps, there.aps)]
            turned = [b - a for a, b in zip(here.slopes, there.slopes)]
            self._update(matrix, moved, turned)
            here = there
        return here

    @staticmethod
    def _update(matrix, moved, turned):
        """That of Broyden, Fletcher, Goldfarb and Shanno, of the inverse."""
        product = sum(map(mul, moved, turned))
        if product <= 1e-12:
            return
        n = len(moved)
        half = [sum(map(mul, row, turned)) for row in matrix]
        scale = (1 + sum(map(mul, turned, half)) / product) / product
        for i in range(n):
            for j in range(n):
                matrix[i][j] += (scale * moved[i] * moved[j]
                                 - (half[i] * moved[j] + moved[i] * half[j])
                                 / product)

    def search(self, low=-30.0, high=6.0, starts=STARTS):
        """The least of the minima from several starts."""
        return min((self.descend([start] * len(self.coordinates), low, high)
                    for start in starts), key=lambda found: found.score)
