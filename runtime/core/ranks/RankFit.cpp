//===- core/ranks/RankFit.cpp - the fit of several ranks ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/ranks/RankFit.h"

#include "core/data/BeyondRange.h"
#include "core/learn/Learners.h"
#include "core/ranks/Checkpoint.h"
#include "core/ranks/Message.h"
#include "core/ranks/RankFiles.h"
#include "core/ranks/RankRows.h"
#include "core/run/PartIterations.h"
#include "core/run/Statistics.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace tamrt {
namespace {

/// Rounds of a fit with a checkpoint, after each of which it is written.
constexpr size_t kRounds = 16;

/// Sends nodes to the ranks that solve their groups, and joins those that come.
Status shareSums(const Ranks &ranks, const RankRows &rows,
                 const SumsLayout &layout, Sums &sums,
                 const std::string &path) {
  std::vector<MessageWriter> messages(ranks.size());
  for (MessageWriter &message : messages) {
    message.number(sums.parts.size());
    for (size_t part : sums.parts)
      message.number(part);
  }
  for (auto at = sums.nodes.begin(); at != sums.nodes.end();) {
    const auto &[node, numbers] = *at;
    const size_t to = rows.rankOfGroup(node.group);
    if (to == ranks.rank()) {
      ++at;
      continue;
    }
    messages[to].number(node.group);
    messages[to].number(uint64_t(node.level));
    messages[to].number(uint64_t(node.index));
    messages[to].numbers(numbers);
    at = sums.nodes.erase(at);
  }
  std::vector<std::string> mine;
  for (MessageWriter &message : messages)
    mine.push_back(std::move(message.bytes));
  mine[ranks.rank()].clear();
  const RankBytes received = ranks.exchange(mine);
  Sums others;
  for (const std::string_view bytes : received) {
    if (bytes.empty())
      continue;
    MessageReader reader(bytes);
    for (size_t count = reader.number(); count > 0; --count)
      others.parts.push_back(reader.number());
    while (!reader.isEnd()) {
      SumsNode node = {reader.number(), 0, 0};
      node.level = int64_t(reader.number());
      node.index = int64_t(reader.number());
      std::vector<double> numbers(layout.size());
      reader.numbers(numbers);
      others.nodes.emplace(node, std::move(numbers));
    }
  }
  return join(layout, sums, std::move(others), path);
}

/// Some groups, by their places: those of one of `rounds` rounds that have not
/// been solved. A rank solves as many of its groups in each.
std::vector<bool> groupsOf(const RankRows &rows, size_t ranks, size_t round,
                           size_t rounds, const std::vector<bool> &solved) {
  std::vector<bool> chosen(solved.size());
  for (size_t rank = 0; rank < ranks; ++rank) {
    std::vector<size_t> left;
    for (size_t g = rows.firstGroup(rank); g < rows.firstGroup(rank + 1); ++g)
      if (!solved[g])
        left.push_back(g);
    for (size_t i = left.size() * round / rounds;
         i < left.size() * (round + 1) / rounds; ++i)
      chosen[left[i]] = true;
  }
  return chosen;
}

/// On rank 0, the summary of the groups of all ranks.
CgSummary gatherSummary(const Ranks &ranks, const CgSummary &own) {
  MessageWriter message;
  for (const uint64_t number :
       {uint64_t(own.groups), uint64_t(own.unconverged),
        uint64_t(own.maxIterations), uint64_t(own.allIterations)})
    message.number(number);
  message.numbers(std::span(&own.residual, 1));
  CgSummary all;
  for (const std::string_view bytes : ranks.gather(message.bytes)) {
    MessageReader reader(bytes);
    CgSummary each;
    each.groups = reader.number();
    each.unconverged = reader.number();
    each.maxIterations = int64_t(reader.number());
    each.allIterations = int64_t(reader.number());
    reader.numbers(std::span(&each.residual, 1));
    all.add(each);
  }
  return all;
}

/// Moves what this fit has of groups to rank 0, some groups at a time: `all`
/// has the groups `own` before, and afterwards all groups on rank 0 and none
/// elsewhere. A group has `bytes` of write(own groups, index, message), which
/// read(all groups, place, message) takes. Errors: no memory for all groups.
template <class Groups, class Write, class Read>
Status gatherGroups(const Ranks &ranks, const tamrt_model &model,
                    const std::vector<size_t> &own, size_t groups,
                    const RunOptions &run, Groups &all, size_t bytes,
                    const Write &write, const Read &read) {
  if (ranks.size() == 1)
    return {};
  Groups mine = std::exchange(all, Groups());
  Status made;
  if (ranks.rank() == 0)
    made = startInference(model, groups, run);
  if (Status s = ranks.agree(std::move(made)); !s)
    return s;
  bytes += sizeof(uint64_t);
  MessageWriter message;
  ranks.gatherBlocks(
      own.size() * bytes,
      std::max<size_t>(kMessageBlockBytes / bytes, 1) * bytes,
      [&](size_t first, size_t count) {
        message.bytes.clear();
        for (size_t i = first / bytes; i < (first + count) / bytes; ++i) {
          message.number(own[i]);
          write(mine, i, message);
        }
        assert(message.bytes.size() == count);
        return std::string_view(message.bytes);
      },
      [&](std::string_view block) {
        for (MessageReader reader(block); !reader.isEnd();) {
          const size_t place = reader.number();
          read(all, place, reader);
        }
      });
  return {};
}

/// Moves the systems of all groups to rank 0.
Status gatherSystems(const Ranks &ranks, const tamrt_model &model,
                     const std::vector<size_t> &own, size_t groups,
                     const RunOptions &run) {
  const auto width = size_t(model.columns);
  return gatherGroups(
      ranks, model, own, groups, run, *run.systems,
      (width * width + width + 1 + TargetSum::kNumbers) * sizeof(double),
      [](const Systems &systems, size_t i, MessageWriter &message) {
        const System &system = systems.groups[i];
        double target[TargetSum::kNumbers];
        system.target.all().store(target);
        message.numbers(system.matrix);
        message.numbers(system.vector);
        message.numbers(std::span(&system.rows, 1));
        message.numbers(target);
      },
      [](Systems &systems, size_t place, MessageReader &message) {
        System &system = systems.groups[place];
        double target[TargetSum::kNumbers];
        message.numbers(system.matrix);
        message.numbers(system.vector);
        message.numbers(std::span(&system.rows, 1));
        message.numbers(target);
        system.target = TargetSums(TargetSum::load(target));
      });
}

/// Calls body(numbers) for what inference has of a group.
template <class Body>
void forEachOf(Inference &inference, const tamrt_model &model, size_t group,
               const Body &body) {
  const auto effects = size_t(model.effect_count);
  for (auto [all, count] :
       {std::pair(&inference.covariance, size_t(triangleSize(model.columns))),
        std::pair(&inference.edf, effects),
        std::pair(&inference.means, size_t(model.columns)),
        std::pair(&inference.groups, size_t(kGroupFields)),
        std::pair(&inference.effects, effects * kEffectFields)})
    body(std::span(*all).subspan(group * count, count));
}

/// Moves the inference of all groups to rank 0.
Status gatherInference(const Ranks &ranks, const tamrt_model &model,
                       const std::vector<size_t> &own, size_t groups,
                       const RunOptions &run) {
  return gatherGroups(
      ranks, model, own, groups, run, *run.inference,
      Inference::bytesPerGroup(model),
      [&](Inference &inference, size_t i, MessageWriter &message) {
        forEachOf(inference, model, i, [&](std::span<const double> numbers) {
          message.numbers(numbers);
        });
      },
      [&](Inference &inference, size_t place, MessageReader &message) {
        forEachOf(inference, model, place,
                  [&](std::span<double> numbers) { message.numbers(numbers); });
      });
}

/// The strengths that rank 0 chooses for all ranks.
Result<std::vector<double>> chooseStrengths(const Ranks &ranks,
                                            const StrengthsQuestion &question,
                                            const RunOptions &run) {
  const Result<std::string> bytes =
      ranks.fromFirst([&]() -> Result<std::string> {
        const Result<std::vector<double>> chosen =
            run.chooseStrengths(question);
        if (!chosen)
          return chosen.error();
        MessageWriter message;
        message.numbers(*chosen);
        return std::move(message.bytes);
      });
  if (!bytes)
    return bytes.error();
  std::vector<double> strengths(bytes->size() / sizeof(double));
  MessageReader(*bytes).numbers(strengths);
  return strengths;
}

/// The fit of rows that have been exchanged.
class RoundFit {
public:
  RoundFit(const Ranks &ranks, const tamrt_model &model,
           const std::string &path, const RunOptions &run,
           const FitRoute &route, RankRows &rows)
      : ranks(ranks), model(model), path(path), run(run), route(route),
        rows(rows), passes(route.of(rows.fit().model())) {}

