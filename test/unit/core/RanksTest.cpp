//===- RanksTest.cpp - processes of one run -------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/ranks/Ranks.h"
#include "core/model/CondensedSurvey.h"
#include "core/ranks/LocalRanks.h"
#include "core/ranks/RankFiles.h"
#include "core/ranks/RankFit.h"
#include "core/ranks/RankRows.h"
#include "core/ranks/RowExchange.h"
#include "tools/bench/NetworkRanks.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace tamrt;

namespace {

/// Calls body(ranks) on as many threads.
template <class Body> void onRanks(size_t count, const Body &body) {
  LocalRanks all(count);
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] { body(Ranks(all[rank])); });
  for (std::thread &thread : threads)
    thread.join();
}

std::string textOf(size_t from, size_t to) {
  return std::string(from * 7 % 5, char('a' + from)) + std::to_string(to);
}

std::vector<std::string> textsOf(const RankBytes &bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(Ranks, ExchangeBytes) {
  for (size_t count : {1, 2, 5})
    onRanks(count, [&](const Ranks &ranks) {
      const size_t own = ranks.rank();
      std::vector<std::string> mine, expected, first;
      for (size_t r = 0; r < count; ++r) {
        mine.push_back(textOf(own, r));
        expected.push_back(textOf(r, own));
        first.push_back(textOf(r, 0));
      }
      EXPECT_EQ(textsOf(ranks.exchange(mine)), expected);
      EXPECT_EQ(textsOf(ranks.gatherAll(mine[0])), first);
      EXPECT_EQ(textsOf(ranks.gather(mine[0])),
                own == 0 ? first : std::vector<std::string>());
      std::vector<std::string> blocks, wanted;
      for (size_t r = 0; own == 0 && r < count; ++r)
        for (size_t at = 0; at < first[r].size(); at += 3)
          wanted.push_back(first[r].substr(at, 3));
      ranks.gatherBlocks(
          mine[0].size(), 3,
          [&](size_t from, size_t bytes) {
            return std::string_view(mine[0]).substr(from, bytes);
          },
          [&](std::string_view block) { blocks.emplace_back(block); });
      EXPECT_EQ(blocks, wanted);
      EXPECT_EQ(ranks.broadcast(own == 0 ? "all" : "none"), "all");
      int64_t sums[] = {int64_t(own), -1};
      ranks.add(sums);
      EXPECT_EQ(sums[0], int64_t(count * (count - 1) / 2));
      EXPECT_EQ(sums[1], -int64_t(count));
    });
}

TEST(Ranks, FoldInTheirOrder) {
  for (size_t count = 1; count < 12; ++count)
    onRanks(count, [&](const Ranks &ranks) {
      std::string all, own = textOf(ranks.rank(), 3);
      for (size_t rank = 0; rank < count; ++rank)
        all += textOf(rank, 3);
      auto join = [&](std::string_view later) {
        return Result<std::string>(own += later);
      };
      EXPECT_EQ(*ranks.fold(own, join), all);
      // Of two ranks with errors the first one's.
      auto fail = [&](std::string_view later) {
        return later == "3" || later == "56"
                   ? Result<std::string>(Error{std::string(later)})
                   : Result<std::string>(own += later);
      };
      own = std::to_string(ranks.rank());
      const Result<std::string> failed = ranks.fold(own, fail);
      ASSERT_EQ(bool(failed), count < 4);
      if (!failed) {
        EXPECT_EQ(failed.error().message, "3");
      }
    });
}

TEST(Ranks, AgreeOnTheFirstError) {
  onRanks(4, [](const Ranks &ranks) {
    EXPECT_TRUE(ranks.agree({}));
    const Status failed = ranks.agree(
        ranks.rank() % 2 == 1 ? Status(Error{std::to_string(ranks.rank())})
                              : Status());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "1");
    // Also on one without a text.
    EXPECT_FALSE(ranks.agree(ranks.rank() == 3 ? Status(Error{""}) : Status()));
  });
}

