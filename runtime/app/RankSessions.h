//===- app/RankSessions.h - what commands on ranks share --------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_RANKSESSIONS_H
#define TAMRT_APP_RANKSESSIONS_H

#include "app/CommandLine.h"
#include "app/Session.h"
#include "core/FunctionRef.h"
#include "core/ranks/Ranks.h"
#include "io/AtomicFile.h"
#include "io/Error.h"
#include "tamrt/abi.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tamrt {

/// Runs body(options of this rank, session) on each rank, if its options are
/// those of a command on ranks and `checked` is no error. Only rank 0's options
/// have files to write; the ranks of a machine share its cores.
///
/// Errors, of all ranks: `checked`; another device than the CPU; weights of
/// standard input; those of `runSession`.
Status runSessions(
    const tamrt_model &model, const Options &options, const Ranks &ranks,
    Status checked,
    FunctionRef<Status(const Options &own, const Session &session)> body);

/// Prints what ranks have noted.
void tellAll(const tamrt_model &model, const char *kind,
             const std::vector<std::string> &notes);

/// Writes the texts of all ranks, one after another, to a file of rank 0, which
/// appears when it is committed. The other ranks have none.
Result<std::optional<AtomicFile>>
writeTexts(const std::string &path, std::string_view own, const Ranks &ranks);

/// Commits files that rank 0 has, in their order.
Status commit(const Ranks &ranks, std::span<std::optional<AtomicFile>> files);

} // namespace tamrt

#endif // TAMRT_APP_RANKSESSIONS_H
