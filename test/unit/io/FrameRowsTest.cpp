//===- FrameRowsTest.cpp --------------------------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/FrameRows.h"
#include "io/CsvBlocks.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace tamrt {
namespace {

tamrt_frame_column columnOf(tamrt_frame_type type, const void *values) {
  tamrt_frame_column column = {};
  column.type = type;
  column.values = values;
  return column;
}

/// A frame of one column.
struct One {
  One(tamrt_frame_column column, int64_t rows)
      : column(column), batch{rows, &this->column} {}

  FrameRows rows(size_t first = 0) const {
    return {frame, batch, first, size_t(batch.rows) - first};
  }

  tamrt_frame_column column;
  tamrt_frame_batch batch;
  const char *name = "x";
  tamrt_frame frame = {"data", 1, &name, 1, &batch};
};

std::vector<std::string> textsOf(const FrameRows &rows) {
  std::vector<std::string> texts;
  for (size_t row = 0; row < rows.rowCount(); ++row)
    texts.emplace_back(rows.field(row, 0));
  return texts;
}

using Texts = std::vector<std::string>;

/// The points in time of a frame's only column.
struct Times {
  explicit Times(const FrameRows &rows)
      : forms(rows.rowCount()), seconds(rows.rowCount()),
        beyond(rows.times(0, forms.data(), seconds.data(), fractions)) {}

  Date operator[](size_t row) const {
    Date date;
    date.form = forms[row];
    date.seconds = seconds[row];
    date.fraction = fractions.empty() ? 0 : fractions[row];
    return date;
  }

