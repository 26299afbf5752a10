//===- Planning/Iopddl.cpp - strategies of intra-operator plans -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Iopddl.h"

#include "Choice/Selector.h"
#include "Format/JsonText.h"

#include <algorithm>
#include <numeric>

using namespace tamc::planning;
using Json = nlohmann::ordered_json;

namespace {

const Json &member(const Json &from, const char *name,
                   const std::string &place) {
  if (!from.is_object() || !from.contains(name))
    throw JsonError{place, place + ": expected an object with the member '" +
                               name + "'"};
  return from[name];
}

const Json &list(const Json &value, const std::string &place) {
  if (!value.is_array())
    throw JsonError{place,
                    place + ": expected a list, got " + value.type_name()};
  return value;
}

int64_t number(const Json &value, const std::string &place) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<uint64_t>() > uint64_t(infinite)) ||
      (!value.is_number_unsigned() && value.get<int64_t>() < 0))
    throw JsonError{place, place +
                               ": expected a whole number from 0 to 2^63-1, "
                               "got " +
                               value.dump()};
  return value.get<int64_t>();
}

std::vector<std::vector<int64_t>> numbers(const Json &value,
                                          const std::string &place) {
  std::vector<std::vector<int64_t>> rows;
  for (const Json &row : list(value, place)) {
    std::string where = place + "[" + std::to_string(rows.size()) + "]";
    rows.emplace_back();
    for (const Json &each : list(row, where))
      rows.back().push_back(number(each, where));
  }
  return rows;
}

StrategyProblem read(const Json &root) {
  StrategyProblem problem;
  const Json &from = member(root, "problem", "");
  if (from.contains("name") && from["name"].is_string())
    problem.name = from["name"].get<std::string>();
  const Json &nodes = member(from, "nodes", "problem");
  const std::string place = "problem.nodes.";
  auto intervals =
      numbers(member(nodes, "intervals", "problem.nodes"), place + "intervals");
  problem.costs =
      numbers(member(nodes, "costs", "problem.nodes"), place + "costs");
  problem.usages =
      numbers(member(nodes, "usages", "problem.nodes"), place + "usages");
  size_t count = intervals.size();
  for (auto [name, size] : {std::pair("costs", problem.costs.size()),
                            std::pair("usages", problem.usages.size())})
    if (size != count)
      throw JsonError{place + name, place + name + ": expected " +
                                        std::to_string(count) + " lists, got " +
                                        std::to_string(size)};
  for (size_t i = 0; i < count; ++i) {
    auto where = [&](const char *name) {
      return place + name + "[" + std::to_string(i) + "]";
    };
    if (intervals[i].size() != 2 || intervals[i][0] > intervals[i][1])
      throw JsonError{where("intervals"),
                      where("intervals") + ": expected a begin and an end"};
    if (problem.costs[i].empty() ||
        problem.costs[i].size() != problem.usages[i].size())
      throw JsonError{where("usages"),
                      where("usages") + ": expected as many as costs, " +
                          std::to_string(problem.costs[i].size()) +
                          ", and at least one, got " +
                          std::to_string(problem.usages[i].size())};
    problem.intervals.push_back({intervals[i][0], intervals[i][1]});
  }
  if (from.contains("usage_limit") && !from["usage_limit"].is_null())
    problem.limit = number(from["usage_limit"], "problem.usage_limit");
  if (from.contains("edges"))
    problem.edges = list(member(from["edges"], "nodes", "problem.edges"),
                         "problem.edges.nodes")
                        .size();
  return problem;
}

/// The model, and by item its node and by option its strategy. Strategies that
/// cost and use no less than another one are left out.
struct Built {
  ChoiceModel model;
  std::vector<size_t> nodes;
  std::vector<std::vector<int32_t>> strategies;
};

/// The strategies that are not dominated, by ascending cost.
std::vector<int32_t> usefulStrategies(const std::vector<int64_t> &costs,
                                      const std::vector<int64_t> &usages) {
  std::vector<int32_t> order(costs.size()), kept;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::pair(costs[a], usages[a]) < std::pair(costs[b], usages[b]);
  });
  for (int32_t each : order)
    if (kept.empty() || usages[each] < usages[kept.back()])
      kept.push_back(each);
  return kept;
}

