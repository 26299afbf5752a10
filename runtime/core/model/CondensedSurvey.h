//===- core/model/CondensedSurvey.h - parts as one part ---------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A survey of fewer parts, for what does not depend on where the rows are.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_CORE_MODEL_CONDENSEDSURVEY_H
#define TAMRT_CORE_MODEL_CONDENSEDSURVEY_H

#include "core/model/Survey.h"

namespace tamrt {

/// Replaces consecutive parts by one with the rows of all and the first one's
/// name, so that a survey has about as many numbers as groups. What `combine`
/// finds of all rows stays the same, errors included, but not which part has a
/// group's rows; parts that cannot be read alike stay apart.
void condense(Survey &survey);

} // namespace tamrt

#endif // TAMRT_CORE_MODEL_CONDENSEDSURVEY_H