  /// Takes the rows. To be called first.
  Status start();

  /// Fits the chosen groups. \returns on rank 0 their places and coefficients,
  /// as a message of each rank.
  Result<RankBytes> fit(const std::vector<bool> &chosen,
                        const RankFitHooks &hooks);

  /// The notes of all ranks on rank 0; elsewhere none.
  std::vector<std::string> gatherNotes() const;
  /// Bytes of sums, and of vectors, that this rank has sent.
  int64_t sentSums = 0;
  /// Of the groups that this rank has solved by conjugate gradients.
  CgSummary iterations;

private:
  size_t groups() const { return rows.fit().rows.order.names.size(); }
  Status sum(const PartPass &pass, Sums &sums);
  Status share(const SumsLayout &layout, Sums &sums);
  Result<std::vector<double>> solve(const std::vector<bool> &chosen,
                                    const std::vector<size_t> &own,
                                    const RankFitHooks &hooks);
  Status addStatistics(const std::vector<size_t> &own,
                       const std::vector<double> &coefficients,
                       const RunOptions &options);
  Result<std::vector<double>> iterate(const std::vector<size_t> &own,
                                      const RankFitHooks &hooks);
  std::vector<std::string> requests(const PartIterations &fits,
                                    std::span<int64_t> counts) const;
  std::vector<PartPass>
  passesOf(const RankBytes &requests,
           std::vector<std::vector<double>> &vectors) const;

