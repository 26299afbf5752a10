//===- Planning/Json.cpp - problems and plans as JSON ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tamc/Planning/Json.h"

#include "Format/JsonText.h"
#include "Format/ReadSize.h"
#include "Order/DataFlow.h"
#include "Picture/Text.h"
#include "tamrt/checksum.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

using namespace tamc::planning;
using Json = nlohmann::ordered_json;

namespace {

[[noreturn]] void fail(const std::string &place, const std::string &message) {
  throw JsonError{place, place.empty() ? message : place + ": " + message};
}

/// A snapshot of memory holds the checksum of its file.
void verifyChecksum(const Json &root, std::string_view text) {
  if (!root.is_object() || !root.contains("checksum"))
    return;
  const Json &member = root["checksum"];
  const std::string got =
      member.is_string() ? member.get<std::string>() : member.dump();
  const std::optional<size_t> place = tamrt::findChecksum(text, got);
  if (place && tamrt::checksumOf(text, *place).view() == got)
    return;
  fail("checksum", "'" + got +
                       "' is not the checksum of this file: it has changed "
                       "since it was written; remove the member 'checksum' if "
                       "the change is wanted");
}

class JsonReader {
public:
  JsonReader(const Json &root, const CsvOptions &options)
      : root(root), options(options) {}

  Problem read() {
    known(root, "",
          {"name", "spaces", "buffers", "operations", "order", "plan",
           "snapshot", "checksum"});
    if (root.contains("name"))
      problem.name = text(root["name"], "name");
    if (root.contains("spaces"))
      readSpaces(list(root["spaces"], "spaces"));
    if (!root.contains("buffers"))
      fail("", "expected a member 'buffers'");
    const Json &buffers = list(root["buffers"], "buffers");
    for (size_t i = 0; i < buffers.size(); ++i)
      readBuffer(buffers[i], "buffers[" + std::to_string(i) + "]");
    if (root.contains("operations"))
      readOperations(list(root["operations"], "operations"));
    else if (root.contains("order"))
      fail("order", "expected a member 'operations' too");
    deriveLives();
    return std::move(problem);
  }

private:
  static void known(const Json &object, const std::string &place,
                    std::initializer_list<std::string_view> names) {
    if (!object.is_object())
      fail(place, "expected an object, got " + std::string(object.type_name()));
    for (const auto &[key, value] : object.items())
      if (std::find(names.begin(), names.end(), key) == names.end())
        throw JsonError{place.empty() ? key : place + "." + key,
                        (place.empty() ? "" : place + ": ") +
                            "unknown member '" + key + "'"};
  }

  static const Json &list(const Json &value, const std::string &place) {
    if (!value.is_array())
      fail(place, "expected a list, got " + std::string(value.type_name()));
    return value;
  }

  static std::string text(const Json &value, const std::string &place) {
    if (!value.is_string())
      fail(place, "expected a text, got " + std::string(value.type_name()));
    return value.get<std::string>();
  }

