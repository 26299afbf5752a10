//===- tam-plan.cpp - plans memory from the command line ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

///
/// \file
/// Reads a problem, plans it, writes the plan. Exit status: 0 planned, or the
/// checked plan is correct; 1 bad input; 2 does not fit the capacity.
///
//===----------------------------------------------------------------------===//

#include "Combinations.h"
#include "Input.h"
#include "Output.h"
#include "Snapshot.h"
#include "Symbols.h"
#include "TimeLimit.h"

#include "tamc/Planning/Check.h"
#include "tamc/Planning/Choice.h"
#include "tamc/Planning/Csv.h"
#include "tamc/Planning/Drawing.h"
#include "tamc/Planning/Explain.h"
#include "tamc/Planning/Iopddl.h"
#include "tamc/Planning/Json.h"
#include "tamc/Planning/LowerBound.h"
#include "tamc/Planning/OrderReport.h"
#include "tamc/Planning/Picture.h"
#include "tamc/Planning/Strategy.h"
#include "tamc/Planning/Symbolic.h"
#include "tamc/Planning/Terminal.h"
#include "tamc/Planning/TorchSnapshot.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace tamc::planning;

namespace {

struct Arguments {
  Options options;
  std::string problem, output = "-", emit = "text", pools = "intermediates";
  std::vector<std::string> compareWith;
  std::string outputs = "none", plan, reuse = "program", schedule = "given";
  std::string capacity, objective = "cost", choose = "search";
  std::string format = "auto";
  std::vector<std::string> bind, planAt;
  double timeLimit = 0;
  bool isStrategyGiven = false;
  bool compare = false, explain = false, ignorePins = false, draw = true;
  int width = 80;
};

int complain(const std::string &place, const std::string &message) {
  std::cerr << escapeControls(place) << ": error: " << escapeControls(message)
            << "\n";
  return 1;
}

int complain(const std::string &file, const Diagnostic &wrong) {
  std::string place = file;
  if (wrong.line)
    place += ":" + std::to_string(wrong.line);
  if (wrong.line && wrong.column)
    place += ":" + std::to_string(wrong.column);
  return complain(place, wrong.message);
}

bool isJson(const std::string &text) {
  size_t at = text.find_first_not_of(" \t\r\n");
  return at != text.npos && text[at] == '{';
}

std::string percent(double gap) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f%%", 100 * gap);
  return text;
}

/// `buffers` is their number in the given problem.
std::string summary(const Problem &problem, const Plan &plan, size_t buffers) {
  std::ostringstream text;
  text << "strategy  " << plan.strategy << "\n"
       << "status    " << toString(plan.status);
  if (!plan.reason.empty())
    text << ": " << escapeControls(plan.reason);
  text << "\n";
  if (plan.offsets.empty() && !problem.buffers.empty())
    return text.str();
  text << "buffers   " << buffers << "\n"
       << "peak      " << plan.totalPeak() << "\n"
       << "bound     " << plan.totalBound() << "\n"
       << "gap       " << percent(plan.gap()) << "\n";
  if (problem.spaces.size() > 1) {
    std::vector<int32_t> spaces = spacesToShow(problem, plan);
    for (int32_t i : spaces)
      text << "  space '" << problem.spaces[i].name << "': peak "
           << plan.peak[i] << ", bound " << plan.bound[i] << "\n";
    if (size_t more = problem.spaces.size() - spaces.size())
      text << "  and " << more << " more spaces of lower peaks\n";
  }
  if (plan.pools.size() > problem.spaces.size())
    text << "pools     " << plan.pools.size() << " of " << plan.poolBytes()
         << " bytes together\n";
  return text.str();
}

/// Names a problem after its file, because pictures need a title.
void nameAfterFile(Problem &problem, const std::string &path) {
  if (problem.name.empty() && path != "-")
    problem.name = path.substr(path.rfind('/') + 1);
}

int exitCode(const Plan &plan) {
  if (plan.status == Status::Invalid)
    return 1;
  return plan.fits() ? 0 : 2;
}

int write(const Arguments &arguments, const std::string &text) {
  std::string wrong = writeOutput(arguments.output, text);
  return wrong.empty() ? 0 : complain(arguments.output, wrong);
}

void complainOfFit(const Arguments &arguments, const Plan &plan) {
  complain(arguments.problem,
           (plan.status == Status::Infeasible ? "does not fit (proved): "
            : plan.status == Status::TimedOut
                ? "no fit found within the time limit: "
                : "no fit found: ") +
               plan.reason);
}