TEST(Ranks, FirstComputesForAll) {
  onRanks(3, [](const Ranks &ranks) {
    int calls = 0;
    auto compute = [&](Result<std::string> bytes) {
      return ranks.fromFirst([&, bytes] {
        ++calls;
        return bytes;
      });
    };
    const Result<std::string> bytes = compute(std::string("all"));
    ASSERT_TRUE(bytes);
    EXPECT_EQ(*bytes, "all");
    const Result<std::string> failed = compute(Error{"none"});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "none");
    EXPECT_EQ(calls, ranks.rank() == 0 ? 2 : 0);
  });
}

/// Exchanges the rows of ranks, of which every one is sent to the rank after
/// that of the row before, and brings them into an order.
template <class Order>
void checkMoves(size_t count, size_t each, const Order &indexOf) {
  onRanks(count, [&](const Ranks &ranks) {
    const size_t had = each * count;
    RowOrder sent = {{{"", 0, had}}, {}};
    for (size_t to = 0; to < count; ++to)
      for (size_t row = to; row < had; row += count)
        sent.rows.push_back(uint32_t(row));
    std::vector<GrowingArray<double>> columns(3);
    for (size_t i = 0; i < columns.size(); ++i)
      for (size_t row = 0; row < had; ++row)
        columns[i].push_back(double((ranks.rank() * had + row) * 3 + i));
    const std::vector<size_t> counts(count, each);
    RowExchange moves(ranks, sent, counts, counts);
    ASSERT_EQ(moves.count(), had);
    std::vector<uint32_t> order(had);
    for (size_t row = 0; row < had; ++row)
      order[row] = uint32_t(indexOf(row, had));
    const ColumnOrder ours(order);
    GrowingArray<double> spare;
    for (GrowingArray<double> &column : columns) {
      moves.move(column, spare);
      arrange(column, ours, spare);
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      ASSERT_EQ(columns[i].size(), had);
      for (size_t row = 0; row < had; ++row) {
        const size_t at = order[row], from = at / each,
                     before = at % each * count + ranks.rank();
        ASSERT_EQ(columns[i][row], double((from * had + before) * 3 + i));
      }
    }
  });
}

TEST(Ranks, MoveColumns) {
  for (const size_t count : {1, 2, 3})
    for (const size_t each : {0, 1, 500}) {
      checkMoves(count, each, [](size_t row, size_t) { return row; });
      // One after another, and long runs.
      checkMoves(count, each,
                 [](size_t row, size_t all) { return all - 1 - row; });
      checkMoves(count, each,
                 [](size_t row, size_t all) { return (row + all / 3) % all; });
    }
}

TEST(Ranks, CutsAreAtSegments) {
  const std::vector<size_t> rows = {3 * 4096 + 1, 10, 5 * 4096};
  for (size_t count = 1; count < 14; ++count) {
    const std::vector<RankCut> cuts = cutRows(rows, false, count);
    ASSERT_EQ(cuts.size(), count + 1);
    EXPECT_EQ(cuts[0].group + cuts[0].row, 0U);
    EXPECT_EQ(cuts[count].group, 3U);
    for (size_t r = 0; r < count; ++r) {
      EXPECT_EQ(cuts[r].row % 4096, 0U);
      EXPECT_LE(std::pair(cuts[r].group, cuts[r].row),
                std::pair(cuts[r + 1].group, cuts[r + 1].row));
    }
    for (const RankCut &cut : cutRows(rows, true, count))
      EXPECT_EQ(cut.row, 0U);
  }
}

