//===- TermsText.h - the feature maps of a model as text --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_SPECTOTAM_TERMSTEXT_H
#define TAMC_CONVERSION_SPECTOTAM_TERMSTEXT_H

#include "Inputs.h"
#include "Learners.h"

#include <string>
#include <vector>

namespace tamc {

/// `terms` of tamrt_model: a JSON array with the feature map of each term, in
/// the format of runtime/core/model/Terms.h; for a spec with a grid its
/// candidates, in that of runtime/core/model/Candidates.h. `inputs` and
/// `learners` are those of the model.
std::string describeTerms(const spec::ModelSpec &spec,
                          const std::vector<Input> &inputs,
                          const Learners &learners);

} // namespace tamc

#endif // TAMC_CONVERSION_SPECTOTAM_TERMSTEXT_H
