//===- Planning/Choice/Model.h - choices over time --------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_PLANNING_CHOICE_MODEL_H
#define TAMC_PLANNING_CHOICE_MODEL_H

#include "Problem/Arithmetic.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tamc::planning {

/// A sum of costs; large enough for any.
using Cost = __int128;

/// A knapsack problem over time: each item chooses an option in each of its
/// stages; at no time may the bytes of a resource exceed its capacity. Bytes
/// alone count, not addresses.
struct ChoiceModel {
  struct Option {
    int32_t resource = 0;
    int64_t bytes = 0;
    int64_t cost = 0;
  };
  /// A stage holds the bytes of its option during [lower, upper), or `bytes` of
  /// them unless that is below 0.
  struct Piece {
    int32_t lower = 0, upper = 0;
    int64_t bytes = -1;
  };
  /// All stages of an item have equally many options, for the same resources.
  struct Stage {
    int32_t item = 0;
    int32_t firstOption = 0, options = 0;
    int32_t firstPiece = 0, pieces = 0;
  };
  /// Another option in the next stage costs `move`, and its bytes are held from
  /// one time earlier on.
  struct Item {
    int32_t firstStage = 0, stages = 0;
    int64_t move = 0;
  };

  /// By resource; `infinite` if there is none.
  std::vector<int64_t> capacity;
  std::vector<Option> options;
  std::vector<Piece> pieces;
  std::vector<Stage> stages;
  std::vector<Item> items;
  int32_t times = 0;

  std::span<const Option> optionsOf(const Stage &stage) const {
    return {options.data() + stage.firstOption, size_t(stage.options)};
  }
  std::span<const Piece> piecesOf(const Stage &stage) const {
    return {pieces.data() + stage.firstPiece, size_t(stage.pieces)};
  }
  std::span<const Stage> stagesOf(const Item &item) const {
    return {stages.data() + item.firstStage, size_t(item.stages)};
  }
  static int64_t bytesOf(const Piece &piece, const Option &option) {
    return piece.bytes >= 0 ? piece.bytes : option.bytes;
  }
  /// The time at which a stage that is not the first begins to hold the bytes
  /// of another option.
  int32_t arrival(const Stage &stage) const {
    return pieces[stage.firstPiece].lower - 1;
  }
};

/// By stage: the option, as an index into the options of the stage.
using Selection = std::vector<int32_t>;

Cost costOf(const ChoiceModel &model, const Selection &selection);

/// By resource and time: bytes. O(size of the model).
using Loads = std::vector<std::vector<Cost>>;
Loads loadsOf(const ChoiceModel &model, const Selection &selection);

/// Whether no load exceeds its capacity.
bool isWithin(const ChoiceModel &model, const Selection &selection);

/// The cost as a number of 64 bits.
inline int64_t saturate(Cost cost) {
  return cost > infinite ? infinite : static_cast<int64_t>(cost);
}

} // namespace tamc::planning

#endif // TAMC_PLANNING_CHOICE_MODEL_H
