//===- kernels/CholeskyBundleTest.cpp - tests of bundles of systems -------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each system of a bundle has the bits that it has alone, whatever the others
/// are, on every instruction set.
///
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "kernels/cpu/CholeskyBundle.h"
#include "kernels/cpu/Substitution.h"

#include <cstring>
#include <limits>

/// As in InstructionSetTest.cpp.
namespace tamrt::baseline {
uint32_t solveBundle(int64_t, const double *, const double *, double *,
                     double *);
void inverseFormsOfBundle(const double *, int64_t, double *, double *);
} // namespace tamrt::baseline
#ifdef TAMC_TEST_AVX2
namespace tamrt::avx2 {
uint32_t solveBundle(int64_t, const double *, const double *, double *,
                     double *);
void inverseFormsOfBundle(const double *, int64_t, double *, double *);
} // namespace tamrt::avx2
#endif

namespace tamrt::test {

namespace {

constexpr int64_t kSystems = cpu::kBundleSystems;

struct InstructionSet {
  decltype(&cpu::solveBundle) solve;
  decltype(&cpu::inverseFormsOfBundle) forms;
};

/// Those that this machine has.
std::vector<InstructionSet> instructionSets() {
  std::vector<InstructionSet> sets = {
      {cpu::solveBundle, cpu::inverseFormsOfBundle},
      {baseline::solveBundle, baseline::inverseFormsOfBundle}};
#ifdef TAMC_TEST_AVX2
  if (tamrt_cpu_level() >= TAMRT_CPU_X86_64_V3)
    sets.push_back({avx2::solveBundle, avx2::inverseFormsOfBundle});
#endif
  return sets;
}

/// What makes a system one that cholesky_solve refines, or fails to solve.
enum class Fault {
  SmallPivot,
  NotDefinite,
  ZeroPivot,
  InfinityInMatrix,
  NaNInMatrix,
  InfinityInVector,
  NaNInVector,
};
constexpr Fault kFaults[] = {Fault::SmallPivot,  Fault::NotDefinite,
                             Fault::ZeroPivot,   Fault::InfinityInMatrix,
                             Fault::NaNInMatrix, Fault::InfinityInVector,
                             Fault::NaNInVector};

class CholeskyBundleTest : public KernelTest {
protected:
  struct System {
    Doubles a, b;
  };

  System definite(int64_t n) {
    System system = {uniforms(n * n), uniforms(n)};
    for (int64_t i = 0; i < n; ++i)
      system.a[i * (n + 1)] = double(n) + uniform(0, 1);
    return system;
  }

  static void spoil(System &system, int64_t n, Fault fault) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const int64_t last = n * n - 1;
    switch (fault) {
    case Fault::SmallPivot:
      // Column 1 is half the first, but for its diagonal; of one column the
      // pivot cannot be small.
      if (n == 1)
        return;
      for (int64_t i = 1; i < n; ++i)
        system.a[n + i] = system.a[i] / 2;
      system.a[1] = system.a[0] / 2;
      system.a[n + 1] = system.a[0] / 4 * (1 + 1e-9);
      break;
    case Fault::NotDefinite:
      system.a[last] = -1;
      break;
    case Fault::ZeroPivot:
      system.a[0] = 0;
      break;
    case Fault::InfinityInMatrix:
      system.a[last] = infinity;
      break;
    case Fault::NaNInMatrix:
      system.a[n == 1 ? 0 : n - 1] = std::nan("");
      break;
    case Fault::InfinityInVector:
      system.b[n - 1] = -infinity;
      break;
    case Fault::NaNInVector:
      system.b[n / 2] = std::nan("");
      break;
    }
  }

  static Doubles bundleOf(const std::vector<Doubles> &arrays) {
    Doubles bundle(arrays[0].size() * kSystems, std::nan(""));
    for (size_t s = 0; s < arrays.size(); ++s)
      for (size_t k = 0; k < arrays[s].size(); ++k)
        bundle[k * kSystems + s] = arrays[s][k];
    return bundle;
  }

