//===- Planning/Picture/Page.cpp - plans as an interactive page -----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Picture.h"

#include "Picture/Boxes.h"
#include "Picture/Columns.h"
#include "Picture/PageText.h"
#include "Picture/Text.h"
#include "Problem/Instance.h"
#include "tamc/Planning/Choice.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

using namespace tamc::planning;

namespace {

/// Most steps of a load curve in a page.
constexpr int maxSteps = 1 << 18;

std::string quoted(int64_t value) {
  return "\"" + std::to_string(value) + "\"";
}

/// ", cost 12, at least 9" for a plan with a choice of spaces.
std::string costOf(const Plan &plan) {
  if (!plan.cost)
    return {};
  std::string text = ", cost " + std::to_string(*plan.cost);
  if (*plan.costBound < *plan.cost)
    text += ", at least " + std::to_string(*plan.costBound);
  return text + ", " + std::to_string(plan.copies.size()) + " copies";
}

std::string quotedList(const std::vector<int64_t> &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ",") + quoted(value);
  return "[" + text + "]";
}

int64_t birthOf(const Buffer &buffer) {
  int64_t birth = INT64_MAX;
  if (!buffer.live.empty())
    birth = buffer.live.front().lower;
  if (!buffer.windows.empty())
    birth = std::min(birth, buffer.windows.front().time.lower);
  return birth;
}

class Writer {
public:
  Writer(const Problem &problem, std::span<const Plan> plans)
      : problem(problem), plans(plans), order(problem.buffers.size()) {
    // Sorted by time, so that the visible buffers are neighbours.
    std::vector<int64_t> births;
    births.reserve(order.size());
    for (const Buffer &buffer : problem.buffers)
      births.push_back(birthOf(buffer));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return births[a] < births[b];
    });
  }

  std::string write() {
    addBuffers();
    addPieces();
    addReasons();
    addNotes();
    addOperations();
    std::string meta = describe();
    std::string title = escapeXml(
        shorten(problem.name.empty() ? "Memory plan" : problem.name, 200));
    std::string page, data = toBase64(columns.bytes());
    page.reserve(data.size() + meta.size() + 100000);
    std::string_view rest = pageHtml;
    while (!rest.empty()) {
      size_t at = rest.find('@');
      page += rest.substr(0, at);
      if (at == rest.npos)
        break;
      size_t end = rest.find('@', at + 1);
      std::string_view mark = rest.substr(at + 1, end - at - 1);
      if (mark == "TITLE")
        page += title;
      else if (mark == "STYLE")
        page += pageStyle;
      else if (mark == "SCRIPT")
        page += pageScript;
      else if (mark == "META")
        page += meta;
      else if (mark == "DATA")
        page += data;
      rest.remove_prefix(end + 1);
    }
    return page;
  }