  std::vector<Date::Form> forms;
  std::vector<int64_t> seconds;
  GrowingArray<uint64_t> fractions;
  std::optional<size_t> beyond;
};

TEST(FrameRows, Numbers) {
  const double values[] = {1, 0.1, std::nan(""), -INFINITY};
  const One one(columnOf(TAMRT_FRAME_F64, values), 4);
  double numbers[4];
  std::vector<size_t> odd;
  one.rows().numbers(0, numbers, odd);
  EXPECT_EQ(numbers[1], 0.1);
  EXPECT_TRUE(std::isnan(numbers[2]));
  EXPECT_EQ(odd, (std::vector<size_t>{2, 3}));
  EXPECT_EQ(textsOf(one.rows()), (Texts{"1", "0.1", "", "-inf"}));
  EXPECT_EQ(textsOf(one.rows(1)), (Texts{"0.1", "", "-inf"}));
  const float floats[] = {0.1f, 2};
  EXPECT_EQ(textsOf(One(columnOf(TAMRT_FRAME_F32, floats), 2).rows()),
            (Texts{"0.1", "2"}));
  const int8_t bytes[] = {-3, 7};
  EXPECT_EQ(textsOf(One(columnOf(TAMRT_FRAME_I8, bytes), 2).rows()),
            (Texts{"-3", "7"}));
}

TEST(FrameRows, MissingValuesAndOffsets) {
  const int32_t values[] = {9, 5, 6, 7};
  const uint8_t valid[] = {0b1011};
  tamrt_frame_column column = columnOf(TAMRT_FRAME_I32, values);
  column.valid = valid;
  column.first = 1;
  const One one(column, 3);
  EXPECT_EQ(textsOf(one.rows()), (Texts{"5", "", "7"}));
  double numbers[3];
  std::vector<size_t> odd;
  one.rows().numbers(0, numbers, odd);
  EXPECT_EQ(numbers[0], 5);
  EXPECT_EQ(numbers[2], 7);
  EXPECT_EQ(odd, std::vector<size_t>{1});
}

TEST(FrameRows, TextsAndCategories) {
  const int32_t ends[] = {0, 2, 2, 5};
  tamrt_frame_column texts = columnOf(TAMRT_FRAME_TEXT32, ends);
  texts.text = "ab1.5";
  EXPECT_EQ(textsOf(One(texts, 3).rows()), (Texts{"ab", "", "1.5"}));
  double numbers[3];
  std::vector<size_t> odd;
  One(texts, 3).rows().numbers(0, numbers, odd);
  EXPECT_EQ(numbers[2], 1.5);
  EXPECT_EQ(odd, (std::vector<size_t>{0, 1}));
  const int8_t indices[] = {2, -1, 0};
  tamrt_frame_column categories = columnOf(TAMRT_FRAME_I8, indices);
  categories.dictionary = &texts;
  EXPECT_EQ(textsOf(One(categories, 3).rows()), (Texts{"1.5", "", "ab"}));
}

TEST(FrameRows, Tags) {
  // Rows with equal tags have equal texts, which are also made one by one.
  auto check = [](const One &one, size_t distinct) {
    const FrameRows rows = one.rows();
    std::vector<uint64_t> tags(rows.rowCount());
    ASSERT_TRUE(rows.tags(0, tags.data()));
    std::map<uint64_t, std::string> texts;
    for (size_t row = 0; row < rows.rowCount(); ++row) {
      std::string buffer;
      const std::string text(rows.field(row, 0, buffer));
      EXPECT_EQ(text, rows.field(row, 0));
      EXPECT_EQ(texts.emplace(tags[row], text).first->second, text);
    }
    EXPECT_EQ(texts.size(), distinct);
  };
  const double doubles[] = {0.5, -0.0, 0, 0.5, std::nan("")};
  check(One(columnOf(TAMRT_FRAME_F64, doubles), 5), 4);
  const float floats[] = {0.1f, 2, 0.1f};
  check(One(columnOf(TAMRT_FRAME_F32, floats), 3), 2);
  const int16_t integers[] = {-1, 255, -1};
  check(One(columnOf(TAMRT_FRAME_I16, integers), 3), 2);
  const uint8_t truths[] = {0, 1, 0};
  check(One(columnOf(TAMRT_FRAME_BOOL, truths), 3), 2);
  const int64_t ticks[] = {0, 86400, 0};
  tamrt_frame_column times = columnOf(TAMRT_FRAME_TIME, ticks);
  times.ticks = 1;
  check(One(times, 3), 2);
  const int32_t ends[] = {0, 2, 2, 5};
  tamrt_frame_column texts = columnOf(TAMRT_FRAME_TEXT32, ends);
  texts.text = "ab1.5";
  const int8_t indices[] = {2, -1, 0, 2};
  tamrt_frame_column categories = columnOf(TAMRT_FRAME_I8, indices);
  categories.dictionary = &texts;
  check(One(categories, 4), 3);
  // Another dictionary gives tags another meaning.
  uint64_t tags[4];
  const tamrt_frame_column others = texts;
  const One one(categories, 4);
  categories.dictionary = &others;
  EXPECT_NE(one.rows().tags(0, tags), One(categories, 4).rows().tags(0, tags));
  EXPECT_FALSE(One(texts, 3).rows().tags(0, tags));
  const uint8_t valid[] = {0b101};
  times.valid = valid;
  EXPECT_FALSE(One(times, 3).rows().tags(0, tags));
}

TEST(FrameRows, NumbersInPlace) {
  const double doubles[] = {9, 1, 2, INFINITY, std::nan(""), -5e-324};
  tamrt_frame_column column = columnOf(TAMRT_FRAME_F64, doubles);
  column.first = 1;
  std::optional<FrameNumbers> numbers = FrameNumbers::of(column, 1);
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->doubles(), doubles + 2);
  const uint32_t rows[] = {3, 0};
  double out[2];
  numbers->gather(rows, out);
  EXPECT_EQ(out[0], -5e-324);
  EXPECT_EQ(out[1], 2);
  std::vector<size_t> odd;
  One(column, 5).rows(1).findOdd(0, odd);
  EXPECT_EQ(odd, (std::vector<size_t>{1, 2}));
  const float floats[] = {3.4e38f, -INFINITY, 0.1f};
  odd.clear();
  One(columnOf(TAMRT_FRAME_F32, floats), 3).rows().findOdd(0, odd);
  EXPECT_EQ(odd, std::vector<size_t>{1});
  numbers = FrameNumbers::of(columnOf(TAMRT_FRAME_F32, floats), 2);
  ASSERT_TRUE(numbers);
  EXPECT_FALSE(numbers->doubles());
  const uint32_t first[] = {0};
  numbers->gather(first, out);
  EXPECT_EQ(out[0], double(0.1f));
  const int8_t bytes[] = {-3};
  odd.clear();
  One(columnOf(TAMRT_FRAME_I8, bytes), 1).rows().findOdd(0, odd);
  EXPECT_TRUE(odd.empty());
  const uint8_t valid[] = {0xFF};
  column.valid = valid;
  EXPECT_FALSE(FrameNumbers::of(column, 0));
  EXPECT_FALSE(FrameNumbers::of(columnOf(TAMRT_FRAME_TIME, doubles), 0));
  EXPECT_FALSE(FrameNumbers::of(
      columnOf(TAMRT_FRAME_F64, reinterpret_cast<const char *>(doubles) + 1),
      0));
}