  static void expectSame(double a, double b) {
    EXPECT_EQ(0, std::memcmp(&a, &b, sizeof a)) << a << " " << b;
  }

  /// Solves the systems, at most kSystems, and expects those in `left` to be
  /// left and the others to have the bits that they have alone.
  void check(int64_t n, const std::vector<System> &systems, uint32_t left) {
    std::vector<Doubles> matrices, vectors, rows;
    for (const System &system : systems) {
      matrices.push_back(system.a);
      vectors.push_back(system.b);
      rows.push_back(uniforms(n));
    }
    const Doubles a = bundleOf(matrices), b = bundleOf(vectors);
    for (const auto &[solve, formsOf] : instructionSets()) {
      Doubles factors(a.size()), solutions(b.size()), forms(kSystems);
      const uint32_t used = (uint32_t(1) << systems.size()) - 1;
      ASSERT_EQ(solve(n, a.data(), b.data(), factors.data(), solutions.data()) &
                    used,
                left);
      Doubles solved = bundleOf(rows);
      formsOf(factors.data(), n, solved.data(), forms.data());
      for (size_t s = 0; s < systems.size(); ++s) {
        if (left >> s & 1)
          continue;
        Doubles factor = systems[s].a, x = systems[s].b;
        Workspace workspace(TAMRT_SOLVE_WORKSPACE(n));
        tamrt_cholesky_solve(&ctx, n, factor.data(), x.data(),
                             workspace.data());
        ASSERT_EQ(ctx.status, TAMRT_OK);
        for (int64_t j = 0; j < n; ++j) {
          expectSame(solutions[j * kSystems + s], x[j]);
          for (int64_t i = j; i < n; ++i)
            expectSame(factors[(j * n + i) * kSystems + s], factor[j * n + i]);
        }
        Doubles memory(cpu::kFormsAtOnce * n), form(1);
        cpu::inverseForms(factor.data(), n, rows[s].data(), 1, memory.data(),
                          form.data());
        expectSame(forms[s], form[0]);
      }
    }
  }
};

TEST_F(CholeskyBundleTest, HasTheBitsOfEachSystemAlone) {
  for (int64_t n = 1; n <= 48; ++n)
    for (int64_t count : {1, 2, 3, 4, 5, 6, 7, 8}) {
      SCOPED_TRACE("n " + std::to_string(n) + " of " + std::to_string(count));
      std::vector<System> systems;
      for (int64_t s = 0; s < count; ++s)
        systems.push_back(definite(n));
      check(n, systems, 0);
    }
}

TEST_F(CholeskyBundleTest, LeavesSystemsInAnyLane) {
  for (int64_t n : {1, 2, 4, 9, 16, 19})
    for (const Fault fault : kFaults)
      for (int64_t lane = 0; lane < kSystems; ++lane) {
        if (n == 1 && fault == Fault::SmallPivot)
          continue;
        SCOPED_TRACE("n " + std::to_string(n) + " fault " +
                     std::to_string(int(fault)) + " lane " +
                     std::to_string(lane));
        std::vector<System> systems;
        for (int64_t s = 0; s < kSystems; ++s)
          systems.push_back(definite(n));
        spoil(systems[lane], n, fault);
        check(n, systems, uint32_t(1) << lane);
      }
}

TEST_F(CholeskyBundleTest, LeavesSomeOrAll) {
  for (int64_t n : {3, 9})
    for (uint32_t left : {0x81u, 0x55u, 0xf0u, 0xffu}) {
      std::vector<System> systems;
      for (int64_t s = 0; s < kSystems; ++s) {
        systems.push_back(definite(n));
        if (left >> s & 1)
          spoil(systems[s], n, kFaults[s % std::size(kFaults)]);
      }
      check(n, systems, left);
    }
}

} // namespace

} // namespace tamrt::test
