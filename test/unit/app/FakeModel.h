//===- FakeModel.h - a model written by hand --------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A `tamrt_model` whose steps are plain loops: y ~ l(x) + c(d), an offset, a
/// linear effect and one-hot levels, solved by a textbook elimination. It
/// stands in for compiled code in the tests of the runtime.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_TEST_FAKEMODEL_H
#define TAMRT_TEST_FAKEMODEL_H

#include "tamrt/abi.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tamrt::test {

/// Most levels of d.
inline constexpr int64_t kLevels = 3;
/// Columns of the design: offset, x, one per level.
inline constexpr int64_t kColumns = 2 + kLevels;

/// Owns what its `model` points to. Not copied: the model would point into the
/// original.
class FakeModel {
public:
  explicit FakeModel(std::vector<int64_t> rungs = {8, 4, 2, 1});
  FakeModel(const FakeModel &) = delete;
  FakeModel &operator=(const FakeModel &) = delete;
  virtual ~FakeModel() = default;

  /// The model as it is now; members may be changed between calls.
  virtual const tamrt_model &get();

  std::string name = "fake";
  std::string formula = "y ~ l(x) + c(d)";
  std::string hash = std::string(64, 'a');
  const char *group = "g", *date = nullptr, *weights = nullptr;
  tamrt_unseen unseen = TAMRT_UNSEEN_EDGE;
  tamrt_input x, d;
  std::vector<tamrt_effect> effects;
  std::vector<tamrt_step> steps;

protected:
  tamrt_model model = {};

private:
  std::vector<std::string> stepNames;
  std::vector<tamrt_buffer> buffers;
  tamrt_input inputs[2];
};

/// For tests of errors: if not OK, FIT_FINISH of a group of `failingRows` rows
/// reports this status.
inline tamrt_status failure = TAMRT_OK;
inline int64_t failingRows = 0, failureDetail = 0;

/// Calls of steps, their rows and whether their pointers were aligned.
struct Call {
  int32_t kind;
  int64_t rows, first, groupRows;
  bool aligned;
};
/// Calls so far, kept only while `recording`; for one thread.
inline std::vector<Call> calls;
inline bool recording = false;

/// Records a call of a step with `memory`.
void note(int32_t kind, std::initializer_list<const void *> memory,
          int64_t rows, int64_t first, int64_t groupRows);

/// Solves (a + 1e-6 * rows * I) x = b, n x n, by elimination.
void solve(const double *a, const double *b, int64_t n, int64_t rows,
           double *x);

/// The outputs of FIT_SYSTEM and PENALTY for a model without penalties, from
/// the sums gram and b of `rows` rows.
void system(const double *gram, const double *b, int64_t n, int64_t rows,
            double *output);
void penalty(int64_t n, double *output);

/// The output of FIT_INFER for the sums `gram` of `rows` rows and effects of so
/// many columns.
void infer(const double *gram, const std::vector<int64_t> &columns,
           int64_t rows, double *output);

/// The output of VARIANCES for a row `phi` of the design.
void computeForms(const double *phi, const double *triangle,
                  const std::vector<int64_t> &columns, double *output);

} // namespace tamrt::test

#endif // TAMRT_TEST_FAKEMODEL_H