/// The picture of a plan from a file, which has been checked. It may exceed the
/// capacities.
int drawPlan(const Arguments &arguments, const Problem &problem,
             const Plan &plan) {
  Resolved resolved = resolve(problem, plan);
  Plan &drawn = resolved.plan;
  size_t spaces = resolved.problem.spaces.size();
  drawn.peak.assign(spaces, 0);
  drawn.bound.resize(spaces, 0);
  for (size_t i = 0; i < resolved.problem.buffers.size(); ++i) {
    const Buffer &buffer = resolved.problem.buffers[i];
    if (!buffer.live.empty() && buffer.size > 0)
      drawn.peak[buffer.space] =
          std::max(drawn.peak[buffer.space], drawn.offsets[i] + buffer.size);
  }
  // A bound that the file has may come from a search, which is not repeated.
  std::vector<Bound> bounds =
      lowerBounds(resolved.problem, arguments.options.alignment);
  for (size_t i = 0; i < spaces; ++i) {
    drawn.bound[i] = std::min(drawn.bound[i], drawn.peak[i]);
    if (!hasChoice(problem))
      drawn.bound[i] = std::max(drawn.bound[i], bounds[i].bytes);
    std::optional<int64_t> capacity = resolved.problem.spaces[i].capacity;
    if (drawn.fits() && capacity && drawn.peak[i] > *capacity) {
      drawn.status = Status::NotFound;
      drawn.reason = "the plan needs " + std::to_string(drawn.peak[i]) +
                     " of " + std::to_string(*capacity) + " bytes";
    }
  }
  nameAfterFile(resolved.problem, arguments.problem);
  if (arguments.emit == "html")
    return write(arguments, toPage(resolved.problem, {&drawn, 1}));
  return write(arguments, arguments.emit == "svg"
                              ? toSvg(resolved.problem, drawn)
                              : toTrace(resolved.problem, drawn));
}

int checkPlan(const Arguments &arguments, const Problem &problem) {
  std::optional<std::string> text = readFile(arguments.plan);
  if (!text)
    return complain(arguments.plan, "cannot read");
  auto result = readPlan(*text, problem);
  if (auto *wrong = std::get_if<Diagnostic>(&result))
    return complain(arguments.plan, *wrong);
  const Plan &plan = std::get<Plan>(result);
  CheckOptions options;
  options.alignment = arguments.options.alignment;
  options.reuse = arguments.options.reuse;
  options.costDecides = arguments.options.objective == Objective::Cost;
  bool isWrong = false, exceeds = false;
  auto report = [&](const std::vector<Finding> &findings) {
    for (const Finding &finding : findings) {
      complain(arguments.plan, finding.message);
      (finding.kind == Finding::Kind::Capacity ? exceeds : isWrong) = true;
    }
  };
  report(check(problem, plan, options));
  // Those of capacities may leave no room for others.
  options.capacities = false;
  if (exceeds && !isWrong)
    report(check(problem, plan, options));
  if (isWrong)
    return 1;
  const bool draws = arguments.emit == "html" || arguments.emit == "svg" ||
                     arguments.emit == "trace";
  if (draws)
    if (int wrong = drawPlan(arguments, problem, plan))
      return wrong;
  if (exceeds)
    return 2;
  return draws ? 0 : write(arguments, "the plan is correct\n");
}

/// Gives each of several plans its share of the remaining time; stops if the
/// share is shorter than the fastest plan so far.
class Shares {
public:
  Shares(const TimeLimit &limit, size_t plans) : limit(limit), plans(plans) {}

  /// The options for the next plan with its time limit; nothing if no time is
  /// left for one.
  std::optional<Options> next(const Options &given, std::string_view strategy) {
    Options options = given;
    options.strategy = strategy;
    if (!options.timeLimit)
      return options;
    double now = limit.elapsed();
    if (begun >= 0)
      quickest = std::min(quickest, now - begun);
    if (begun >= 0 && quickest > limit.left())
      return std::nullopt;
    begun = now;
    options.timeLimit = limit.left() / static_cast<double>(plans--);
    return options;
  }

private:
  const TimeLimit &limit;
  size_t plans;
  /// Start of the last plan; below 0 if there was none.
  double begun = -1;
  double quickest = std::numeric_limits<double>::infinity();
};

