//===- Planning/ReadPlan.cpp - plans as JSON or CSV -----------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format/JsonText.h"
#include "tamc/Planning/Json.h"

#include <limits>
#include <unordered_map>

using namespace tamc::planning;
using Json = nlohmann::ordered_json;

namespace {

struct Wrong {
  std::string message;
};

class PlanReader {
public:
  PlanReader(const Json &root, const Problem &problem)
      : root(root), problem(problem) {
    for (size_t i = 0; i < problem.buffers.size(); ++i)
      buffers.emplace(problem.buffers[i].name, static_cast<int32_t>(i));
    for (size_t i = 0; i < problem.spaces.size(); ++i)
      spaces.emplace(problem.spaces[i].name, static_cast<int32_t>(i));
  }

  Plan read() {
    plan.status = Status::Feasible;
    size_t count = problem.buffers.size();
    plan.offsets.assign(count, -1);
    std::vector<bool> seen(count, false);
    std::vector<int32_t> chosen(count, -1);
    for (const Json &from : list(root, "buffers")) {
      int32_t buffer = bufferOf(from, "name");
      if (seen[buffer])
        fail("duplicate buffer '" + problem.buffers[buffer].name + "'");
      seen[buffer] = true;
      chosen[buffer] = from.contains("space") ? spaceOf(from, "space")
                                              : problem.buffers[buffer].space;
      plan.offsets[buffer] = number(from, "offset");
      if (from.contains("residences"))
        for (const Json &stay : list(from, "residences"))
          plan.residences.push_back(
              {buffer,
               spaceOf(stay, "space"),
               {number(stay, "lower"), number(stay, "upper")},
               number(stay, "offset")});
    }
    for (size_t i = 0; i < count; ++i)
      if (!seen[i])
        fail("buffer '" + problem.buffers[i].name +
             "' has no offset in the plan");
    if (hasChoice(problem))
      plan.spaces = std::move(chosen);
    std::stable_sort(plan.residences.begin(), plan.residences.end(),
                     [](const Residence &a, const Residence &b) {
                       return a.buffer < b.buffer;
                     });
    if (root.contains("plan"))
      readSummary(root["plan"]);
    return std::move(plan);
  }

private:
  [[noreturn]] static void fail(std::string message) {
    throw Wrong{std::move(message)};
  }