TEST(FrameRows, Times) {
  const int64_t ticks[] = {-1, 1582934400500,
                           std::numeric_limits<int64_t>::min()};
  tamrt_frame_column column = columnOf(TAMRT_FRAME_TIME, ticks);
  column.ticks = 1000;
  const One local(column, 3);
  const Texts texts = textsOf(local.rows());
  EXPECT_EQ(texts,
            (Texts{"1969-12-31 23:59:59.999", "2020-02-29 00:00:00.5", ""}));
  EXPECT_EQ(Times(local.rows())[2].form, Date::Form::Missing);
  EXPECT_EQ(Times(local.rows())[2].seconds, 0);
  column.is_zoned = 1;
  const One zoned(column, 2);
  for (const One *one : {&local, &zoned})
    for (size_t row = 0; row < 2; ++row) {
      const Date date = Times(one->rows())[row];
      const Result<Date> parsed =
          parseDate(std::string(one->rows().field(row, 0)));
      ASSERT_TRUE(parsed);
      EXPECT_EQ(date, *parsed);
      EXPECT_EQ(date.form, parsed->form);
    }
  const int32_t days[] = {-1, 18321};
  EXPECT_EQ(textsOf(One(columnOf(TAMRT_FRAME_DAYS, days), 2).rows()),
            (Texts{"1969-12-31", "2020-02-29"}));
}

TEST(FrameRows, TimesBeyondTheYearsOfDates) {
  // The ends of the years 0 and 9999, and what is next to them.
  const int64_t seconds[] = {-62167219200, 253402300799, 253402300800,
                             -62167219201, std::numeric_limits<int64_t>::max()};
  tamrt_frame_column column = columnOf(TAMRT_FRAME_TIME, seconds);
  column.ticks = 1;
  const One all(column, 5), good(column, 2);
  EXPECT_EQ(textsOf(all.rows()),
            (Texts{"0000-01-01", "9999-12-31 23:59:59",
                   "253402300800 seconds since 1970",
                   "-62167219201 seconds since 1970",
                   "9223372036854775807 seconds since 1970"}));
  EXPECT_EQ(Times(good.rows()).beyond, std::nullopt);
  EXPECT_TRUE(Times(good.rows()).fractions.empty());
  EXPECT_EQ(Times(all.rows()).beyond, 2);
  EXPECT_EQ(Times(all.rows(3)).beyond, 0);
  const int32_t days[] = {std::numeric_limits<int32_t>::min()};
  EXPECT_EQ(Times(One(columnOf(TAMRT_FRAME_DAYS, days), 1).rows()).beyond, 0);
  // Those that are missing are not beyond, nor in a dictionary that has more.
  const int8_t indices[] = {-1, 2, 0};
  tamrt_frame_column some = columnOf(TAMRT_FRAME_I8, indices);
  some.dictionary = &column;
  EXPECT_TRUE(One(some, 3).rows().hasTimes(0));
  EXPECT_EQ(Times(One(some, 3).rows()).beyond, 1);
  EXPECT_EQ(Times(One(some, 3).rows())[0].form, Date::Form::Missing);
  EXPECT_EQ(Times(One(some, 3).rows())[2].seconds, seconds[0]);
  EXPECT_FALSE(One(columnOf(TAMRT_FRAME_I64, seconds), 5).rows().hasTimes(0));
}