/// Ranks whose work takes no time, but for that of their messages.
TEST(Ranks, MessagesTakeTheTimeOfANetwork) {
  NetworkRanks network(3, {/*latency=*/10, /*overhead=*/1, /*bandwidth=*/2});
  const std::string bytes(140, 'x');
  auto run = [&](size_t rank) {
    const tamrt_communicator &own = network[rank];
    network.start(rank);
    // Ranks 1 and 2 send to rank 0, and wait for no one.
    const int64_t sizes[] = {0, 100, 40}, none[] = {0, 0, 0};
    const int64_t mine[] = {sizes[rank], 0, 0};
    std::string received(140, ' ');
    own.all_to_all(&own, bytes.data(), mine, received.data(),
                   rank == 0 ? sizes : none);
    EXPECT_NEAR(network.now(rank), rank == 0 ? 82 : rank == 1 ? 61 : 31, 0.1);
    EXPECT_EQ(received, rank == 0 ? bytes : std::string(140, ' '));
    EXPECT_EQ(network.sent(rank), sizes[rank]);
    // Up and down a tree of two steps, from the last arrival on.
    own.barrier(&own);
    EXPECT_NEAR(network.now(rank), 82 + 48, 0.1);
    std::string copy = rank == 0 ? bytes : std::string(140, ' ');
    own.broadcast(&own, copy.data(), 140);
    EXPECT_EQ(copy, bytes);
    EXPECT_NEAR(network.now(rank), 130 + 2 * (12 + 70), 0.1);
    int64_t numbers[] = {1, 2};
    own.add(&own, numbers, 2);
    EXPECT_EQ(numbers[1], 6);
    EXPECT_NEAR(network.now(rank), 294 + 4 * (12 + 8), 0.1);
    // Only rank 0 waits for what is gathered.
    own.gather(&own, bytes.data(), 10 * int64_t(rank), received.data(),
               std::data({int64_t(0), int64_t(10), int64_t(20)}));
    EXPECT_NEAR(network.now(rank), rank == 0 ? 374 + 12 + 15 : 375, 0.1);
    EXPECT_NEAR(network.waited(rank), network.now(rank), 0.1);
  };
  std::vector<std::jthread> threads;
  for (size_t rank = 0; rank < 3; ++rank)
    threads.emplace_back(run, rank);
}

PartSurvey partOf(std::string name, std::vector<std::string> groups,
                  int64_t date) {
  PartSurvey part;
  part.name = std::move(name);
  part.areNumbers = {true};
  part.levels = {groups};
  for (size_t g = 0; g < groups.size(); ++g) {
    part.dates.push_back({10, {date, 0}, {date + 5, 0}, true});
    part.spreads.push_back({double(date), double(date + 1), date < 20});
    part.weights.emplace_back().add(0.5);
  }
  part.groups = std::move(groups);
  part.onGrid = {date < 20};
  return part;
}

