//===- core/run/PartFit.cpp - the fit of rows in several parts ------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/PartFit.h"

#include "core/learn/Learners.h"
#include "core/run/GroupFit.h"
#include "core/run/GroupFits.h"
#include "core/run/Statistics.h"
#include "core/run/StreamedRows.h"
#include "core/run/Work.h"
#include "io/Parallel.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

namespace tamrt {
namespace {

/// About the bytes of sums that are solved at a time.
constexpr size_t kSolvedBytes = size_t(8) << 20;

Error changedPart(const std::string &path, const std::string &name) {
  return Error{path + ": expected the rows of part '" + name +
               "' in the survey, got others: the file has changed, or was "
               "surveyed with other options"};
}

} // namespace

Status checkParts(const tamrt_model &model) {
  if (!hasDirect(model))
    return Error{"expected a model with the direct solver, which reads the "
                 "rows once; conjugate gradients read them at each iteration: "
                 "compile with --solver direct, or fit the rows as one file"};
  return checkRangesSuffice(model);
}

Result<Survey> surveyPart(const tamrt_model &model, std::string name,
                          RowReader &reader, const RunOptions &options) {
  if (Status s = checkParts(model); !s)
    return std::move(s).error();
  const size_t most =
      StreamedRows(reader, model, StreamLimits().rowBytes, options.threads)
          .maxRows;
  bool dependsOnNumbers = false;
  while (true) {
    RowSurvey survey(model, reader.columns());
    Status read = reader.forEachRows(most, [&](const Rows &rows) -> Status {
      survey.add(rows, model.group ? reader.groups().size() : 1,
                 options.threads);
      if (options.progress)
        options.progress->update("read", 0, 0);
      return {};
    });
    if (!read)
      return std::move(read).error();
    Result<RowReader::TextChanges> changes = reader.resolveTexts();
    if (!changes)
      return std::move(changes).error();
    if (!changes->drops && !changes->merges) {
      // Too many levels in a part are too many in all.
      if (Result<std::vector<LevelTable>> levels = reader.levelTables();
          !levels)
        return std::move(levels).error();
      return surveyOf(model, std::move(name), reader, dependsOnNumbers, survey);
    }
    dependsOnNumbers = true;
    if (Status s = reader.rewind(); !s)
      return std::move(s).error();
  }
}

Result<SurveyedFit> prepareParts(const tamrt_model &model, Survey survey,
                                 const std::string &path) {
  if (Status s = checkRangesSuffice(model); !s)
    return std::move(s).error();
  Result<PartedRows> rows = combine(model, survey, path);
  if (!rows)
    return std::move(rows).error();
  Result<Tables> tables =
      learn(model, rows->normalization, [&](size_t group, size_t input) {
        return spreadOf(model, survey, *rows, group, input);
      });
  if (!tables)
    return Error{path + ": " + tables.error().message};
  for (size_t g = 0; model.carry_bytes > 0 && g < rows->parts.size(); ++g)
    if (rows->parts[g].size() > 1)
      return Error{
          path + (model.group ? ": group '" + rows->order.names[g] + "'" : "") +
          ": expected all rows in one part, because a term (pid) depends on "
          "the rows before; split --whole-groups makes such parts"};
  const SumsLayout layout(*rows->steps.model);
  return SurveyedFit{std::move(survey), *std::move(rows), *std::move(tables),
                     layout};
}

PartSums::PartSums(const tamrt_model &model, const SurveyedFit &fit,
                   size_t part, RowReader &reader, const RunOptions &options)
    : PartSums(model, fit, part, options) {
  this->reader = &reader;
}

PartSums::PartSums(const tamrt_model &model, const SurveyedFit &fit,
                   size_t part, const RunOptions &options)
    : model(model), fit(fit), part(part),
      columns(columnsOf(model, Purpose::Fit)), options(options),
      blocks(fit.rows, part),
      beyond(model, fit.rows.normalization, Purpose::Fit) {}

void PartSums::expectTexts() {
  const std::vector<PartSurvey> &parts = fit.survey.parts;
  // The texts of one part are distinct.
  if (parts.size() == 1)
    return reader->expectTexts(parts.front().groups, parts.front().levels);
  const SurveyedTexts texts = textsOf(fit.survey);
  reader->expectTexts(texts.groups, texts.levels);
}

void SurveyedFit::forgetParts(std::optional<size_t> but) {
  for (PartSurvey &part : survey.parts) {
    if (but && &part == &survey.parts[*but]) {
      part.groups = {};
      continue;
    }
    PartSurvey kept;
    kept.name = std::move(part.name);
    part = std::move(kept);
  }
  if (!but)
    survey.periods = {};
}

bool PartSums::areOrdered() const {
  const std::vector<GroupDates> &dates = fit.survey.parts[part].dates;
  return std::all_of(dates.begin(), dates.end(),
                     [](const GroupDates &group) { return group.areOrdered; });
}

std::vector<std::string> PartSums::notes() const {
  std::vector<std::string> notes = beyond.notes();
  if (check && check->ties() > 0)
    notes.push_back(describeTies(check->ties(), reader->rowsRead()));
  return notes;
}

/// Checks that the rows are those of the survey.
Status PartSums::checkSeen() const {
  if (check->areSame(*reader))
    return {};
  return changedPart(reader->path(), fit.survey.parts[part].name);
}

Normalization normalizationOf(const Normalization &all,
                              std::span<const size_t> places) {
  const size_t width = 2 * all.inputs();
  Normalization own = {{}, all.knots, all.levels};
  for (size_t place : places) {
    const auto from = all.ranges.begin() + ptrdiff_t(place * width);
    own.ranges.insert(own.ranges.end(), from, from + ptrdiff_t(width));
  }
  return own;
}

/// Gives the sums of a block, in `state`, to the taker.
void PartSums::takeBlock(size_t block, void *state,
                         const TargetSum &target) const {
  const SumsLayout &layout = taking->pass.layout;
  std::vector<double> numbers(layout.size());
  layout.forEach([&](const tamrt_accumulator &each, size_t at) {
    std::copy_n(numbersIn(state, each), each.count,
                numbers.begin() + ptrdiff_t(at));
  });
  if (layout.hasTarget())
    layout.setTarget(target, numbers);
  const std::lock_guard lock(taking->mutex);
  if (taking->status)
    taking->status = taking->take(blocks.placeOf(block), numbers);
}

/// The options of a fit whose sums are those of the blocks blockAt(group).
template <class BlockAt>
RunOptions PartSums::takingBlocks(const BlockAt &blockAt) {
  RunOptions with = options;
  with.takeSums = [this, blockAt](size_t group, void *state,
                                  const TargetSum &target) {
    takeBlock(blockAt(group), state, target);
  };
  return with;
}

/// The rows of `data` by their blocks. `next` has the rows of each group before
/// these.
std::vector<Group> PartSums::divide(const Dataset &data,
                                    std::vector<uint32_t> &next,
                                    Status &status) const {
  std::vector<Group> ranges;
  for (const Group &group : data.groups()) {
    uint32_t &row = next[group.place];
    size_t block = blocks.firstOf(group.place), done = 0;
    blocks.forEachOf(group.place, [&](const PartBlock &each) {
      const size_t end = each.first + each.rows;
      if (const size_t count =
              std::min(group.rows - done, end - std::min<size_t>(row, end));
          count > 0) {
        ranges.push_back({group.name, group.first + done, count, block});
        done += count;
        row += uint32_t(count);
      }
      ++block;
    });
    if (done < group.rows) {
      status = changedPart(reader ? reader->path() : "rows",
                           fit.survey.parts[part].name);
      return {};
    }
  }
  return ranges;
}

/// Divides a piece of the rows by their blocks; `next` is that of `divide`.
Status PartSums::divideGroups(Dataset &piece,
                              std::vector<uint32_t> &next) const {
  Status status;
  std::vector<Group> ranges = divide(piece, next, status);
  if (status)
    piece.divideGroups(std::move(ranges));
  return status;
}

Status PartSums::takeRows(Dataset &data) {
  beyond.add(data, options.threads);
  std::vector<uint32_t> next(fit.rows.parts.size());
  Status status;
  ranges = divide(data, next, status);
  rows = &data;
  for (Group &range : ranges) {
    blockOf.push_back(range.place);
    range.place = blocks[range.place].node.group;
  }
  return status;
}

/// Makes the ranges of some groups the groups of the rows.
void PartSums::choose(const std::vector<bool> &isWanted) {
  std::vector<size_t> wanted;
  for (size_t i = 0; i < ranges.size(); ++i)
    if (isWanted.empty() || isWanted[ranges[i].place])
      wanted.push_back(i);
  // Often those of the pass before.
  if (wanted == chosen)
    return;
  std::vector<Group> groups;
  for (size_t i : wanted)
    groups.push_back(ranges[i]);
  rows->divideGroups(std::move(groups));
  chosen = std::move(wanted);
}

/// The kind of the crew's steps.
static tamrt_step_kind solverOf(const PartPass &pass) {
  return describe(pass.kind).isDirect() ? TAMRT_STEP_FIT_CHUNK
                                        : TAMRT_STEP_APPLY_CHUNK;
}

/// A crew for passes with the steps of a pass, over any of the ranges.
Result<Crew> PartSums::makeCrew(const PartPass &pass) {
  RunOptions with =
      takingBlocks([this](size_t index) { return blockOf[chosen[index]]; });
  if (describe(pass.kind).isCg())
    with.passOf = [this](size_t index) -> RunOptions::Pass {
      const PartPass &now = taking->pass;
      const size_t group = ranges[chosen[index]].place;
      return {now.kind, now.vectors.empty() ? nullptr : now.vectors[group]};
    };
  size_t longest = 0;
  for (const Group &range : ranges)
    longest = std::max(longest, range.rows);
  return tamrt::makeCrew(pass.model, solverOf(pass), ranges.size(), longest,
                         with);
}

Status PartSums::sum(const PartPass &pass, const TakeNode &take) {
  choose(pass.isWanted);
  if (chosen.empty())
    return {};
  Taking now = {pass, take};
  taking = &now;
  if (!crew || crew->ladder->kind != solverOf(pass)) {
    Result<Crew> made = makeCrew(pass);
    if (!made)
      return std::move(made).error();
    crew.emplace(*std::move(made));
  }
  Status done = sumGroups(*crew, *rows, fit.rows.normalization, fit.tables);
  // The solves of direct sums need the memory.
  if (describe(pass.kind).isDirect())
    crew.reset();
  taking = nullptr;
  return done ? std::move(now.status) : done;
}

/// The rows of the reader in pieces of `rowBytes` bytes, and a check of these.
StreamedRows PartSums::readRows(size_t rowBytes) {
  check.emplace(model, columns, fit.survey, part, fit.rows, blocks);
  StreamedRows rows(*reader, model, rowBytes, options.threads);
  rows.order = &fit.rows.order;
  rows.means = fit.rows.means;
  rows.levels = fit.rows.normalization.levels;
  rows.keepTexts();
  return rows;
}

Status PartSums::sumInMemory(const TakeNode &take) {
  StreamedRows rows = readRows(0);
  rows.maxRows = std::numeric_limits<size_t>::max();
  Status summed = rows.forEachLeft(
      [&](const Rows &read) { check->add(read, options.threads); },
      [&](Dataset &data) -> Status {
        if (Status s = checkSeen(); !s)
          return s;
        if (Status s = takeRows(data); !s)
          return s;
        return sum(fit.directPass(), take);
      });
  timesRead = rows.readings;
  if (summed && check->rows() == 0)
    summed = changedPart(reader->path(), fit.survey.parts[part].name);
  return summed;
}

Status PartSums::sumStreamed(const TakeNode &take, const StreamLimits &limits) {
  StreamedRows rows = readRows(limits.rowBytes);
  const PartPass pass = fit.directPass();
  Taking now = {pass, take};
  taking = &now;
  Status summed = addStreamed(rows, limits);
  taking = nullptr;
  timesRead = rows.readings;
  return summed;
}

/// Sums rows that come in pieces.
Status PartSums::addStreamed(StreamedRows &rows, const StreamLimits &limits) {
  // Of parts that have all rows of all groups, blocks are the groups.
  const bool areGroups = [&] {
    bool are = blocks.size() == fit.rows.groupRows.size();
    for (size_t g = 0; are && g < fit.rows.groupRows.size(); ++g)
      are = fit.rows.parts[g].size() == 1;
    return are;
  }();
  Normalization own;
  std::vector<std::string> names;
  std::vector<size_t> counts;
  if (!areGroups) {
    // Each block is normalised as its group.
    std::vector<size_t> places;
    places.reserve(blocks.size());
    names.reserve(blocks.size());
    counts.reserve(blocks.size());
    for (size_t g = 0; g < fit.rows.groupRows.size(); ++g)
      blocks.forEachOf(g, [&](const PartBlock &block) {
        places.push_back(g);
        names.push_back(fit.rows.order.names[g]);
        counts.push_back(block.rows);
      });
    own = normalizationOf(fit.rows.normalization, places);
  }
  const RunOptions with = takingBlocks([](size_t block) { return block; });
  const FittedGroups fitted =
      areGroups ? FittedGroups{fit.rows.order.names, fit.rows.groupRows}
                : FittedGroups{names, counts};
  const size_t longest =
      *std::max_element(fitted.rows.begin(), fitted.rows.end());
  const size_t each =
      GroupFits::bytesPerGroup(fit.model(), TAMRT_STEP_FIT_CHUNK, longest);
  const size_t most =
      std::clamp<size_t>(limits.stateBytes / each, 1, blocks.size());
  Result<GroupFits> fits = GroupFits::create(
      fit.model(), TAMRT_STEP_FIT_CHUNK,
      areGroups ? fit.rows.normalization : own, fit.tables, fitted, most, with);
  if (!fits)
    return std::move(fits).error();
  while (true) {
    Result<bool> more = fits->resume();
    if (!more || !*more)
      return more ? taking->status : std::move(more).error();
    std::vector<uint32_t> next(fit.rows.parts.size());
    const bool isFirst = rows.readings == 0;
    auto add = [&](Dataset &piece) -> Status {
      if (isFirst)
        beyond.add(piece, options.threads);
      if (Status s = divideGroups(piece, next); !s)
        return s;
      if (options.progress)
        options.progress->update("sums", reader->fileRows(), 0);
      return fits->add(piece);
    };
    Status added =
        isFirst
            ? rows.forEachLeft(
                  [&](const Rows &read) { check->add(read, options.threads); },
                  add)
            : rows.forEach(add);
    if (added && isFirst)
      added = checkSeen();
    if (!added)
      return added;
  }
}

Result<SumsRoots> rootsOf(const tamrt_model &model, const PartedRows &rows,
                          const NodeSums &sums, size_t group,
                          const std::string &path) {
  const auto leaves = uint64_t(leavesOf(rows, group));
  SumsRoots roots;
  auto at = sums.lower_bound({group, 0, 0});
  uint64_t found = 0;
  for (; at != sums.end() && at->first.group == group; ++at) {
    found |= uint64_t(1) << at->first.level;
    roots.push_back(&at->second);
  }
  // One for each bit of the number of leaves.
  if (found == leaves && roots.size() == size_t(std::popcount(leaves)))
    return roots;
  return Error{
      path + ": tensor 'nodes': expected the sums of all rows" +
      (model.group ? " of group '" + rows.order.names[group] + "'" : "")};
}

void putSums(const SumsLayout &layout, const SumsRoots &roots, Workplace &in) {
  layout.forEach([&](const tamrt_accumulator &each, size_t at) {
    double *to = numbersIn(in.state, each);
    std::copy_n(roots.front()->data() + at, each.count, to);
    std::vector<const double *> others;
    for (size_t i = 1; i < roots.size(); ++i)
      others.push_back(roots[i]->data() + at);
    if (each.unit == 0)
      return in.join(each.count, others, to);
    for (const double *more : others)
      in.joinCounts(each, more);
  });
}

/// Gives the equations of a group what its sums do not have.
static void addTarget(const SurveyedFit &fit, size_t group,
                      const SumsRoots &roots, System &system) {
  system.rows = double(fit.rows.groupRows[group]);
  TargetSum target = fit.layout.target(*roots.front());
  for (size_t i = 1; i < roots.size(); ++i)
    target.join(fit.layout.target(*roots[i]));
  system.target = TargetSums(target);
}

Result<std::vector<double>>
solveGroups(const tamrt_model &model, const SurveyedFit &fit,
            const NodeSums &sums, std::span<const size_t> places,
            const std::string &path, const RunOptions &options) {
  const PartedRows &rows = fit.rows;
  std::vector<Group> groups;
  std::vector<SumsRoots> roots;
  for (size_t g : places) {
    groups.push_back({rows.order.names[g], 0, rows.groupRows[g], g});
    Result<SumsRoots> nodes = rootsOf(model, rows, sums, g, path);
    if (!nodes)
      return std::move(nodes).error();
    roots.push_back(*std::move(nodes));
  }
  const tamrt_model &steps = fit.model();
  RunOptions with = options;
  with.solver = FitSolver::Direct;
  Result<Crew> crew = makeCrew(steps, TAMRT_STEP_FIT_CHUNK, places.size(),
                               /*groupRows=*/1, with, StateOf::Worker,
                               systemBytes(model, rows.groupRows.size(), with));
  if (!crew)
    return std::move(crew).error();
  if (Status s = startInference(model, places.size(), with); !s)
    return std::move(s).error();
  std::vector<double> coefficients(
      with.solves() ? places.size() * size_t(model.columns) : 0);
  const std::vector<double> none(size_t(model.penalty_count), 0.0);
  Work work(steps, groups, *crew, with, "solve");
  Status done = work.run([&](Worker &worker, size_t index) {
    const size_t g = places[index];
    const SumsRoots &nodes = roots[index];
    auto setStrengths = [&](std::span<const double> strengths) {
      rows.normalization.parameters(steps, g, worker.place.parameters,
                                    strengths);
    };
    setStrengths(with.strengthsOf(steps, g));
    worker.place.tables = fit.tables.pointers();
    GroupFit solve(*crew->ladder, g, rows.groupRows[g], worker.place.vectors);
    if (!solve.resume(worker))
      return;
    putSums(fit.layout, nodes, worker.place);
    solve.skipPass();
    if (with.systems && with.solves()) {
      setStrengths(none);
      if (!solve.takeSystem(worker, index))
        return;
      setStrengths(with.strengthsOf(steps, g));
    }
    solve.resume(worker);
    if (!worker.place.good())
      return;
    solve.take(worker, index, coefficients);
    if (with.systems)
      addTarget(fit, g, nodes, with.systems->groups[index]);
  });
  if (!done)
    return Error{path + ": " + done.error().message};
  crew->ladder->summarize();
  auto nameAt = [&](size_t index) { return groups[index].name; };
  if (Status s = checkCoefficients(model, nameAt, coefficients); !s)
    return Error{path + ": " + s.error().message};
  return coefficients;
}

Status solveSums(const tamrt_model &model, const SurveyedFit &fit,
                 const SumsFile &sums, const RunOptions &options,
                 const TakeCoefficients &take) {
  const std::string &path = sums.path();
  const std::vector<PartSurvey> &parts = fit.survey.parts;
  if (sums.parts().size() < parts.size()) {
    size_t missing = 0;
    while (missing < sums.parts().size() && sums.parts()[missing] == missing)
      ++missing;
    const size_t others = parts.size() - sums.parts().size() - 1;
    return Error{
        path + ": expected the sums of all parts, got none of part '" +
        parts[missing].name + "'" +
        (others > 0 ? " and " + std::to_string(others) + " more" : "")};
  }
  const size_t groups = fit.rows.order.names.size();
  if (options.systems)
    options.systems->weightMeans = fit.rows.means;
  const size_t most =
      std::max<size_t>(kSolvedBytes / (fit.layout.size() * sizeof(double)),
                       2 * chooseThreads(options.threads, groups, 1));
  for (size_t first = 0; first < groups; first += most) {
    std::vector<size_t> places(std::min(most, groups - first));
    std::iota(places.begin(), places.end(), first);
    NodeSums nodes;
    if (Status s = sums.read(first, places.size(), nodes); !s)
      return s;
    Inference inference;
    Systems systems;
    RunOptions with = options;
    if (options.systems || options.inference)
      with.systems = &systems;
    if (options.inference)
      with.inference = &inference;
    Result<std::vector<double>> coefficients =
        solveGroups(model, fit, nodes, places, path, with);
    if (!coefficients)
      return std::move(coefficients).error();
    if (options.systems) {
      std::move(systems.groups.begin(), systems.groups.end(),
                std::back_inserter(options.systems->groups));
      continue;
    }
    for (size_t i = 0; !inference.isEmpty() && i < places.size(); ++i)
      finishFromSums(model, systems.groups[i],
                     fit.rows.means.empty() ? 1 : fit.rows.means[first + i],
                     coefficients->data() + i * size_t(model.columns), i,
                     inference);
    if (Status s = take(first, *coefficients, inference); !s)
      return s;
  }
  return {};
}

} // namespace tamrt
