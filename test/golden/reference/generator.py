# Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers (docs/math.md section 3), bit by bit."""

import math

MASK = 0xffffffff


class Generator:
    """MT19937, seeded as std::mt19937(seed)."""

    def __init__(self, seed):
        words = [seed & MASK]
        for i in range(1, 624):
            before = words[-1]
            words.append((1812433253 * (before ^ before >> 30) + i) & MASK)
        self.words = words
        self.next = 624
        # The second normal of a pair, kept for the next single draw.
        self.kept = None

    def _twist(self):
        words = self.words
        for i in range(624):
            joined = (words[i] & 0x80000000) | (words[(i + 1) % 624]
                                                & 0x7fffffff)
            words[i] = (words[(i + 397) % 624] ^ joined >> 1
                        ^ (0x9908b0df if joined & 1 else 0))
        self.next = 0

    def word(self):
        """32 random bits."""
        if self.next == 624:
            self._twist()
        y = self.words[self.next]
        self.next += 1
        y ^= y >> 11
        y ^= y << 7 & 0x9d2c5680
        y ^= y << 15 & 0xefc60000
        return y ^ y >> 18

    def below(self, n):
        """randint(n)."""
        return self.word() % n

    def permutation(self, n):
        order = list(range(n))
        for i in range(n - 1):
            j = i + self.word() % (n - i)
            order[i], order[j] = order[j], order[i]
        return order

    def uniform(self):
        high, low = self.word(), self.word()
        return ((high << 32 | low) & (1 << 53) - 1) * 2.0 ** -53

    def normals(self, count):
        if count < 16:
            return [self._normal() for _ in range(count)]
        values = [self.uniform() for _ in range(count)]
        for first in range(0, count - 15, 16):
            self._block(values, first)
        if count % 16:
            values[-16:] = [self.uniform() for _ in range(16)]
            self._block(values, count - 16)
        return values

    @staticmethod
    def _block(values, first):
        for j in range(first, first + 8):
            rho = math.sqrt(-2 * math.log(1 - values[j]))
            angle = 2 * math.pi * values[j + 8]
            values[j] = rho * math.cos(angle)
            values[j + 8] = rho * math.sin(angle)

    def _normal(self):
        # Choice: the kept number survives the call (and any draw in between),
        # so that an odd number of normals leaves one for the next array.
        if self.kept is not None:
            value, self.kept = self.kept, None
            return value
        u1, u2 = self.uniform(), self.uniform()
        rho = math.sqrt(-2 * math.log1p(-u2))
        self.kept = rho * math.sin(2 * math.pi * u1)
        return rho * math.cos(2 * math.pi * u1)