int compare(const Arguments &arguments, const Problem &problem,
            const TimeLimit &limit) {
  std::ostringstream text;
  char line[160];
  std::snprintf(line, sizeof line, "%-18s %20s %12s %10s  %s\n", "strategy",
                "peak", "gap", "seconds", "status");
  text << line;
  bool fits = false;
  Shares shares(limit, strategies().size());
  for (const Strategy &strategy : strategies()) {
    std::optional<Options> options =
        shares.next(arguments.options, strategy.name);
    if (!options) {
      std::string name(strategy.name);
      std::snprintf(line, sizeof line, "%-18s %20s %12s %10s  %s\n",
                    name.c_str(), "-", "-", "-",
                    "not run, as no time was left");
      text << line;
      continue;
    }
    Plan made = plan(problem, *options);
    if (made.status == Status::Invalid)
      return complain(arguments.problem, made.reason);
    fits |= made.fits();
    bool none = made.offsets.empty() && !problem.buffers.empty();
    std::string name(strategy.name);
    std::string status(toString(made.status));
    std::snprintf(
        line, sizeof line, "%-18s %20s %12s %10.3f  %s\n", name.c_str(),
        none ? "-" : std::to_string(made.totalPeak()).c_str(),
        none ? "-" : percent(made.gap()).c_str(), made.seconds, status.c_str());
    text << line;
  }
  int wrong = write(arguments, text.str());
  return wrong ? wrong : fits ? 0 : 2;
}

/// Writes the page of the plan and of those it is compared with.
int writePage(const Arguments &arguments, Problem &problem,
              const TimeLimit &limit) {
  std::vector<std::string> names = {arguments.options.strategy};
  auto add = [&](std::string_view name) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.emplace_back(name);
  };
  for (const std::string &name : arguments.compareWith)
    add(name);
  if (arguments.compare)
    for (const Strategy &strategy : strategies())
      add(strategy.name);
  std::vector<Plan> plans;
  Shares shares(limit, names.size());
  for (const std::string &name : names) {
    std::optional<Options> options = shares.next(arguments.options, name);
    if (!options) {
      std::cerr << arguments.problem << ": note: no time was left for '" << name
                << "'\n";
      continue;
    }
    plans.push_back(plan(problem, *options));
    if (plans.back().status == Status::Invalid)
      return complain(arguments.problem, plans.back().reason);
    // The page lists plans by the requested strategy, not by the member that
    // won.
    if (plans.back().strategy != name)
      plans.back().strategy = name + ": " + plans.back().strategy;
  }
  nameAfterFile(problem, arguments.problem);
  if (int wrong = write(arguments, toPage(problem, plans)))
    return wrong;
  if (std::any_of(plans.begin(), plans.end(),
                  [](const Plan &plan) { return plan.fits(); }))
    return 0;
  complainOfFit(arguments, plans.front());
  return 2;
}

/// Sets the capacities of an option like "4096", for all spaces, or
/// "sram=4096,dram=65536"; or returns an error message.
std::optional<std::string> setCapacities(const std::string &text,
                                         Problem &problem) {
  auto number = [](std::string_view digits) -> std::optional<int64_t> {
    int64_t value = -1;
    const char *end = digits.data() + digits.size();
    auto [last, wrong] = std::from_chars(digits.data(), end, value);
    if (wrong != std::errc() || last != end || value < 0)
      return std::nullopt;
    return value;
  };
  if (text.find('=') == text.npos) {
    if (text.empty())
      return std::nullopt;
    std::optional<int64_t> all = number(text);
    if (!all)
      return "expected bytes, or capacities like sram=4096,dram=65536, got '" +
             text + "'";
    for (Space &space : problem.spaces)
      space.capacity = all;
    return std::nullopt;
  }
  std::vector<bool> seen(problem.spaces.size(), false);
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view each = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(each.size() + 1, rest.size()));
    size_t equals = each.rfind('=');
    std::optional<int64_t> value =
        equals == each.npos ? std::nullopt : number(each.substr(equals + 1));
    if (!value)
      return "expected a capacity like sram=4096, got '" + std::string(each) +
             "'";
    std::string_view name = each.substr(0, equals);
    size_t space = 0;
    while (space < problem.spaces.size() && problem.spaces[space].name != name)
      ++space;
    if (space == problem.spaces.size())
      return "no space has the name '" + std::string(name) + "'";
    if (seen[space])
      return "expected one capacity of '" + std::string(name) + "', got two";
    seen[space] = true;
    problem.spaces[space].capacity = value;
  }
  return std::nullopt;
}