TEST(FrameRows, PlainTimesAreTheTimes) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  // Products that are too large wrap around, to other ticks.
  auto product = [](int64_t a, int64_t b) {
    return int64_t(uint64_t(a) * uint64_t(b));
  };
  for (int64_t ticks : {1, 1'000, 1'000'000, 1'000'000'000})
    for (int64_t odd :
         {int64_t(-1), int64_t(86400), ticks, -3 * ticks, 5 * ticks + 1,
          product(-62167219200, ticks), product(-62167219200, ticks) - 1,
          product(253402300799, ticks), product(253402300800, ticks), kLeast,
          kLeast + 1, kMost}) {
      const int64_t values[] = {7, 0, -2 * ticks, odd, 4 * ticks};
      tamrt_frame_column column = columnOf(TAMRT_FRAME_TIME, values);
      column.ticks = ticks;
      column.is_zoned = odd < 0;
      const One one(column, 5);
      const Times times(one.rows(1));
      bool arePlain = !times.beyond;
      for (size_t row = 0; row < 4; ++row)
        arePlain &= times.forms[row] != Date::Form::Missing;
      std::vector<int64_t> seconds(4);
      EXPECT_EQ(one.rows(1).plainTimes(0, nullptr).has_value(), arePlain);
      const std::optional<Date::Form> form =
          one.rows(1).plainTimes(0, seconds.data());
      EXPECT_EQ(form.has_value(), arePlain && times.fractions.empty())
          << odd << " of " << ticks;
      if (!form)
        continue;
      EXPECT_EQ(seconds, times.seconds);
      EXPECT_EQ(*form, times.forms[0]);
    }
  const int32_t days[] = {-719528, 2932896, 2932897, -719529};
  tamrt_frame_column column = columnOf(TAMRT_FRAME_DAYS, days);
  int64_t seconds[2];
  EXPECT_EQ(One(column, 2).rows().plainTimes(0, seconds), Date::Form::Local);
  EXPECT_EQ(seconds[0], -62167219200);
  EXPECT_EQ(seconds[1], 253402214400);
  for (size_t first : {1, 2})
    EXPECT_FALSE(
        One(column, int64_t(first) + 2).rows(first).plainTimes(0, nullptr));
  // Marks of missing values, indices, and places that no number has.
  const uint8_t valid[] = {0xFF};
  column.valid = valid;
  EXPECT_FALSE(One(column, 2).rows().plainTimes(0, nullptr));
  const int8_t indices[] = {0, 1};
  tamrt_frame_column some = columnOf(TAMRT_FRAME_I8, indices);
  column.valid = nullptr;
  some.dictionary = &column;
  EXPECT_FALSE(One(some, 2).rows().plainTimes(0, nullptr));
  column.values = reinterpret_cast<const char *>(days) + 1;
  EXPECT_FALSE(One(column, 2).rows().plainTimes(0, nullptr));
}

TEST(FrameRows, BlocksOfBatches) {
  const double values[] = {1, 2, 3};
  const tamrt_frame_column column = columnOf(TAMRT_FRAME_F64, values);
  tamrt_frame_column later = column;
  later.first = 2;
  const tamrt_frame_batch batches[] = {{2, &column}, {0, &column}, {1, &later}};
  const char *const name = "x";
  const tamrt_frame frame = {"data", 1, &name, 3, batches};
  Result<CsvBlocks> blocks = CsvBlocks::open(DataSource(frame), 1, {});
  ASSERT_TRUE(blocks) << blocks.error().message;
  for (int time = 0; time < 2; ++time) {
    Texts texts;
    CsvBlock block;
    while (*blocks->read(block)) {
      block.scan();
      for (size_t row = 0; row < block.rowCount(); ++row)
        texts.emplace_back(block.field(row, 0));
    }
    EXPECT_EQ(texts, (Texts{"1", "2", "3"}));
    ASSERT_TRUE(blocks->rewind());
  }
  const tamrt_frame none = {"data", 1, &name, 1, batches + 1};
  Result<CsvBlocks> empty = CsvBlocks::open(DataSource(none), 1, {});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message, "data: expected rows, got none");
  const char *const names[] = {"x", "x"};
  const tamrt_frame twice = {"data", 2, names, 1, batches};
  Result<CsvBlocks> same = CsvBlocks::open(DataSource(twice), 1, {});
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().message, "data: expected one column 'x', got several");
}

} // namespace
} // namespace tamrt