  static int64_t number(const Json &value, const std::string &place) {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() &&
         value.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max())))
      fail(place, "expected a whole number below 2^63, got " + value.dump());
    return value.get<int64_t>();
  }

  void readSpaces(const Json &spaces) {
    problem.spaces.clear();
    spaceIndex.clear();
    for (size_t i = 0; i < spaces.size(); ++i) {
      std::string place = "spaces[" + std::to_string(i) + "]";
      known(spaces[i], place, {"name", "capacity", "alignment"});
      Space space;
      if (spaces[i].contains("name"))
        space.name = text(spaces[i]["name"], place + ".name");
      if (spaces[i].contains("capacity"))
        space.capacity = number(spaces[i]["capacity"], place + ".capacity");
      if (spaces[i].contains("alignment"))
        space.alignment = number(spaces[i]["alignment"], place + ".alignment");
      if (!spaceIndex
               .try_emplace(space.name,
                            static_cast<int32_t>(problem.spaces.size()))
               .second)
        fail(place, "duplicate space '" + space.name + "'");
      problem.spaces.push_back(space);
    }
    if (problem.spaces.empty())
      fail("spaces", "expected a space, got none");
  }

  void readBuffer(const Json &from, const std::string &place) {
    known(from, place,
          {"name",      "size",   "alignment",        "space",  "live",
           "lower",     "upper",  "windows",          "alias",  "pin",
           "hint",      "output", "device",           "dtype",  "stream",
           "offset",    "bytes",  "offsetExpression", "spaces", "uses",
           "residences"});
    for (const char *required : {"name", "size"})
      if (!from.contains(required))
        fail(place, std::string("expected a member '") + required + "'");
    Buffer buffer;
    buffer.name = text(from["name"], place + ".name");
    auto maybe = [&](const char *name, auto &value) {
      if (from.contains(name))
        value = number(from[name], place + "." + name);
    };
    if (from["size"].is_string()) {
      if (auto wrong = readExpression(text(from["size"], place),
                                      options.binding, problem, buffer))
        fail(place + ".size", *wrong);
    } else {
      maybe("size", buffer.size);
    }
    maybe("alignment", buffer.alignment);
    if (!options.ignorePins)
      maybe("pin", buffer.pin);
    maybe("hint", buffer.hint);
    if (from.contains("output")) {
      if (!from["output"].is_boolean())
        fail(place + ".output",
             "expected true or false, got " + from["output"].dump());
      buffer.output = from["output"].get<bool>();
    }
    if (from.contains("spaces"))
      readChoices(from["spaces"], place + ".spaces", buffer);
    else if (from.contains("space"))
      buffer.space =
          spaceNamed(text(from["space"], place + ".space"), place + ".space");
    if (from.contains("uses"))
      for (const Json &use : list(from["uses"], place + ".uses"))
        buffer.uses.push_back(number(use, place + ".uses"));
    if (from.contains("alias"))
      buffer.aliasClass = indexOf(classes, text(from["alias"], place));
    std::string kind;
    for (const char *name : {"device", "dtype", "stream"})
      kind += (from.contains(name) ? text(from[name], place + "." + name)
                                   : std::string()) +
              '\n';
    buffer.kind = indexOf(kinds, kind);
    readLife(from, place, buffer);
    if (!bufferIndex
             .try_emplace(buffer.name,
                          static_cast<int32_t>(problem.buffers.size()))
             .second)
      fail(place, "duplicate buffer '" + buffer.name + "'");
    lifeless.push_back(buffer.live.empty() && !from.contains("live"));
    problem.buffers.push_back(std::move(buffer));
  }

  int32_t spaceNamed(const std::string &name, const std::string &place) const {
    auto found = spaceIndex.find(name);
    if (found == spaceIndex.end())
      fail(place, "unknown space '" + name + "'");
    return found->second;
  }

  void readChoices(const Json &from, const std::string &place, Buffer &buffer) {
    if (!from.is_object() || from.empty())
      fail(place, "expected an object like {\"sram\": 0, \"dram\": 12}, got " +
                      (from.is_object() ? "an empty one"
                                        : std::string(from.type_name())));
    for (const auto &[name, cost] : from.items())
      buffer.choices.push_back(
          {spaceNamed(name, place), number(cost, place + "." + name)});
    buffer.space = buffer.choices.front().space;
  }

  void readLife(const Json &from, const std::string &place, Buffer &buffer) {
    if (from.contains("lower") != from.contains("upper"))
      fail(place, "expected both of 'lower' and 'upper', or none");
    if (from.contains("lower") && from.contains("live"))
      fail(place, "expected 'live' or 'lower' and 'upper', got both");
    if (from.contains("lower"))
      buffer.live.push_back({number(from["lower"], place + ".lower"),
                             number(from["upper"], place + ".upper")});
    auto tuple = [&](const Json &value, size_t count,
                     const std::string &where) -> const Json & {
      if (list(value, where).size() != count)
        fail(where, "expected " + std::to_string(count) + " numbers, got " +
                        std::to_string(value.size()));
      return value;
    };
    if (from.contains("live"))
      for (const Json &each : list(from["live"], place + ".live")) {
        tuple(each, 2, place + ".live");
        buffer.live.push_back({number(each[0], place + ".live"),
                               number(each[1], place + ".live")});
      }
    if (from.contains("windows"))
      for (const Json &each : list(from["windows"], place + ".windows")) {
        std::string where = place + ".windows";
        tuple(each, 4, where);
        buffer.windows.push_back(
            {{number(each[0], where), number(each[1], where)},
             number(each[2], where),
             number(each[3], where)});
      }
  }

  void readOperations(const Json &operations) {
    std::unordered_map<std::string, int32_t> names;
    for (size_t i = 0; i < operations.size(); ++i) {
      std::string place = "operations[" + std::to_string(i) + "]";
      known(operations[i], place, {"name", "reads", "writes", "after"});
      std::string name = operations[i].contains("name")
                             ? text(operations[i]["name"], place + ".name")
                             : std::to_string(i);
      if (!names.try_emplace(name, static_cast<int32_t>(i)).second)
        fail(place, "duplicate operation '" + name + "'");
      problem.operations.push_back({name, {}, {}, {}});
    }
    auto resolve = [](const Json &from, const char *member,
                      const std::string &place, const char *what,
                      const std::unordered_map<std::string, int32_t> &index,
                      std::vector<int32_t> &into) {
      if (!from.contains(member))
        return;
      std::string whole = place + "." + member;
      const Json &entries = list(from[member], whole);
      for (size_t i = 0; i < entries.size(); ++i) {
        const Json &each = entries[i];
        std::string where = whole + "[" + std::to_string(i) + "]";
        auto found = index.find(text(each, where));
        if (found == index.end())
          fail(where, std::string("unknown ") + what + " '" +
                          each.get<std::string>() + "'");
        into.push_back(found->second);
      }
    };
    for (size_t i = 0; i < operations.size(); ++i) {
      std::string place = "operations[" + std::to_string(i) + "]";
      Operation &operation = problem.operations[i];
      const Json &from = operations[i];
      resolve(from, "reads", place, "buffer", bufferIndex, operation.reads);
      resolve(from, "writes", place, "buffer", bufferIndex, operation.writes);
      resolve(from, "after", place, "operation", names, operation.after);
    }
    if (root.contains("order"))
      readOrder(list(root["order"], "order"), names);
  }

  /// Pairs of operations; the first of a pair comes before the second.
  void readOrder(const Json &pairs,
                 const std::unordered_map<std::string, int32_t> &names) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      std::string place = "order[" + std::to_string(i) + "]";
      if (list(pairs[i], place).size() != 2)
        fail(place, "expected the names of 2 operations, got a list of " +
                        std::to_string(pairs[i].size()));
      int32_t ends[2];
      for (size_t end = 0; end < 2; ++end) {
        std::string name = text(pairs[i][end], place);
        auto found = names.find(name);
        if (found == names.end())
          fail(place, "unknown operation '" + name + "'");
        ends[end] = found->second;
      }
      problem.operations[ends[1]].after.push_back(ends[0]);
    }
  }

  void deriveLives() {
    std::vector<std::optional<Interval>> implied = impliedLives(problem);
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      Buffer &buffer = problem.buffers[i];
      if (!lifeless[i] || !buffer.windows.empty())
        continue;
      if (!implied[i])
        fail("buffers[" + std::to_string(i) + "]",
             "buffer '" + buffer.name +
                 "' has no life, and no operation uses it");
      buffer.live = {*implied[i]};
    }
  }

  static int32_t indexOf(std::map<std::string, int32_t> &names,
                         const std::string &name) {
    return names.try_emplace(name, static_cast<int32_t>(names.size()))
        .first->second;
  }

  const Json &root;
  CsvOptions options;
  Problem problem;
  std::unordered_map<std::string, int32_t> spaceIndex = {{"", 0}};
  std::unordered_map<std::string, int32_t> bufferIndex;
  std::map<std::string, int32_t> classes, kinds;
  std::vector<bool> lifeless;
};

