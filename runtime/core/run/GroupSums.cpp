//===- core/run/GroupSums.cpp - fits of groups whose rows come in parts ---===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/GroupSums.h"

#include "core/Log.h"
#include "core/device/AlignedBuffer.h"
#include "core/run/Steps.h"
#include "core/run/Work.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace tamrt {
namespace {

Error changed(const std::string &group) {
  return Error{"expected the rows that were read before" +
               (group.empty() ? "" : " of group '" + group + "'") +
               ", got others: the file has changed meanwhile"};
}

} // namespace

class GroupSums::Impl {
public:
  Impl(const tamrt_model &model, const Normalization &normalization,
       const Tables &tables, const FittedGroups &groups, size_t first,
       size_t count, const RunOptions &options, Crew crew, AlignedBuffer states)
      : model(model), normalization(normalization), tables(tables),
        groups(groups), first(first), options(options), crew(std::move(crew)),
        states(std::move(states)), done(count) {}

  Status add(const Dataset &rows);
  Status finish(std::span<double> coefficients);
  size_t count() const { return done.size(); }

private:
  /// Has the worker work on the group at `place`.
  void turnTo(Worker &worker, size_t place) {
    const auto state = size_t(alignedBytes(model.state_bytes));
    char *at = states.as<char>() + (place - first) * bytesPerGroup(model);
    worker.place.state = at;
    worker.place.carry = model.carry_bytes > 0 ? at + state : nullptr;
    // Solving has no rows to look at.
    worker.columns.resize(size_t(model.input_count) + 2, nullptr);
    worker.place.columns = worker.columns.data();
    normalization.parameters(place, worker.place.parameters);
    worker.place.tables = tables.pointers();
  }

  const tamrt_model &model;
  const Normalization &normalization;
  const Tables &tables;
  FittedGroups groups;
  size_t first;
  RunOptions options;
  Crew crew;
  AlignedBuffer states;
  /// Rows so far of each group.
  std::vector<size_t> done;
};

size_t GroupSums::bytesPerGroup(const tamrt_model &model) {
  return size_t(alignedBytes(model.state_bytes) +
                (model.carry_bytes > 0 ? alignedBytes(model.carry_bytes) : 0));
}

Status GroupSums::Impl::add(const Dataset &rows) {
  for (const Group &group : rows.groups())
    if (group.place - first < done.size() &&
        group.rows > groups.rows[group.place] - done[group.place - first])
      return changed(group.name);
  Work work(model, rows.groups(), crew, options, "fit");
  return work.run([&](Worker &worker, size_t g) {
    const Group &group = rows.groups()[g];
    if (group.place - first >= done.size())
      return;
    size_t &before = done[group.place - first];
    const auto all = int64_t(groups.rows[group.place]);
    turnTo(worker, group.place);
    if (before == 0)
      worker.attempt(*crew.ladder, [&] {
        worker.setColumns(model, rows, group.first);
        worker.run(*firstStep(model, TAMRT_STEP_FIT_INIT), nullptr, 0, 0, all);
      });
    if (worker.place.good())
      work.team().add(worker, {TAMRT_STEP_FIT_CHUNK,
                               nullptr,
                               rows,
                               group.first,
                               before,
                               group.rows,
                               size_t(all),
                               {}});
    before += group.rows;
  });
}

Status GroupSums::Impl::finish(std::span<double> coefficients) {
  const auto width = size_t(model.columns);
  std::vector<Group> list;
  for (size_t i = 0; i < done.size(); ++i) {
    if (done[i] != groups.rows[first + i])
      return changed(groups.names[first + i]);
    list.push_back({groups.names[first + i], 0, done[i], first + i});
  }
  Work work(model, list, crew, options, "solve");
  Status solved = work.run([&](Worker &worker, size_t i) {
    turnTo(worker, first + i);
    worker.attempt(*crew.ladder, [&] {
      worker.run(*firstStep(model, TAMRT_STEP_FIT_FINISH), nullptr,
                 int64_t(done[i]), 0, int64_t(done[i]));
    });
    if (worker.place.good())
      std::memcpy(coefficients.data() + i * width, worker.place.output,
                  width * sizeof(double));
  });
  if (solved)
    crew.ladder->summarize();
  return solved;
}

GroupSums::GroupSums(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
GroupSums::GroupSums(GroupSums &&) noexcept = default;
GroupSums::~GroupSums() = default;

Result<GroupSums> GroupSums::create(const tamrt_model &model,
                                    const Normalization &normalization,
                                    const Tables &tables,
                                    const FittedGroups &groups, size_t first,
                                    size_t most, const RunOptions &options) {
  const size_t longest =
      *std::max_element(groups.rows.begin(), groups.rows.end());
  RunOptions now = options;
  for (size_t count = most;;) {
    const size_t bytes = count * bytesPerGroup(model);
    Result<Crew> crew = muster(model, TAMRT_STEP_FIT_CHUNK, count, longest, now,
                               StateOf::Group, int64_t(bytes));
    std::string why;
    LogLevel level = LogLevel::Warning;
    if (crew) {
      if (AlignedBuffer states = crew->device->allocate(bytes, "sums"))
        return GroupSums(std::make_unique<Impl>(
            model, normalization, tables, groups, first, count, now,
            *std::move(crew), std::move(states)));
      crew->device->purge();
      why = "expected " + std::to_string(bytes) +
            " bytes of memory for the sums of " + std::to_string(count) +
            " groups on device '" + crew->device->label() + "', got " +
            std::to_string(crew->device->memory().freeBytes) + " free";
    } else {
      // Of what the oracle foresees nobody needs to be warned.
      why = crew.error().message;
      level = LogLevel::Info;
    }
    if (count > 1) {
      count = (count + 1) / 2;
      log(level, "{}; going on with {} groups at a time", why, count);
    } else if (now.allowCpuFallback && !deviceOf(now).isCpu()) {
      log(LogLevel::Warning, "{}; going on on 'cpu'", why);
      now.device = &Device::cpu();
      count = most;
    } else {
      return Error{why};
    }
  }
}

size_t GroupSums::count() const { return impl->count(); }
Status GroupSums::add(const Dataset &rows) { return impl->add(rows); }
Status GroupSums::finish(std::span<double> coefficients) {
  return impl->finish(coefficients);
}

} // namespace tamrt