  const Ranks &ranks;
  const tamrt_model &model;
  const std::string &path;
  const RunOptions &run;
  const FitRoute &route;
  RankRows &rows;
  /// Of conjugate gradients.
  PassSteps passes;
  std::optional<Dataset> data;
  /// Of the rows, before they were divided for their sums.
  std::vector<Group> rowGroups;
  std::optional<PartSums> work;
  /// Its nodes.
  std::vector<SumsNode> nodes;
};

Status RoundFit::start() {
  if (!rows.part())
    return ranks.agree({});
  data.emplace(rows.takeRows(run.threads));
  if (run.inference)
    rowGroups = data->groups();
  work.emplace(model, rows.fit(), *rows.part(), run);
  nodes = work->nodes();
  return ranks.agree(work->takeRows(*data));
}

/// The sums of this rank's rows for a pass.
Status RoundFit::sum(const PartPass &pass, Sums &sums) {
  if (!work)
    return {};
  Status summed =
      work->sum(pass, [&](size_t node, std::span<const double> numbers) {
        sums.nodes[nodes[node]].assign(numbers.begin(), numbers.end());
        return Status();
      });
  joinHalves(pass.layout, sums);
  return summed;
}

/// Sends sums to the ranks that solve their groups.
Status RoundFit::share(const SumsLayout &layout, Sums &sums) {
  const int64_t before = ranks.sentBytes();
  Status shared = ranks.agree(shareSums(ranks, rows, layout, sums, path));
  sentSums += ranks.sentBytes() - before;
  return shared;
}

/// Fits by the direct solver. \returns the coefficients of this rank's groups.
Result<std::vector<double>> RoundFit::solve(const std::vector<bool> &chosen,
                                            const std::vector<size_t> &own,
                                            const RankFitHooks &hooks) {
  const SurveyedFit &fit = rows.fit();
  PartPass pass = fit.directPass();
  pass.isWanted = chosen;
  Sums sums;
  if (work) {
    sums.survey = fit.survey;
    sums.parts = {*rows.part()};
  }
  if (Status s = ranks.agree(sum(pass, sums)); !s)
    return std::move(s).error();
  hooks.end("sums");
  if (Status s = share(fit.layout, sums); !s)
    return std::move(s).error();
  hooks.end("join");
  RunOptions with = run;
  if (run.asksForSystems())
    with.chooseStrengths = [&](const StrengthsQuestion &question) {
      return chooseStrengths(ranks, question, run);
    };
  Systems systems;
  return fitChosen(
      model, fit.rows.order.names, fit.rows.normalization, fit.tables, with,
      systems, [&](const RunOptions &options) -> Result<std::vector<double>> {
        Result<std::vector<double>> solved = std::vector<double>();
        if (!own.empty())
          solved = solveGroups(model, fit, sums.nodes, own, path, options);
        if (options.inference && solved && !own.empty())
          if (Status s = addStatistics(own, *solved, options); !s)
            solved = std::move(s).error();
        if (!options.systems)
          return solved;
        if (Status s = ranks.agreeOn(solved); !s)
          return std::move(s).error();
        if (Status s = gatherSystems(ranks, model, own, groups(), options); !s)
          return std::move(s).error();
        systems.weightMeans = fit.rows.means;
        return solved;
      });
}

/// Adds to the inference of this rank's groups what needs their rows.
Status RoundFit::addStatistics(const std::vector<size_t> &own,
                               const std::vector<double> &coefficients,
                               const RunOptions &options) {
  const PartedRows &all = rows.fit().rows;
  // A fit with inference has one round (checkRounds) and whole groups.
  assert(rowGroups.size() == own.size());
  std::vector<Group> groups = rowGroups;
  Weights weights;
  std::vector<double> means;
  for (size_t i = 0; i < own.size(); ++i) {
    assert(groups[i].place == own[i]);
    groups[i].place = i;
    weights.groups.push_back(groups[i].name);
    if (!all.means.empty())
      means.push_back(all.means[own[i]]);
  }
  data->divideGroups(std::move(groups));
  weights.coefficients = coefficients;
  weights.normalization = normalizationOf(all.normalization, own);
  weights.tables = std::move(rows.fit().tables);
  TrainingStatistics statistics(model, own.size());
  Status added = statistics.add(*data, weights, options);
  rows.fit().tables = std::move(weights.tables);
  if (!added)
    return Error{path + ": " + added.error().message};
  statistics.finish(means, *options.inference);
  return {};
}

/// The kinds of passes, in the order in which they are made.
constexpr tamrt_step_kind kPasses[] = {TAMRT_STEP_CG_CHUNK,
                                       TAMRT_STEP_APPLY_CHUNK};

size_t indexOf(tamrt_step_kind kind) {
  return size_t(std::find(std::begin(kPasses), std::end(kPasses), kind) -
                kPasses);
}

bool hasVector(tamrt_step_kind kind) {
  return describe(kind).vector != StepVector::Nothing;
}

/// For each rank the groups of which it has rows that need a pass: place, kind
/// and vector. Counts the groups by kind.
std::vector<std::string> RoundFit::requests(const PartIterations &fits,
                                            std::span<int64_t> counts) const {
  std::vector<MessageWriter> messages(ranks.size());
  for (const GroupFits::Wanted &each : fits.wanted()) {
    ++counts[indexOf(each.kind)];
    for (size_t to = 0; to < ranks.size(); ++to) {
      if (!rows.hasRows(to, each.place))
        continue;
      messages[to].number(each.place);
      messages[to].number(each.kind);
      if (hasVector(each.kind))
        messages[to].numbers(std::span(each.vector, size_t(model.columns)));
    }
  }
  std::vector<std::string> bytes;
  for (MessageWriter &message : messages)
    bytes.push_back(std::move(message.bytes));
  return bytes;
}

/// The passes over this rank's rows that the requests of all ranks ask for, by
/// their index in kPasses. `vectors` receives their vectors.
std::vector<PartPass>
RoundFit::passesOf(const RankBytes &requests,
                   std::vector<std::vector<double>> &vectors) const {
  std::vector<PartPass> all;
  for (const tamrt_step_kind kind : kPasses)
    all.push_back(
        {passes.steps(), kind, passes.layout(kind), std::vector<bool>(groups()),
         std::vector<const double *>(hasVector(kind) ? groups() : 0)});
  const auto width = size_t(model.columns);
  for (const std::string_view bytes : requests) {
    // At most these are vectors.
    std::vector<double> &numbers =
        vectors.emplace_back(bytes.size() / sizeof(double));
    size_t used = 0;
    for (MessageReader reader(bytes); !reader.isEnd();) {
      const size_t group = reader.number();
      PartPass &pass = all[indexOf(tamrt_step_kind(reader.number()))];
      pass.isWanted[group] = true;
      if (pass.vectors.empty())
        continue;
      const auto vector = std::span(numbers).subspan(used, width);
      reader.numbers(vector);
      pass.vectors[group] = vector.data();
      used += width;
    }
  }
  return all;
}

/// Fits by conjugate gradients. \returns the coefficients of this rank's
/// groups.
Result<std::vector<double>> RoundFit::iterate(const std::vector<size_t> &own,
                                              const RankFitHooks &hooks) {
  Status status;
  std::optional<PartIterations> fits;
  if (!own.empty()) {
    fits.emplace(model, rows.fit(), passes, own, path, run);
    status = fits->start();
  }
  if (Status s = ranks.agree(std::move(status)); !s)
    return std::move(s).error();
  for (size_t pass = 0;; ++pass) {
    Result<bool> more = false;
    if (fits)
      more = fits->resume();
    if (Status s = ranks.agreeOn(more); !s)
      return std::move(s).error();
    int64_t counts[std::size(kPasses)] = {};
    std::vector<std::string> requested(ranks.size());
    if (*more)
      requested = requests(*fits, counts);
    ranks.add(counts);
    const int64_t left =
        std::accumulate(std::begin(counts), std::end(counts), int64_t(0));
    if (left == 0)
      break;
    if (run.progress)
      run.progress->update(
          fmt::format("fit: {} groups left, pass {}", left, pass + 1), 0, 0);
    const int64_t before = ranks.sentBytes();
    const RankBytes received = ranks.exchange(requested);
    sentSums += ranks.sentBytes() - before;
    PassSums all;
    std::vector<std::vector<double>> vectors;
    for (const PartPass &each : passesOf(received, vectors)) {
      if (counts[indexOf(each.kind)] == 0)
        continue;
      Sums sums;
      if (Status s = ranks.agree(sum(each, sums)); !s)
        return std::move(s).error();
      if (Status s = share(each.layout, sums); !s)
        return std::move(s).error();
      all[each.kind] = std::move(sums.nodes);
    }
    Status added;
    if (*more)
      added = fits->add(all);
    if (Status s = ranks.agree(std::move(added)); !s)
      return std::move(s).error();
  }
  hooks.end("passes");
  if (!fits)
    return std::vector<double>();
  Result<std::vector<double>> coefficients = fits->finish();
  iterations.add(fits->summary());
  return coefficients;
}

Result<RankBytes> RoundFit::fit(const std::vector<bool> &chosen,
                                const RankFitHooks &hooks) {
  std::vector<size_t> own;
  for (size_t g = rows.firstGroup(ranks.rank());
       g < rows.firstGroup(ranks.rank() + 1); ++g)
    if (chosen[g])
      own.push_back(g);
  Result<std::vector<double>> coefficients = describe(route.kind()).isCg()
                                                 ? iterate(own, hooks)
                                                 : solve(chosen, own, hooks);
  if (Status s = ranks.agreeOn(coefficients); !s)
    return std::move(s).error();
  if (run.inference)
    if (Status s = gatherInference(ranks, model, own, groups(), run); !s)
      return std::move(s).error();
  MessageWriter message;
  const auto width = size_t(model.columns);
  for (size_t i = 0; i < own.size(); ++i) {
    message.number(own[i]);
    message.numbers(std::span(*coefficients).subspan(i * width, width));
  }
  RankBytes all = ranks.gather(message.bytes);
  hooks.end("solve");
  return all;
}

std::vector<std::string> RoundFit::gatherNotes() const {
  std::vector<std::string> notes = tamrt::gatherNotes(
      ranks, work ? work->notes() : std::vector<std::string>());
  int64_t ties = data ? int64_t(data->tiedRows()) : 0;
  ranks.add({&ties, 1});
  ties += int64_t(rows.tiesAtCuts);
  if (ties > 0 && ranks.rank() == 0)
    notes.push_back(
        describeTies(size_t(ties), rows.rowsRead - rows.rowsDropped));
  return notes;
}

/// The groups that rank 0 has of a checkpoint, on all ranks.
Result<std::vector<bool>> loadSolved(const Ranks &ranks,
                                     const std::string &path,
                                     const std::string &hash,
                                     Checkpoint &checkpoint) {
  const Result<std::string> marks =
      ranks.fromFirst([&]() -> Result<std::string> {
        if (!hash.empty())
          if (Status s = checkpoint.load(path, hash); !s)
            return std::move(s).error();
        std::string bytes;
        for (const bool is : checkpoint.groups())
          bytes += is ? '1' : '0';
        return bytes;
      });
  if (!marks)
    return marks.error();
  std::vector<bool> solved;
  for (const char mark : *marks)
    solved.push_back(mark == '1');
  return solved;
}

/// With a checkpoint, groups are fitted in rounds.
Status checkRounds(const RunOptions &run, const RankFitHooks &hooks) {
  if (!hooks.hasCheckpoint || (!run.inference && !run.asksForSystems()))
    return {};
  return Error{
      fmt::format("expected no --checkpoint of a fit with {}, which "
                  "needs all groups at once",
                  run.inference ? "--inference" : "penalties that are chosen")};
}

} // namespace