Json bySpace(const Problem &problem, const std::vector<int64_t> &values) {
  Json list = Json::array();
  for (size_t i = 0; i < values.size(); ++i)
    list.push_back({{"space", problem.spaces[i].name}, {"bytes", values[i]}});
  return list;
}

Json planToJson(const Problem &problem, const Plan &plan) {
  Json json = {{"strategy", plan.strategy},
               {"status", std::string(toString(plan.status))},
               {"peak", bySpace(problem, plan.peak)},
               {"bound", bySpace(problem, plan.bound)},
               {"nodes", plan.nodes}};
  if (!plan.reason.empty())
    json["reason"] = plan.reason;
  if (plan.costBound) {
    if (plan.cost)
      json["cost"] = *plan.cost;
    json["cost_bound"] = *plan.costBound;
  }
  if (plan.cost) {
    auto spaceName = [&](int32_t i) { return problem.spaces[i].name; };
    json["copies"] = Json::array();
    for (const Copy &copy : plan.copies)
      json["copies"].push_back({{"buffer", problem.buffers[copy.buffer].name},
                                {"time", copy.time},
                                {"from", spaceName(copy.from)},
                                {"to", spaceName(copy.to)},
                                {"bytes", copy.bytes}});
    json["outside"] = Json::array();
    for (const Reason &reason : plan.reasons) {
      Json there = Json::array();
      for (int32_t other : reason.there)
        there.push_back(problem.buffers[other].name);
      json["outside"].push_back(
          {{"buffer", problem.buffers[reason.buffer].name},
           {"lower", reason.outside.lower},
           {"upper", reason.outside.upper},
           {"space", spaceName(reason.space)},
           {"because", std::string(toString(reason.kind))},
           {"time", reason.time},
           {"lacking", reason.lacking},
           {"there", std::move(there)},
           {"count", reason.count}});
    }
  }
  for (const Pool &pool : plan.pools)
    json["pools"].push_back({{"space", problem.spaces[pool.space].name},
                             {"base", pool.base},
                             {"size", pool.size}});
  return json;
}