TEST(Ranks, CondensedPartsHaveTheRowsOfAll) {
  Survey survey;
  survey.parts = {partOf("1", {"b", "a"}, 1), partOf("2", {"c", "b"}, 6),
                  partOf("3", {"a"}, 20)};
  condense(survey);
  ASSERT_EQ(survey.parts.size(), 1U);
  const PartSurvey &all = survey.parts[0];
  EXPECT_EQ(all.name, "1");
  EXPECT_EQ(all.groups, (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_EQ(all.levels[0], all.groups);
  EXPECT_EQ(all.dates, (std::vector<GroupDates>{{20, {1, 0}, {11, 0}, true},
                                                {20, {1, 0}, {25, 0}, true},
                                                {10, {6, 0}, {11, 0}, true}}));
  ASSERT_EQ(all.spreads.size(), 3U);
  EXPECT_EQ(all.spreads[0].hi, 7);
  EXPECT_EQ(all.spreads[1].lo, 1);
  EXPECT_EQ(all.spreads[1].hi, 21);
  EXPECT_FALSE(all.spreads[1].integers);
  EXPECT_TRUE(all.spreads[2].integers);
  EXPECT_FALSE(all.onGrid[0]);
  ExactSum one;
  one.add(1.0);
  EXPECT_EQ(all.weights[1].canonical(), one.canonical());
}

TEST(Ranks, PartsThatDifferStayApart) {
  Survey survey;
  for (const char *name : {"1", "2", "3", "4"})
    survey.parts.push_back(partOf(name, {"a"}, 9));
  survey.parts[1].dateForm = Date::Form::Local;
  survey.parts[2].dateForm = Date::Form::Number;
  survey.parts[3].dependsOnNumbers = true;
  condense(survey);
  ASSERT_EQ(survey.parts.size(), 3U);
  // No part says of other dates that they are its own.
  EXPECT_EQ(survey.parts[0].dateForm, Date::Form::Local);
  EXPECT_EQ(survey.parts[1].name, "3");
  // Rows that overlap are in no order.
  EXPECT_FALSE(survey.parts[0].dates[0].areOrdered);
}

/// Files in a folder that lives as long as this.
struct Folder {
  Folder() {
    char name[] = "/tmp/tamc-ranks-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(path + "/" + name, std::ios::binary) << text;
  }

  std::string path;
};

/// The rows that ranks read of a pattern, each as "file:line: fields".
std::vector<std::string> rowsOf(const std::string &pattern, size_t count) {
  std::vector<std::vector<std::string>> rows(count);
  onRanks(count, [&](const Ranks &ranks) {
    Result<std::vector<RankPiece>> pieces = divideFiles(ranks, pattern, {});
    ASSERT_TRUE(pieces) << pieces.error().message;
    for (const RankPiece &piece : *pieces) {
      Result<CsvBlocks> file = CsvBlocks::open(piece.source, 16, CsvFormat());
      ASSERT_TRUE(file) << file.error().message;
      CsvBlock block;
      size_t line = file->firstRowLine();
      for (Result<bool> more = true; (more = file->read(block)) && *more;) {
        block.startAt(line);
        block.scan();
        ASSERT_FALSE(block.fault()) << file->describe(block).message;
        for (size_t row = 0; row < block.rowCount(); ++row) {
          std::string text =
              piece.source.path + ":" + std::to_string(block.line(row)) + ":";
          for (size_t i = 0; i < file->names().size(); ++i)
            text += " " + std::string(block.field(row, i));
          rows[ranks.rank()].push_back(text);
        }
        line += block.lineCount();
      }
    }
  });
  std::vector<std::string> all;
  for (const std::vector<std::string> &of : rows)
    all.insert(all.end(), of.begin(), of.end());
  return all;
}

TEST(Ranks, ReadEachRowOnce) {
  const Folder folder;
  std::mt19937 random(5);
  auto text = [&](size_t rows, const char *end) {
    std::string all = std::string("x,\"y\n\"") + end;
    for (size_t row = 0; row < rows; ++row)
      switch (random() % 4) {
      case 0:
        all += "\"a\n\n,\"\"\n\"," + std::to_string(row) + end;
        break;
      case 1:
        all += std::string(",") + end;
        break;
      default:
        all += std::to_string(random()) + ",b" + end;
      }
    return all;
  };
  folder.write("a.csv", text(30, "\n"));
  folder.write("b.csv", text(1, "\r\n"));
  folder.write("c.csv", text(20, "\r\n") + "\n\r\n");
  std::string last = text(9, "\n");
  last.pop_back();
  folder.write("d.csv", last);
  const std::string pattern = folder.path + "/?.csv";
  const std::vector<std::string> expected = rowsOf(pattern, 1);
  EXPECT_EQ(expected.size(), 60U);
  for (size_t count = 2; count < 60; count += count < 12 ? 1 : 7)
    EXPECT_EQ(rowsOf(pattern, count), expected) << count << " ranks";
}

/// The error of a fit with a checkpoint.
std::string errorWithCheckpoint(const RunOptions &run) {
  const auto end = [](const char *) {};
  const Result<RankFit> fit =
      fitOnRanks(Ranks(), tamrt_model(), "no-such-file.csv", ReadOptions(), run,
                 {.end = end, .hasCheckpoint = true, .checkpoint = "kept"});
  return fit ? "" : fit.error().message;
}

TEST(Ranks, CheckpointsNeedFitsInRounds) {
  // No command has a checkpoint and chooses penalties, other callers might.
  RunOptions run;
  EXPECT_NE(errorWithCheckpoint(run).find("No such file"), std::string::npos);
  run.chooseStrengths = [](const StrengthsQuestion &) {
    return Result<std::vector<double>>(std::vector<double>());
  };
  EXPECT_EQ(errorWithCheckpoint(run),
            "expected no --checkpoint of a fit with penalties that are chosen, "
            "which needs all groups at once");
  Inference inference;
  run.inference = &inference;
  EXPECT_EQ(errorWithCheckpoint(run),
            "expected no --checkpoint of a fit with --inference, which needs "
            "all groups at once");
}

} // namespace