  static const Json &member(const Json &from, const char *name) {
    if (!from.is_object() || !from.contains(name))
      fail(std::string("expected an object with the member '") + name + "'");
    return from[name];
  }
  static const Json &list(const Json &from, const char *name) {
    const Json &value = member(from, name);
    if (!value.is_array())
      fail(std::string("expected a list as '") + name + "', got " +
           value.type_name());
    return value;
  }
  static int64_t number(const Json &from, const char *name) {
    const Json &value = member(from, name);
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() &&
         value.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max())))
      fail(std::string("expected a whole number below 2^63 as '") + name +
           "', got " + value.dump());
    return value.get<int64_t>();
  }
  static std::string text(const Json &value, const char *name) {
    if (!value.is_string())
      fail(std::string("expected a text as '") + name + "', got " +
           value.type_name());
    return value.get<std::string>();
  }
  static int32_t find(const std::unordered_map<std::string, int32_t> &names,
                      const char *what, const std::string &name) {
    auto found = names.find(name);
    if (found == names.end())
      fail(std::string(what) + " '" + name + "' is not in the problem");
    return found->second;
  }
  int32_t bufferOf(const Json &from, const char *name) const {
    return find(buffers, "buffer", text(member(from, name), name));
  }
  int32_t spaceOf(const Json &from, const char *name) const {
    return find(spaces, "space", text(member(from, name), name));
  }

  void readSummary(const Json &from) {
    if (from.contains("status")) {
      std::string name = text(from["status"], "status");
      plan.status = statusOf(name);
      // With a choice of spaces every plan is within the capacities.
      if (plan.status == Status::Invalid ||
          (hasChoice(problem) && !plan.fits()))
        fail("expected a plan that fits, got the status '" + name + "'");
    }
    if (from.contains("strategy"))
      plan.strategy = text(from["strategy"], "strategy");
    if (from.contains("bound")) {
      plan.bound.assign(problem.spaces.size(), 0);
      for (const Json &each : list(from, "bound"))
        plan.bound[spaceOf(each, "space")] = number(each, "bytes");
    }
    if (from.contains("cost"))
      plan.cost = number(from, "cost");
    if (from.contains("cost_bound"))
      plan.costBound = number(from, "cost_bound");
    if (from.contains("reason"))
      plan.reason = text(from["reason"], "reason");
    if (from.contains("pools") && !hasChoice(problem))
      for (const Json &each : list(from, "pools")) {
        Pool pool{spaceOf(each, "space"), number(each, "base"),
                  number(each, "size")};
        if (pool.base < 0 || pool.size < 0 ||
            pool.base > std::numeric_limits<int64_t>::max() - pool.size)
          fail("expected a pool between 0 and 2^63-1, got " + each.dump());
        plan.pools.push_back(pool);
      }
    if (from.contains("peak")) {
      plan.peak.assign(problem.spaces.size(), -1);
      for (const Json &each : list(from, "peak"))
        plan.peak[spaceOf(each, "space")] = number(each, "bytes");
    }
    if (from.contains("copies"))
      for (const Json &copy : list(from, "copies"))
        plan.copies.push_back({bufferOf(copy, "buffer"), number(copy, "time"),
                               spaceOf(copy, "from"), spaceOf(copy, "to"),
                               number(copy, "bytes")});
    if (from.contains("outside"))
      for (const Json &each : list(from, "outside"))
        plan.reasons.push_back(reasonOf(each));
  }

  Reason reasonOf(const Json &from) const {
    Reason reason;
    reason.buffer = bufferOf(from, "buffer");
    reason.outside = {number(from, "lower"), number(from, "upper")};
    reason.space = spaceOf(from, "space");
    std::string because = text(member(from, "because"), "because");
    bool known = false;
    for (Reason::Kind kind :
         {Reason::Kind::Bytes, Reason::Kind::Stretch, Reason::Kind::Plan})
      if (because == toString(kind)) {
        reason.kind = kind;
        known = true;
      }
    if (!known)
      fail("expected 'bytes', 'stretch' or 'plan' as 'because', got '" +
           because + "'");
    reason.time = number(from, "time");
    reason.lacking = number(from, "lacking");
    for (const Json &each : list(from, "there"))
      reason.there.push_back(find(buffers, "buffer", text(each, "there")));
    reason.count = number(from, "count");
    return reason;
  }

  const Json &root;
  const Problem &problem;
  std::unordered_map<std::string, int32_t> buffers, spaces;
  Plan plan;
};

} // namespace

std::variant<Plan, Diagnostic>
tamc::planning::readPlan(std::string_view text, const Problem &problem) {
  size_t at = text.find_first_not_of(" \t\r\n");
  if (at == text.npos || text[at] != '{') {
    Plan plan;
    plan.status = Status::Feasible;
    auto offsets = readOffsets(text, problem, &plan.spaces);
    if (auto *wrong = std::get_if<Diagnostic>(&offsets))
      return *wrong;
    plan.offsets = std::get<std::vector<int64_t>>(std::move(offsets));
    return plan;
  }
  Plan plan;
  std::optional<Diagnostic> flaw;
  std::optional<Diagnostic> wrong = readJsonText(text, [&](const Json &root) {
    try {
      plan = PlanReader(root, problem).read();
    } catch (Wrong &wrong) {
      // A plan's errors name the buffer instead of a place.
      flaw = Diagnostic{std::move(wrong.message)};
    }
  });
  if (wrong || flaw)
    return wrong ? *wrong : *flaw;
  return plan;
}