Built build(const StrategyProblem &problem) {
  Built built;
  ChoiceModel &model = built.model;
  model.capacity = {problem.limit.value_or(infinite)};
  std::vector<int64_t> times;
  for (const Interval &each : problem.intervals)
    if (each.lower < each.upper) {
      times.push_back(each.lower);
      times.push_back(each.upper);
    }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  auto rank = [&](int64_t time) {
    return static_cast<int32_t>(
        std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  model.times = static_cast<int32_t>(times.size());
  for (size_t i = 0; i < problem.intervals.size(); ++i) {
    const Interval &life = problem.intervals[i];
    if (life.lower == life.upper)
      continue;
    ChoiceModel::Stage stage;
    stage.item = static_cast<int32_t>(model.items.size());
    stage.firstPiece = static_cast<int32_t>(model.pieces.size());
    stage.pieces = 1;
    stage.firstOption = static_cast<int32_t>(model.options.size());
    built.strategies.push_back(
        usefulStrategies(problem.costs[i], problem.usages[i]));
    built.nodes.push_back(i);
    for (int32_t each : built.strategies.back())
      model.options.push_back(
          {0, problem.usages[i][each], problem.costs[i][each]});
    stage.options = static_cast<int32_t>(built.strategies.back().size());
    model.pieces.push_back({rank(life.lower), rank(life.upper), -1});
    model.items.push_back({static_cast<int32_t>(model.stages.size()), 1, 0});
    model.stages.push_back(stage);
  }
  return built;
}

} // namespace

std::variant<StrategyProblem, Diagnostic>
tamc::planning::readIopddl(std::string_view text) {
  StrategyProblem problem;
  // The costs of edges are most of the text, and nothing reads them.
  constexpr std::string_view ignored = "problem.edges.costs";
  if (std::optional<Diagnostic> wrong = readJsonText(
          text, [&](const Json &root) { problem = read(root); }, ignored))
    return *wrong;
  return problem;
}

StrategyChoice tamc::planning::chooseStrategies(const StrategyProblem &problem,
                                                const Options &options) {
  StrategyChoice result;
  Cost bytes = 0;
  for (const std::vector<int64_t> &usages : problem.usages)
    bytes += *std::max_element(usages.begin(), usages.end());
  if (bytes >= Cost(1) << 61) {
    result.status = Status::Invalid;
    result.reason = "expected usages below 2^61 in total";
    return result;
  }
  Built built = build(problem);
  const Deadline deadline(options);
  Selected selected;
  if (options.chooser == Chooser::Search) {
    SelectOptions selecting;
    selecting.seed = options.seed;
    selecting.nodes = options.nodes;
    selecting.hasTimeLimit = options.timeLimit.has_value();
    selected = select(built.model, selecting, deadline);
  } else {
    selected.selection = options.chooser == Chooser::Size
                             ? chooseBySize(built.model)
                             : chooseByNextUse(built.model);
    selected.cost = costOf(built.model, selected.selection);
    if (!isWithin(built.model, selected.selection))
      selected.selection.clear();
  }
  Cost idle = 0;
  for (size_t i = 0; i < problem.intervals.size(); ++i)
    if (problem.intervals[i].lower == problem.intervals[i].upper)
      idle +=
          *std::min_element(problem.costs[i].begin(), problem.costs[i].end());
  result.costBound = saturate(idle + selected.bound);
  if (selected.selection.empty() && !built.nodes.empty()) {
    result.status = selected.impossible ? Status::Infeasible
                    : deadline.passed() ? Status::TimedOut
                                        : Status::NotFound;
    result.reason = selected.impossible
                        ? "no choice of strategies is within the limit"
                        : "no choice of strategies within the limit was found";
    return result;
  }
  for (const std::vector<int64_t> &costs : problem.costs)
    result.choice.push_back(static_cast<int32_t>(
        std::min_element(costs.begin(), costs.end()) - costs.begin()));
  for (size_t k = 0; k < built.nodes.size(); ++k)
    result.choice[built.nodes[k]] = built.strategies[k][selected.selection[k]];
  result.cost = saturate(idle + selected.cost);
  // A cost that saturates is that of many choices.
  result.status = selected.cost <= selected.bound && result.cost < infinite
                      ? Status::Optimal
                      : Status::Feasible;
  return result;
}

std::string tamc::planning::writeChoice(const StrategyProblem &problem,
                                        const StrategyChoice &choice) {
  Json plan = Json::object();
  if (choice.status == Status::Optimal || choice.status == Status::Feasible)
    plan["cost"] = choice.cost;
  plan["cost_bound"] = choice.costBound;
  plan["status"] = std::string(toString(choice.status));
  if (!choice.reason.empty())
    plan["reason"] = choice.reason;
  plan["edges_ignored"] = problem.edges;
  Json root = {{"choice", choice.choice}, {"plan", std::move(plan)}};
  return root.dump() + "\n";
}

Problem tamc::planning::firstStrategies(const StrategyProblem &problem) {
  Problem plain;
  plain.name = problem.name;
  for (size_t i = 0; i < problem.intervals.size(); ++i)
    if (const Interval &life = problem.intervals[i]; life.lower < life.upper)
      addBuffer(plain, life.lower, life.upper, problem.usages[i][0],
                "node " + std::to_string(i));
  return plain;
}