/// Seconds that writing takes, of those that reading took. JSON and traces have
/// the most text per buffer.
double writingPerReading(const std::string &form) {
  return form == "json" || form == "trace" ? 5 : 1;
}

/// Plans a problem with a choice of spaces.
int planChoice(const Arguments &arguments, const Problem &problem) {
  Plan made = plan(problem, arguments.options);
  int code = exitCode(made);
  if (code == 1)
    return complain(arguments.problem, made.reason);
  if (code == 2)
    complainOfFit(arguments, made);
  if (arguments.emit == "json") {
    int wrong = write(arguments, writeJson(problem, &made));
    return wrong ? wrong : code;
  }
  if (code != 0)
    return code;
  if (arguments.emit == "csv") {
    if (!made.copies.empty())
      return complain("--emit", "csv has no copies; expected json");
    return write(arguments, writeCsv(problem, made.offsets, made.spaces));
  }
  Resolved resolved = resolve(problem, made);
  nameAfterFile(resolved.problem, arguments.problem);
  if (arguments.emit == "html")
    return write(arguments, toPage(resolved.problem, {&resolved.plan, 1}));
  if (arguments.emit == "svg")
    return write(arguments, toSvg(resolved.problem, resolved.plan));
  if (arguments.emit == "trace")
    return write(arguments, toTrace(resolved.problem, resolved.plan));
  Problem printed = problem;
  escapeNames(printed);
  escapeNames(resolved.problem);
  std::string out =
      summary(resolved.problem, resolved.plan, problem.buffers.size()) +
      describeChoice(printed, made);
  if (arguments.explain)
    out +=
        explain(resolved.problem, resolved.plan, arguments.options.alignment);
  DrawingOptions drawing;
  drawing.width = arguments.width;
  if (arguments.draw)
    for (int32_t space : spacesToShow(resolved.problem, resolved.plan))
      out +=
          "\n" + draw(resolved.problem, resolved.plan.offsets, space, drawing);
  return write(arguments, out);
}

/// Chooses the strategies of a problem of iopddl.
int chooseStrategies(const Arguments &arguments, const StrategyProblem &problem,
                     const TimeLimit &limit) {
  Options options = arguments.options;
  if (arguments.timeLimit > 0)
    options.timeLimit = limit.left();
  StrategyChoice choice = tamc::planning::chooseStrategies(problem, options);
  if (choice.status == Status::Invalid)
    return complain(arguments.problem, choice.reason);
  if (problem.edges > 0)
    std::cerr << escapeControls(arguments.problem) << ": note: the costs of "
              << problem.edges << " edges are ignored\n";
  int wrong = write(arguments, writeChoice(problem, choice));
  if (wrong)
    return wrong;
  if (!choice.reason.empty()) {
    complain(arguments.problem, choice.reason);
    return 2;
  }
  return 0;
}

/// Whether the user asks for no more of a snapshot than its report.
bool wantsReportAlone(const Arguments &arguments) {
  return arguments.options.alignment <= 1 << 20 && !arguments.isStrategyGiven &&
         arguments.plan.empty() && arguments.capacity.empty() &&
         !arguments.compare && arguments.emit == "text";
}