private:
  /// A column with one value for each buffer.
  template <typename Function>
  void addEach(const std::string &name, Function valueOf) {
    std::vector<int64_t> values;
    values.reserve(order.size());
    for (int32_t i : order)
      values.push_back(valueOf(i));
    columns.add(name, values);
  }

  void addBuffers() {
    const std::vector<Buffer> &buffers = problem.buffers;
    std::vector<std::string_view> names;
    names.reserve(order.size());
    for (int32_t i : order)
      names.push_back(buffers[i].name);
    columns.addTexts("name", names);
    addEach("size", [&](int32_t i) { return buffers[i].size; });
    addEach("space", [&](int32_t i) { return buffers[i].space; });
    addEach("alignment", [&](int32_t i) { return buffers[i].alignment; });
    addEach("alias", [&](int32_t i) { return buffers[i].aliasClass; });
    addEach("flags", [&](int32_t i) {
      return (buffers[i].pin ? 1 : 0) + (buffers[i].output ? 2 : 0);
    });
    addEach("pieces", [&](int32_t i) {
      return static_cast<int64_t>(buffers[i].live.size() +
                                  buffers[i].windows.size());
    });
    for (size_t k = 0; k < plans.size(); ++k)
      if (plans[k].offsets.size() == buffers.size())
        addEach("offset" + std::to_string(k),
                [&](int32_t i) { return plans[k].offsets[i]; });
  }

  void addPieces() {
    std::vector<int64_t> lower, length, from, bytes;
    for (int32_t i : order) {
      auto add = [&](Interval time, int64_t begin, int64_t end) {
        lower.push_back(time.lower);
        length.push_back(time.upper - time.lower);
        from.push_back(begin);
        bytes.push_back(end - begin);
      };
      for (const Interval &interval : problem.buffers[i].live)
        add(interval, 0, problem.buffers[i].size);
      for (const Window &window : problem.buffers[i].windows)
        add(window.time, window.lower, window.upper);
    }
    columns.add("lower", lower);
    columns.add("length", length);
    columns.add("from", from);
    columns.add("bytes", bytes);
    std::vector<std::vector<int32_t>> members = buffersBySpace(problem);
    for (size_t space = 0; space < problem.spaces.size(); ++space) {
      std::vector<Step> load =
          loadOf(problem, static_cast<int32_t>(space), members[space]);
      if (load.size() > size_t(maxSteps)) {
        auto span = static_cast<__int128>(load.back().time) - load.front().time;
        loadUnits =
            std::max(loadUnits, static_cast<int64_t>((span + maxSteps - 2) /
                                                     (maxSteps - 1)));
        load = thin(load, maxSteps);
      }
      std::vector<int64_t> times, values;
      for (const Step &step : load) {
        times.push_back(step.time);
        values.push_back(step.bytes);
      }
      columns.add("loadTime" + std::to_string(space), times);
      columns.add("loadBytes" + std::to_string(space), values);
    }
  }

  /// Why buffers are outside their cheapest space, in the first plan.
  void addReasons() {
    if (plans.empty() || plans.front().reasons.empty())
      return;
    std::vector<std::string> texts(problem.buffers.size());
    for (const Reason &reason : plans.front().reasons) {
      std::string &text = texts[reason.buffer];
      text += (text.empty() ? "" : "; ") + toText(problem, reason);
    }
    std::vector<std::string_view> ordered;
    for (int32_t i : order)
      ordered.push_back(texts[i]);
    columns.addTexts("outside", ordered);
  }

  void addNotes() {
    if (problem.notes.empty())
      return;
    addEach("note", [&](int32_t i) { return problem.buffers[i].note; });
    // Notes share lines, as stacks share frames.
    std::unordered_map<std::string_view, int64_t> index;
    std::vector<std::string_view> texts;
    std::vector<int64_t> counts, lines;
    for (std::string_view rest : problem.notes) {
      size_t before = lines.size();
      while (!rest.empty()) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        auto [found, isNew] =
            index.emplace(line, static_cast<int64_t>(texts.size()));
        if (isNew)
          texts.push_back(line);
        lines.push_back(found->second);
      }
      counts.push_back(static_cast<int64_t>(lines.size() - before));
    }
    columns.add("noteCount", counts);
    columns.add("noteLines", lines);
    columns.addTexts("noteText", texts);
  }

  void addOperations() {
    if (problem.operations.empty())
      return;
    std::vector<int64_t> position(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      position[order[i]] = static_cast<int64_t>(i);
    std::vector<std::string_view> names;
    for (const Operation &operation : problem.operations)
      names.push_back(operation.name);
    columns.addTexts("operation", names);
    auto add = [&](const std::string &name,
                   std::vector<int32_t> Operation::*list) {
      std::vector<int64_t> counts, buffers;
      for (const Operation &operation : problem.operations) {
        counts.push_back(static_cast<int64_t>((operation.*list).size()));
        for (int32_t buffer : operation.*list)
          buffers.push_back(position[buffer]);
      }
      columns.add(name + "Count", counts);
      columns.add(name, buffers);
    };
    add("writes", &Operation::writes);
    add("reads", &Operation::reads);
  }

  std::string describe() const {
    std::string meta = "{\"buffers\":" + std::to_string(order.size());
    if (loadUnits)
      meta += ",\"loadUnits\":" + std::to_string(loadUnits);
    meta += ",\n\"spaces\":[";
    for (const Space &space : problem.spaces) {
      meta += (&space == problem.spaces.data() ? "{" : ",\n{") +
              std::string("\"name\":") + quoteJson(titleOf(space));
      if (space.capacity)
        meta += ",\"capacity\":" + quoted(*space.capacity);
      meta += "}";
    }
    meta += "],\n\"plans\":[";
    for (const Plan &plan : plans)
      meta += (&plan == plans.data() ? "{" : ",\n{") +
              std::string("\"strategy\":") +
              quoteJson(plan.strategy + costOf(plan)) +
              ",\"status\":" + quoteJson(toString(plan.status)) +
              ",\"reason\":" + quoteJson(plan.reason) +
              ",\"total\":" + quoted(plan.totalPeak()) +
              ",\"peak\":" + quotedList(plan.peak) +
              ",\"bound\":" + quotedList(plan.bound) + "}";
    return meta + "],\n\"columns\":" + columns.directory() + "}";
  }

  const Problem &problem;
  std::span<const Plan> plans;
  std::vector<int32_t> order;
  Columns columns;
  int64_t loadUnits = 0;
};

} // namespace

std::string tamc::planning::toPage(const Problem &problem,
                                   std::span<const Plan> plans) {
  return Writer(problem, plans).write();
}