Json reportToJson(const Problem &problem, const OrderReport &report) {
  bool safe = report.reuse == Reuse::BranchSafe;
  Json json = {{"reuse", safe ? "branch-safe" : "program"}};
  if (report.peak >= 0)
    json["peak"] = report.peak;
  if (report.programPeak >= 0)
    json["programPeak"] = report.programPeak;
  if (report.scheduling) {
    const Scheduling &scheduling = *report.scheduling;
    Json &to = json["schedule"];
    to["changed"] = scheduling.changed;
    if (scheduling.peakBefore >= 0)
      to["peakBefore"] = scheduling.peakBefore;
    if (scheduling.peakAfter >= 0)
      to["peakAfter"] = scheduling.peakAfter;
    to["loadBefore"] = scheduling.schedule.given;
    to["loadAfter"] = scheduling.changed ? scheduling.schedule.load
                                         : scheduling.schedule.given;
    to["loadBound"] = scheduling.schedule.bound;
    to["order"] = Json::array();
    for (const Operation &operation : problem.operations)
      to["order"].push_back(operation.name);
  }
  if (!report.hidden)
    return json;
  json["hiddenDependencies"] = report.hidden->count;
  if (!report.hidden->complete)
    json["hiddenDependenciesComplete"] = false;
  json["hidden"] = Json::array();
  for (const HiddenDependency &each : report.hidden->worst)
    json["hidden"].push_back({{"before", problem.operations[each.before].name},
                              {"after", problem.operations[each.after].name},
                              {"buffers",
                               {problem.buffers[each.first].name,
                                problem.buffers[each.second].name}},
                              {"bytes", each.bytes}});
  return json;
}

} // namespace

std::variant<Problem, Diagnostic>
tamc::planning::readJson(std::string_view text, const CsvOptions &options) {
  Problem problem;
  if (std::optional<Diagnostic> wrong =
          readJsonText(text, [&](const Json &root) {
            verifyChecksum(root, text);
            problem = JsonReader(root, options).read();
          }))
    return *wrong;
  std::optional<Diagnostic> wrong = validate(problem);
  if (!wrong)
    return problem;
  std::string place =
      wrong->buffer >= 0 ? "buffers[" + std::to_string(wrong->buffer) + "]"
      : wrong->operation >= 0
          ? "operations[" + std::to_string(wrong->operation) + "]"
          : "";
  if (place.empty())
    return *wrong;
  auto [line, column] = placeOfByte(text, byteOfPlace(text, place));
  wrong->line = line;
  wrong->column = column;
  return *wrong;
}