int run(Arguments &arguments, TimeLimit &limit) {
  bool isIopddl = arguments.format.starts_with("iopddl");
  std::optional<TorchSnapshot> snapshot;
  if (arguments.emit == "events" &&
      (arguments.format != "snapshot" || arguments.output != "-"))
    return complain("--emit", "events need --format=snapshot, and are written "
                              "to standard output alone");
  std::optional<std::string> text;
  if (arguments.format == "snapshot") {
    if (arguments.emit == "events") {
      auto wrong = printEvents(arguments.problem);
      return wrong ? complain(arguments.problem, *wrong) : 0;
    }
    auto result = readSnapshot(arguments.problem);
    if (auto *wrong = std::get_if<Diagnostic>(&result))
      return complain(arguments.problem, *wrong);
    snapshot = std::get<TorchSnapshot>(std::move(result));
    if (isLong(*snapshot) && wantsReportAlone(arguments))
      return write(arguments,
                   reportLongSnapshot(*snapshot, arguments.options.alignment));
    text.emplace();
  } else if (isIopddl) {
    Input input(arguments.problem);
    if (std::string wrong = readAll(input, text.emplace()); !wrong.empty())
      return complain(arguments.problem, wrong);
  } else {
    text = readFile(arguments.problem);
  }
  if (!text)
    return complain(arguments.problem, "cannot read");
  CsvOptions reading;
  reading.ignorePins = arguments.ignorePins;
  Binding binding;
  if (auto wrong = readBinding(arguments.bind, binding))
    return complain("--bind", *wrong);
  reading.binding = binding;
  if (auto wrong = readBinding(arguments.planAt, reading.binding))
    return complain("--plan-at", *wrong);
  // These modes make no symbolic plan, so they use the values themselves.
  if (!arguments.plan.empty() || arguments.compare || arguments.emit == "html")
    reading.binding = binding;
  Problem problem;
  if (snapshot) {
    problem = toProblem(*snapshot);
  } else if (isIopddl) {
    auto result = readIopddl(*text);
    if (auto *wrong = std::get_if<Diagnostic>(&result))
      return complain(arguments.problem, *wrong);
    const auto &strategies = std::get<StrategyProblem>(result);
    if (arguments.format == "iopddl")
      return chooseStrategies(arguments, strategies, limit);
    problem = firstStrategies(strategies);
  } else {
    auto result =
        isJson(*text) ? readJson(*text, reading) : readCsv(*text, reading);
    if (auto *wrong = std::get_if<Diagnostic>(&result))
      return complain(arguments.problem, *wrong);
    problem = std::get<Problem>(std::move(result));
  }
  if (auto wrong = setCapacities(arguments.capacity, problem))
    return complain("--capacity", *wrong);
  if (auto wrong = validate(problem, arguments.options.alignment))
    return complain(arguments.problem, *wrong);
  if (arguments.options.reuse == Reuse::BranchSafe)
    if (std::string reason = whyNotBranchSafe(problem); !reason.empty())
      return complain(arguments.problem, reason);
  if (auto wrong = checkSymbols(problem, reading.binding))
    return complain("--bind or --plan-at", *wrong);
  if (isSymbolic(problem))
    if (std::string reason =
            whyNotSymbolic(problem, arguments.options.alignment);
        !reason.empty())
      return complain(arguments.problem, reason);
  bool minPeak = arguments.schedule == "min-peak";
  if (minPeak)
    if (std::string reason = whyNotScheduled(problem); !reason.empty())
      return complain(arguments.problem, reason);
  if (!arguments.plan.empty())
    return checkPlan(arguments, problem);
  if (arguments.emit == "json")
    if (std::string reason = whyNotJson(problem); !reason.empty())
      return complain(arguments.problem, reason);
  if (hasChoice(problem)) {
    if (std::string reason = whyNotChosen(problem, arguments.options);
        !reason.empty())
      return complain(arguments.problem, reason);
    for (auto [option, given] :
         {std::pair("--compare", arguments.compare),
          std::pair("--compare-with", !arguments.compareWith.empty()),
          std::pair("--schedule", minPeak)})
      if (given)
        return complain(option, "expected a problem with one space for each "
                                "buffer, got a choice of spaces");
  } else {
    for (auto [option, given] :
         {std::pair("--evict", arguments.options.evict),
          std::pair("--objective", arguments.objective != "cost"),
          std::pair("--choose", arguments.choose != "search")})
      if (given)
        return complain(option, "expected a problem with a choice of spaces");
  }
  limit.reserve(limit.elapsed() * writingPerReading(arguments.emit));
  if (arguments.timeLimit > 0)
    arguments.options.timeLimit = limit.left();
  // Several plans use one order: that of the lowest load.
  if (minPeak && (arguments.emit == "html" || arguments.compare)) {
    ScheduleOptions scheduling;
    if (arguments.timeLimit > 0)
      scheduling.timeLimit = limit.left() / 4;
    problem = reorder(problem, minimizeLoad(problem, scheduling).order);
  }
  if (arguments.emit == "html" && !hasChoice(problem))
    return writePage(arguments, problem, limit);
  if (!arguments.compareWith.empty())
    return complain("--compare-with",
                    "expected --emit=html, got " + arguments.emit);
  if (arguments.compare)
    return compare(arguments, problem, limit);

  if (hasChoice(problem))
    return planChoice(arguments, problem);
  Scheduling scheduling;
  Options options = arguments.options;
  double share = 0;
  if (options.timeLimit && !problem.operations.empty() &&
      (arguments.emit == "json" || arguments.emit == "text")) {
    // The report plans again to compute the cost of safety, or finds the
    // dependencies that the plan adds.
    share = *options.timeLimit / 4;
    *options.timeLimit -= share;
  }
  Plan made = minPeak ? planMinPeak(problem, options, scheduling)
                      : plan(problem, options);
  std::optional<SymbolicPlan> symbolic;
  std::string symbols;
  if (isSymbolic(problem) && !made.offsets.empty())
    if (auto wrong = bindPlan(arguments.options, reading.binding, binding,
                              problem, made, symbolic.emplace(), symbols))
      return complain(arguments.problem, *wrong);
  int code = exitCode(made);
  if (code == 1)
    return complain(arguments.problem, made.reason);
  if (code == 2)
    complainOfFit(arguments, made);
  bool hasPlan = !made.offsets.empty() || problem.buffers.empty();
  std::optional<OrderReport> report;
  if (arguments.emit == "json" || arguments.emit == "text")
    report = reportOrder(problem, made, options, share);
  if (report && minPeak)
    report->scheduling = scheduling;
  std::string out;
  if (arguments.emit == "json") {
    out = writeJson(problem, &made, report ? &*report : nullptr,
                    symbolic ? &*symbolic : nullptr,
                    snapshot ? reportSnapshotAsJson(*snapshot, problem, made,
                                                    arguments.options)
                             : "");
  } else if (arguments.emit == "csv") {
    // A plan that does not fit is not written, so that nobody uses it.
    if (code != 0)
      return code;
    out = writeCsv(problem, made.offsets);
  } else if (arguments.emit == "svg") {
    nameAfterFile(problem, arguments.problem);
    out = toSvg(problem, made);
  } else if (arguments.emit == "trace") {
    out = toTrace(problem, made);
  } else {
    // From here on names are only printed; they must not control a terminal.
    escapeNames(problem);
    if (snapshot)
      out = reportSnapshot(*snapshot, problem, made, arguments.options);
    out += summary(problem, made, problem.buffers.size()) + symbols;
    if (report)
      out += toText(problem, *report);
    if (arguments.explain)
      out += explain(problem, made, options.alignment, options.reuse);
    DrawingOptions drawing;
    drawing.width = arguments.width;
    if (hasPlan)
      for (int32_t space : spacesToShow(problem, made))
        out += "\n" + draw(problem, made.offsets, space, drawing);
  }
  int wrong = write(arguments, out);
  return wrong ? wrong : code;
}

} // namespace

