//===- Subjects.h - the models of the suite ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_CTS_SUBJECTS_H
#define TAMC_TEST_CTS_SUBJECTS_H

#include <string>
#include <vector>

namespace tamc::cts {

/// A model: small ones for one kernel or layout each, and whole ones.
struct Subject {
  /// "area/what/how", unique.
  std::string name;
  std::string formula;
  /// Further keys of the spec, a line each.
  std::string keys = {};
  /// Options of tamc.
  std::vector<std::string> options = {};
  /// Whether loops over rows are generated for it.
  bool hasLoops = false;
  /// Whether it is fitted with inference: solved directly.
  bool hasInference = false;
  /// Whether tamc reads the training rows as a profile.
  bool hasProfile = false;
  /// Largest distance of a number from the reference interpreter's, relative to
  /// the scale of the result: the largest number of a prediction or of a column
  /// of a design, and for the equations A x = b the sums |A||x| + |b|.
  double tolerance = 1e-9;
};

/// All subjects, generated from lists: the same on every machine.
std::vector<Subject> allSubjects();

} // namespace tamc::cts

#endif // TAMC_TEST_CTS_SUBJECTS_H