std::string tamc::planning::whyNotJson(const Problem &problem) {
  std::string wrong;
  auto check = [&](const char *what, const auto &list) {
    for (const auto &each : list)
      if (wrong.empty() && toUtf8(each.name) != each.name)
        wrong = std::string("expected the names of ") + what +
                " in UTF-8, as JSON has to be, got '" + each.name + "'";
  };
  check("spaces", problem.spaces);
  check("buffers", problem.buffers);
  check("operations", problem.operations);
  return wrong;
}

std::string tamc::planning::writeJson(const Problem &problem, const Plan *plan,
                                      const OrderReport *report,
                                      const SymbolicPlan *symbolic,
                                      std::string_view snapshot) {
  Json root = Json::object();
  if (!problem.name.empty())
    root["name"] = problem.name;
  for (const Space &space : problem.spaces) {
    Json json = {{"name", space.name}, {"alignment", space.alignment}};
    if (space.capacity)
      json["capacity"] = *space.capacity;
    root["spaces"].push_back(std::move(json));
  }
  root["buffers"] = Json::array();
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    Json json = {{"name", buffer.name}, {"size", buffer.size}};
    if (buffer.expression >= 0)
      json["size"] = problem.expressions[buffer.expression].text();
    if (buffer.alignment != 1)
      json["alignment"] = buffer.alignment;
    for (const SpaceChoice &choice : buffer.choices)
      json["spaces"][problem.spaces[choice.space].name] = choice.cost;
    bool chosen = plan && i < plan->spaces.size();
    if (chosen || (problem.spaces.size() > 1 && buffer.choices.empty()))
      json["space"] =
          problem.spaces[chosen ? plan->spaces[i] : buffer.space].name;
    if (!buffer.uses.empty())
      json["uses"] = buffer.uses;
    json["live"] = Json::array();
    for (const Interval &interval : buffer.live)
      json["live"].push_back({interval.lower, interval.upper});
    for (const Window &window : buffer.windows)
      json["windows"].push_back(
          {window.time.lower, window.time.upper, window.lower, window.upper});
    if (buffer.aliasClass >= 0)
      json["alias"] = std::to_string(buffer.aliasClass);
    if (buffer.pin)
      json["pin"] = *buffer.pin;
    if (buffer.hint)
      json["hint"] = *buffer.hint;
    if (buffer.output)
      json["output"] = true;
    if (buffer.kind != 0)
      json["dtype"] = std::to_string(buffer.kind);
    if (plan && i < plan->offsets.size())
      json["offset"] = plan->offsets[i];
    if (symbolic) {
      auto index = static_cast<int32_t>(i);
      json["bytes"] = buffer.size;
      json["offsetExpression"] = offsetText(problem, *symbolic, index);
    }
    root["buffers"].push_back(std::move(json));
  }
  if (plan)
    for (const Residence &stay : plan->residences)
      root["buffers"][size_t(stay.buffer)]["residences"].push_back(
          {{"space", problem.spaces[stay.space].name},
           {"lower", stay.time.lower},
           {"upper", stay.time.upper},
           {"offset", stay.offset}});
  auto names = [&](const std::vector<int32_t> &list, auto nameOf) {
    Json json = Json::array();
    for (int32_t each : list)
      json.push_back(nameOf(each));
    return json;
  };
  auto bufferName = [&](int32_t i) { return problem.buffers[i].name; };
  auto operationName = [&](int32_t i) { return problem.operations[i].name; };
  for (const Operation &operation : problem.operations)
    root["operations"].push_back(
        {{"name", operation.name},
         {"reads", names(operation.reads, bufferName)},
         {"writes", names(operation.writes, bufferName)},
         {"after", names(operation.after, operationName)}});
  if (plan)
    root["plan"] = planToJson(problem, *plan);
  if (plan && report)
    root["plan"]["order"] = reportToJson(problem, *report);
  if (!snapshot.empty())
    root["snapshot"] = Json::parse(snapshot);
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}