int main(int argc, char **argv) {
  auto begin = std::chrono::steady_clock::now();
  Arguments arguments;
  Options &options = arguments.options;
  CLI::App app("Plans where buffers of known lives lie in memory.");
  app.set_version_flag("--version", "tam-plan 0.1.0");
  const CLI::Validator file(
      [](std::string &text) -> std::string {
        return text.empty() ? "expected the name of a file, got ''" : "";
      },
      "");
  app.add_option("PROBLEM", arguments.problem,
                 "CSV or JSON file; - is standard input")
      ->required()
      ->check(file);
  std::vector<std::string> names;
  std::string known = "how to plan:";
  for (const Strategy &strategy : strategies()) {
    names.emplace_back(strategy.name);
    known += "\n" + std::string(strategy.name) + ": " +
             std::string(strategy.summary);
  }
  app.add_option("--strategy", options.strategy, known)
      ->check(CLI::IsMember(names))
      ->default_str("auto");
  app.add_option("--capacity", arguments.capacity,
                 "bytes of each space, or sram=BYTES,dram=BYTES; exit 2 when "
                 "they do not suffice");
  app.add_option(
         "--format", arguments.format,
         "iopddl: a problem of strategies, .json or .json.gz, whose\n"
         "strategies are chosen; iopddl-first: the memory of its first "
         "strategies;\n"
         "snapshot: a memory snapshot of PyTorch, .pickle or .pickle.gz")
      ->check(CLI::IsMember({"auto", "iopddl", "iopddl-first", "snapshot"}))
      ->default_str("auto");
  app.add_option("--objective", arguments.objective,
                 "what a choice of spaces makes least first: the cost, or the "
                 "sum of the peaks")
      ->check(CLI::IsMember({"cost", "peak"}))
      ->default_str("cost");
  app.add_option("--choose", arguments.choose,
                 "how spaces are chosen: search; size, the largest buffers\n"
                 "first; next-use, by the farthest next use")
      ->check(CLI::IsMember({"search", "size", "next-use"}))
      ->default_str("search");
  app.add_flag("--evict", options.evict,
               "a buffer may move to another space beside its uses");
  app.add_option("--alignment", options.alignment,
                 "every offset is a multiple of this")
      ->check(CLI::PositiveNumber)
      ->default_str("1");
  app.add_option("--nodes", options.nodes,
                 "decisions that a search may make; 0 is its default")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--pools", arguments.pools, "what tree puts into pools")
      ->check(CLI::IsMember({"none", "intermediates", "outputs", "combined"}))
      ->default_str("intermediates");
  app.add_option("--outputs", arguments.outputs,
                 "last: buffers that live to the end are outputs")
      ->check(CLI::IsMember({"none", "last"}))
      ->default_str("none");
  app.add_option("--reuse", arguments.reuse,
                 "branch-safe: buffers share bytes only if the operations'\n"
                 "dependencies keep their uses apart in every order")
      ->check(CLI::IsMember({"program", "branch-safe"}))
      ->default_str("program");
  app.add_option("--bind", arguments.bind,
                 "NAME=NUMBER: value of a symbol in sizes; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--plan-at", arguments.planAt,
                 "NAME=NUMBER: its value while the plan is made, if another")
      ->allow_extra_args(false);
  app.add_option("--schedule", arguments.schedule,
                 "min-peak: put the operations into an order that needs less")
      ->check(CLI::IsMember({"given", "min-peak"}))
      ->default_str("given");
  app.add_option("--time-limit", arguments.timeLimit,
                 "seconds of wall time after which no search goes on; a plan\n"
                 "is always made and written")
      ->check(CLI::Validator(
          [](std::string &text) -> std::string {
            double seconds = 0;
            if (CLI::detail::lexical_cast(text, seconds) &&
                std::isfinite(seconds) && seconds > 0)
              return "";
            return "expected seconds above 0, got '" + text + "'";
          },
          "SECONDS"));
  app.add_option("--threads", options.threads,
                 "most threads of a strategy; results do not depend on it")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", options.seed, "of the random parts")
      ->check(CLI::NonNegativeNumber)
      ->default_str("1");
  app.add_option("--emit", arguments.emit,
                 "form of the output: svg is a picture, html a page to look "
                 "around in, trace is for Perfetto, events are those of a "
                 "snapshot")
      ->check(CLI::IsMember(
          {"text", "csv", "json", "svg", "html", "trace", "events"}))
      ->default_str("text");
  app.add_option("--width", arguments.width, "columns of the drawing")
      ->check(CLI::Range(20, 1000))
      ->default_str("80");
  app.add_option("-o", arguments.output, "output file")
      ->check(file)
      ->default_str("-");
  app.add_flag("--compare", arguments.compare, "run every strategy");
  app.add_option("--compare-with", arguments.compareWith,
                 "further strategies on the page of --emit=html")
      ->check(CLI::IsMember(names));
  app.add_option(
         "--check", arguments.plan,
         "CSV or JSON file with a plan to validate instead of planning;\n"
         "--emit=svg, html and trace draw it")
      ->check(file);
  app.add_flag("--explain", arguments.explain, "say why the peak is so high");
  app.add_flag("--ignore-pins", arguments.ignorePins,
               "read a column offset as nothing");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    int code = app.exit(error);
    return code == 0 ? 0 : 1;
  }
  if (auto idle = findIdleOption(app))
    return complain(idle->first, idle->second);
  arguments.isStrategyGiven = app.count("--strategy") > 0;
  if (arguments.objective == "peak")
    options.objective = Objective::Peak;
  if (arguments.choose != "search")
    options.chooser =
        arguments.choose == "size" ? Chooser::Size : Chooser::NextUse;
  options.pools = *parsePools(arguments.pools);
  options.lastAreOutputs = arguments.outputs == "last";
  if (arguments.reuse == "branch-safe")
    options.reuse = Reuse::BranchSafe;
  for (const std::string *input : {&arguments.problem, &arguments.plan})
    if (!input->empty() && isInput(arguments.output, *input))
      return complain("-o",
                      "expected an output that is no input of the run, got '" +
                          arguments.output + "'");
  TimeLimit limit(begin, arguments.timeLimit);
  return run(arguments, limit);
}