Result<FitRoute> chooseRoute(const Ranks &ranks, const tamrt_model &model,
                             size_t groupRows, const RunOptions &run) {
  FitRoute route;
  const Result<std::string> solver =
      ranks.fromFirst([&]() -> Result<std::string> {
        Result<FitRoute> chosen = chooseSolver(model, groupRows, run);
        if (!chosen)
          return std::move(chosen).error();
        route = *std::move(chosen);
        return std::string(1, char(int(route.solver)));
      });
  if (!solver)
    return solver.error();
  route.solver = SolverChoice(solver->front());
  return route;
}

std::vector<std::string> gatherNotes(const Ranks &ranks,
                                     const std::vector<std::string> &own) {
  MessageWriter message;
  for (const std::string &note : own)
    message.text(note);
  std::vector<std::string> notes;
  size_t rank = 0;
  for (const std::string_view bytes : ranks.gather(message.bytes)) {
    for (MessageReader reader(bytes); !reader.isEnd();) {
      const std::string_view note = reader.text();
      notes.push_back(ranks.size() > 1 ? fmt::format("rank {}: {}", rank, note)
                                       : std::string(note));
    }
    ++rank;
  }
  return notes;
}

Result<RankFit> fitOnRanks(const Ranks &ranks, const tamrt_model &model,
                           const std::string &pattern,
                           const ReadOptions &reading, const RunOptions &run,
                           const RankFitHooks &hooks) {
  if (Status s = checkRangesSuffice(model); !s)
    return std::move(s).error();
  if (Status s = checkRounds(run, hooks); !s)
    return std::move(s).error();
  RankFit result;
  Result<std::vector<RankPiece>> pieces =
      divideFiles(ranks, pattern, reading.format);
  if (!pieces)
    return std::move(pieces).error();
  hooks.end("divide");
  Result<RankRows> rows =
      RankRows::read(ranks, model, *pieces, reading, run, pattern);
  if (!rows)
    return std::move(rows).error();
  result.rowsRead = rows->rowsRead;
  result.rowsDropped = rows->rowsDropped;
  hooks.end("read");
  if (Status s = rows->exchange(run); !s)
    return std::move(s).error();
  const std::vector<size_t> &lengths = rows->fit().rows.groupRows;
  Result<FitRoute> route = chooseRoute(
      ranks, model, *std::max_element(lengths.begin(), lengths.end()), run);
  if (!route)
    return std::move(route).error();
  if (!route->note.empty() && run.tellRoute)
    run.tellRoute(route->note);
  result.sentRows = ranks.sentBytes();

  const std::string &file = hooks.checkpoint;
  std::string hash;
  if (hooks.hasCheckpoint)
    hash = Checkpoint::hashOf(rows->fit(), rows->digest(), route->solver, run);
  Checkpoint checkpoint(model, rows->fit().rows.order.names.size());
  Result<std::vector<bool>> solved = loadSolved(ranks, file, hash, checkpoint);
  if (!solved)
    return std::move(solved).error();
  result.groupsLoaded =
      size_t(std::count(solved->begin(), solved->end(), true));
  const size_t rounds = hooks.hasCheckpoint ? kRounds : 1;
  RoundFit work(ranks, model, pattern, run, *route, *rows);
  if (Status s = work.start(); !s)
    return std::move(s).error();
  hooks.end("exchange");
  for (size_t round = 0; round < rounds; ++round) {
    Result<RankBytes> done =
        work.fit(groupsOf(*rows, ranks.size(), round, rounds, *solved), hooks);
    if (!done)
      return std::move(done).error();
    std::vector<double> coefficients(size_t(model.columns));
    for (const std::string_view bytes : *done)
      for (MessageReader reader(bytes); !reader.isEnd();) {
        const size_t group = reader.number();
        reader.numbers(coefficients);
        checkpoint.add(group, coefficients);
      }
    Status saved;
    if (ranks.rank() == 0 && hooks.hasCheckpoint)
      saved = checkpoint.save(file, hash);
    if (Status s = ranks.agree(std::move(saved)); !s)
      return std::move(s).error();
  }
  result.sentSums = work.sentSums;
  result.iterations = gatherSummary(ranks, work.iterations);
  result.notes = work.gatherNotes();
  if (ranks.rank() == 0) {
    Weights &weights = result.weights;
    weights.coefficients = checkpoint.coefficients();
    weights.groups = rows->fit().rows.order.names;
    weights.normalization = rows->fit().rows.normalization;
    weights.tables = std::move(rows->fit().tables);
  }
  return result;
}

} // namespace tamrt
