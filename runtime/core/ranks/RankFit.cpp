//===- core/ranks/RankFit.cpp - the fit of several ranks ------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/ranks/RankFit.h"

#include "core/data/BeyondRange.h"
#include "core/ranks/Checkpoint.h"
#include "core/ranks/Message.h"
#include "core/ranks/RankFiles.h"
#include "core/ranks/RankRows.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>

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
  const std::vector<std::string> received = ranks.exchange(mine);
  Sums others;
  for (const std::string &bytes : received) {
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

/// The fit of rows that have been exchanged.
class RoundFit {
public:
  RoundFit(const Ranks &ranks, const tamrt_model &model,
           const std::string &path, const RunOptions &run, RankRows &rows)
      : ranks(ranks), model(model), path(path), run(run), rows(rows) {
    if (!rows.part())
      return;
    data.emplace(rows.takeRows(run.threads));
    work.emplace(model, rows.fit(), *rows.part(), run);
  }

  /// Sums and solves the chosen groups. \returns on rank 0 their places and
  /// coefficients, as a message of each rank.
  Result<std::vector<std::string>> solve(const std::vector<bool> &chosen,
                                         const RankFitHooks &hooks);

  /// The notes of all ranks on rank 0; elsewhere none.
  std::vector<std::string> gatherNotes() const;
  /// Bytes of sums that this rank has sent.
  int64_t sentSums = 0;

private:
  Status sum(const std::vector<bool> &chosen, Sums &sums);

  const Ranks &ranks;
  const tamrt_model &model;
  const std::string &path;
  const RunOptions &run;
  RankRows &rows;
  std::optional<Dataset> data;
  std::optional<PartSums> work;
};

/// The sums of this rank's rows of the chosen groups.
Status RoundFit::sum(const std::vector<bool> &chosen, Sums &sums) {
  if (!work)
    return {};
  sums.survey = rows.fit().survey;
  sums.parts = {*rows.part()};
  Status summed = work->sum(
      *data, chosen, [&](size_t node, std::span<const double> numbers) {
        sums.nodes[work->nodes()[node]].assign(numbers.begin(), numbers.end());
        return Status();
      });
  joinHalves(rows.fit().layout, sums);
  return summed;
}

Result<std::vector<std::string>>
RoundFit::solve(const std::vector<bool> &chosen, const RankFitHooks &hooks) {
  Sums sums;
  if (Status s = ranks.agree(sum(chosen, sums)); !s)
    return std::move(s).error();
  hooks.end("sums");
  const SurveyedFit &fit = rows.fit();
  const int64_t before = ranks.sentBytes();
  if (Status s = ranks.agree(shareSums(ranks, rows, fit.layout, sums, path));
      !s)
    return std::move(s).error();
  sentSums += ranks.sentBytes() - before;
  hooks.end("join");
  std::vector<size_t> own;
  for (size_t g = rows.firstGroup(ranks.rank());
       g < rows.firstGroup(ranks.rank() + 1); ++g)
    if (chosen[g])
      own.push_back(g);
  Result<std::vector<double>> coefficients = std::vector<double>();
  if (!own.empty())
    coefficients = solveGroups(model, fit, sums.nodes, own, path, run);
  if (Status s = ranks.agreeOn(coefficients); !s)
    return std::move(s).error();
  MessageWriter message;
  const auto width = size_t(model.columns);
  for (size_t i = 0; i < own.size(); ++i) {
    message.number(own[i]);
    message.numbers(std::span(*coefficients).subspan(i * width, width));
  }
  std::vector<std::string> all = ranks.gather(message.bytes);
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
  Status loaded;
  if (ranks.rank() == 0 && !hash.empty())
    loaded = checkpoint.load(path, hash);
  if (Status s = ranks.agree(std::move(loaded)); !s)
    return std::move(s).error();
  std::string marks;
  for (const bool is : checkpoint.groups())
    marks += is ? '1' : '0';
  std::vector<bool> solved;
  for (const char mark : ranks.broadcast(std::move(marks)))
    solved.push_back(mark == '1');
  return solved;
}

} // namespace

std::vector<std::string> gatherNotes(const Ranks &ranks,
                                     const std::vector<std::string> &own) {
  MessageWriter message;
  for (const std::string &note : own)
    message.text(note);
  std::vector<std::string> notes;
  size_t rank = 0;
  for (const std::string &bytes : ranks.gather(message.bytes)) {
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
  if (Status s = checkParts(model); !s)
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
  if (Status s = hooks.check(rows->fit()); !s)
    return std::move(s).error();
  result.sentRows = ranks.sentBytes();
  hooks.end("exchange");

  const std::string &file = hooks.checkpoint;
  std::string hash;
  if (hooks.hasCheckpoint)
    hash = Checkpoint::hashOf(rows->fit(), rows->digest(), run.strengths);
  Checkpoint checkpoint(model, rows->fit().rows.order.names.size());
  Result<std::vector<bool>> solved = loadSolved(ranks, file, hash, checkpoint);
  if (!solved)
    return std::move(solved).error();
  result.groupsLoaded =
      size_t(std::count(solved->begin(), solved->end(), true));
  const size_t rounds = hooks.hasCheckpoint ? kRounds : 1;
  RoundFit work(ranks, model, pattern, run, *rows);
  for (size_t round = 0; round < rounds; ++round) {
    Result<std::vector<std::string>> done = work.solve(
        groupsOf(*rows, ranks.size(), round, rounds, *solved), hooks);
    if (!done)
      return std::move(done).error();
    std::vector<double> coefficients(size_t(model.columns));
    for (const std::string &bytes : *done)
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
