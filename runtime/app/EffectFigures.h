//===- app/EffectFigures.h - pictures of effects ----------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An effect is evaluated by the model's own steps, at rows that come from no
/// file: the inputs of a picture are on a grid over their training range, all
/// others in the middle of theirs.
///
//===----------------------------------------------------------------------===//

#ifndef TAMRT_APP_EFFECTFIGURES_H
#define TAMRT_APP_EFFECTFIGURES_H

#include "app/CommandLine.h"
#include "core/data/Dataset.h"
#include "core/model/Weights.h"
#include "core/run/Executor.h"
#include "plot/Figure.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tamrt {

class StandardErrors;

/// A picture, and the name of its file.
struct NamedFigure {
  std::string name;
  plot::Figure figure;
};

class EffectFigures {
public:
  /// `terms` of the model (`parseTerms`); `weights`, with inference or without,
  /// must outlive this.
  EffectFigures(const tamrt_model &model, const nlohmann::ordered_json &terms,
                const Options &options, const Weights &weights);
  ~EffectFigures();

  /// Whether there are standard errors; if not although there is inference, the
  /// reason.
  bool hasErrors() const { return errors != nullptr; }
  const std::string &whyNoErrors() const { return reason; }

  /// The means of a group's effects that are subtracted if there is no
  /// inference; without them, those over the grid are.
  void setMeans(size_t group, std::vector<double> means);

  /// The rows of data whose inputs the pictures mark.
  void setRows(const Dataset *data) { rows = data; }

  /// The pictures of a group. Errors: those of `predictGroups`; an effect that
  /// is not finite on its grid.
  Result<std::vector<NamedFigure>> figures(size_t group, const RunOptions &run);

  /// The curves of the groups that `figures` has drawn, on each other. None if
  /// there is one group.
  std::vector<NamedFigure> together() const;

private:
  /// A column that is on an axis.
  struct Variable {
    std::string column;
    /// The input that has its range or its levels.
    size_t input;
    bool isLevels;
  };
  /// What is drawn of an effect: its inputs, one or two; none if the note says
  /// why there is no picture.
  struct Panel {
    size_t effect;
    std::string name;
    std::vector<Variable> variables;
    std::string note;
  };
  /// Values of a variable in a group.
  struct Grid {
    plot::Axis axis;
    /// The places on the axis, and what inputs get there: a number, which a
    /// column of text has not, and the text of a level.
    std::vector<double> places, numbers;
    std::vector<std::string> levels;
    std::string note;
  };
  class RowBuilder;

  void addPanels(size_t effect, const nlohmann::ordered_json &term);
  Grid gridOf(size_t group, const Variable &variable, size_t points) const;
  size_t pointsOf(const Panel &panel) const;
  NamedFigure draw(size_t group, const Panel &panel,
                   std::span<const Grid> grids, std::span<const double> values,
                   std::span<const double> errors);
  void addRug(size_t group, const Panel &panel, plot::Figure &figure) const;

  const tamrt_model &model;
  Options options;
  const Weights &weights;
  std::unique_ptr<StandardErrors> errors;
  std::string reason;
  const Dataset *rows = nullptr;
  std::vector<Panel> panels;
  /// By group; empty without.
  std::vector<std::vector<double>> means;
  /// By panel: all groups' curves.
  std::vector<plot::Figure> all;
};

} // namespace tamrt

#endif // TAMRT_APP_EFFECTFIGURES_H
