//===- core/run/GroupFits.cpp - fits of groups whose rows come in parts ---===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/run/GroupFits.h"

#include "core/Log.h"
#include "core/device/AlignedBuffer.h"
#include "core/run/GroupFit.h"
#include "core/run/Work.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace tamrt {
namespace {

/// Memory of a fit of groups of at most `rows` rows.
ThreadMemory memoryOf(const tamrt_model &model, tamrt_step_kind solver,
                      size_t rows) {
  return fitMemory(model, *firstStep(model, solver), int64_t(rows));
}

/// Bytes of a group in the device's memory.
size_t onDevice(const ThreadMemory &memory) {
  return size_t(memory.state + memory.carry);
}

size_t longestOf(const FittedGroups &groups) {
  return *std::max_element(groups.rows.begin(), groups.rows.end());
}

/// The memory of a group's fit.
struct GroupMemory {
  AlignedBuffer states, vectors;
};

/// A fit in progress, and the index of its memory.
struct Slot {
  size_t index, group;
  GroupFit fit;
  /// Rows of the reading so far.
  size_t rows = 0;
  bool wantsRows = true;
};

/// Slot of a group whose fit is not in progress.
constexpr size_t kNone = std::numeric_limits<size_t>::max();

} // namespace

class GroupFits::Impl {
public:
  Impl(const tamrt_model &model, tamrt_step_kind solver,
       const Normalization &normalization, const Tables &tables,
       const FittedGroups &groups, size_t count, const RunOptions &options,
       Crew crew, GroupMemory memory)
      : model(model), solver(solver), normalization(normalization),
        tables(tables), groups(groups), options(options), crew(std::move(crew)),
        memory(std::move(memory)), slots(count),
        slotOf(groups.names.size(), kNone),
        needed(memoryOf(model, solver, longestOf(groups))),
        coefficients(options.systems || options.takeSums
                         ? 0
                         : groups.names.size() * size_t(model.columns)),
        outcomes(describe(solver).isCg() ? groups.names.size() : 0) {}

  Result<bool> resume();
  Status add(const Dataset &rows);
  FitsUnderWay underWay() const;
  Result<std::vector<double>> finish();
  size_t count() const { return slots.size(); }

private:
  Status resume(std::span<const size_t> places);
  void start(size_t index);

  /// Switches the worker to the group of a slot.
  void turnTo(Worker &worker, const Slot &slot) {
    char *at = memory.states.as<char>() + slot.index * onDevice(needed);
    worker.place.state = at;
    worker.place.carry = model.carry_bytes > 0 ? at + needed.state : nullptr;
    normalization.parameters(model, slot.group, worker.place.parameters,
                             options.strengthsOf(model, slot.group));
    worker.place.tables = tables.pointers();
  }

  const tamrt_model &model;
  tamrt_step_kind solver;
  const Normalization &normalization;
  const Tables &tables;
  FittedGroups groups;
  RunOptions options;
  Crew crew;
  GroupMemory memory;
  /// Empty if no group is left for a slot.
  std::vector<std::optional<Slot>> slots;
  /// By the groups' places.
  std::vector<size_t> slotOf;
  /// The memory of each slot.
  ThreadMemory needed;
  /// Groups that have begun, and those that have ended.
  size_t begun = 0, ended = 0;
  std::vector<double> coefficients;
  std::vector<CgOutcome> outcomes;
};

size_t GroupFits::bytesPerGroup(const tamrt_model &model,
                                tamrt_step_kind solver, size_t rows) {
  const ThreadMemory memory = memoryOf(model, solver, rows);
  return onDevice(memory) + size_t(memory.vectors);
}

/// Starts the next group in a slot.
void GroupFits::Impl::start(size_t index) {
  const size_t group = begun++;
  auto *vectors = memory.vectors.as<char>() + index * size_t(needed.vectors);
  slots[index].emplace(Slot{index, group,
                            GroupFit(*crew.ladder, group, groups.rows[group],
                                     reinterpret_cast<double *>(vectors))});
  slotOf[group] = index;
}

/// Continues the fits of the groups at `places`.
Status GroupFits::Impl::resume(std::span<const size_t> places) {
  if (places.empty())
    return {};
  std::vector<Group> list;
  for (size_t place : places)
    list.push_back({groups.names[place], 0, groups.rows[place], place});
  Work work(model, list, crew, options, "solve");
  return work.run([&](Worker &worker, size_t i) {
    const size_t group = places[i];
    Slot &slot = *slots[slotOf[group]];
    turnTo(worker, slot);
    slot.rows = 0;
    slot.wantsRows = slot.fit.resume(worker);
    if (slot.wantsRows || !worker.place.good())
      return;
    if (options.takeSums)
      return options.takeSums(group, worker.place.state);
    if (options.systems)
      return options.systems->take(group, slot.fit.coefficients(worker));
    const auto width = size_t(model.columns);
    std::memcpy(coefficients.data() + group * width,
                slot.fit.coefficients(worker), width * sizeof(double));
    if (!outcomes.empty())
      outcomes[group] = slot.fit.outcome();
    if (!crew.ladder->extra().infers)
      return;
    if (const double *inferred = slot.fit.infer(worker))
      options.inference->take(model, group, inferred);
  });
}

Result<bool> GroupFits::Impl::resume() {
  std::vector<size_t> places;
  for (const std::optional<Slot> &slot : slots)
    if (slot)
      places.push_back(slot->group);
  std::sort(places.begin(), places.end());
  for (size_t place : places)
    if (slots[slotOf[place]]->rows != groups.rows[place])
      return changedRows(groups.names[place]);
  if (Status s = resume(places); !s)
    return std::move(s).error();
  for (std::optional<Slot> &slot : slots)
    if (slot && !slot->wantsRows) {
      slotOf[slot->group] = kNone;
      slot.reset();
      ++ended;
    }

  places.clear();
  for (size_t i = 0; i < slots.size() && begun < groups.names.size(); ++i)
    if (!slots[i]) {
      places.push_back(begun);
      start(i);
    }
  if (Status s = resume(places); !s)
    return std::move(s).error();
  return ended < groups.names.size();
}

Status GroupFits::Impl::add(const Dataset &rows) {
  for (const Group &group : rows.groups())
    if (const size_t slot = slotOf[group.place];
        slot != kNone &&
        group.rows > groups.rows[group.place] - slots[slot]->rows)
      return changedRows(group.name);
  Work work(model, rows.groups(), crew, options, "fit");
  return work.run([&](Worker &worker, size_t g) {
    const Group &group = rows.groups()[g];
    if (slotOf[group.place] == kNone)
      return;
    Slot &slot = *slots[slotOf[group.place]];
    turnTo(worker, slot);
    work.team().add(worker, {slot.fit.pass(),
                             slot.fit.vector(),
                             rows,
                             group.first,
                             slot.rows,
                             group.rows,
                             groups.rows[group.place],
                             {}});
    slot.rows += group.rows;
  });
}

FitsUnderWay GroupFits::Impl::underWay() const {
  FitsUnderWay all = {groups.names.size() - ended, {}};
  for (const std::optional<Slot> &slot : slots)
    if (slot && !outcomes.empty()) {
      const CgOutcome &one = slot->fit.outcome();
      all.furthest.iterations =
          std::max(all.furthest.iterations, one.iterations);
      all.furthest.residual = std::max(all.furthest.residual, one.residual);
    }
  return all;
}

Result<std::vector<double>> GroupFits::Impl::finish() {
  crew.ladder->summarize();
  if (Status s = checkConverged(model, groups.names, outcomes, options); !s)
    return std::move(s).error();
  if (Status s = checkCoefficients(model, groups.names, coefficients); !s)
    return std::move(s).error();
  return std::move(coefficients);
}

Error changedRows(const std::string &group) {
  return Error{"expected the rows that were read before" +
               (group.empty() ? "" : " of group '" + group + "'") +
               ", got others: the file has changed meanwhile"};
}

GroupFits::GroupFits(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
GroupFits::GroupFits(GroupFits &&) noexcept = default;
GroupFits::~GroupFits() = default;

Result<GroupFits> GroupFits::create(const tamrt_model &model,
                                    tamrt_step_kind solver,
                                    const Normalization &normalization,
                                    const Tables &tables,
                                    const FittedGroups &groups, size_t most,
                                    const RunOptions &options) {
  const size_t longest = longestOf(groups);
  const ThreadMemory needed = memoryOf(model, solver, longest);
  RunOptions now = options;
  if (!options.others.empty())
    log(LogLevel::Info, "the sums of all groups are on '{}'",
        deviceOf(options).label());
  for (size_t count = most;;) {
    const size_t states = count * onDevice(needed);
    const size_t vectors = count * size_t(needed.vectors);
    Result<Crew> crew =
        makeCrew(model, solver, count, longest, now, StateOf::Group,
                 int64_t(states + vectors) +
                     systemBytes(model, groups.names.size(), now));
    std::string why;
    LogLevel level = LogLevel::Warning;
    if (crew) {
      GroupMemory memory = {crew->device->allocate(states, "sums"),
                            Device::cpu().allocate(vectors, "vectors")};
      if (Status s = startInference(model, *crew, groups.names.size(), now); !s)
        return std::move(s).error();
      if (memory.states && memory.vectors)
        return GroupFits(std::make_unique<Impl>(
            model, solver, normalization, tables, groups, count, now,
            *std::move(crew), std::move(memory)));
      crew->device->purge();
      why = "expected " + std::to_string(states + vectors) +
            " bytes of memory for the fits of " + std::to_string(count) +
            " groups on device '" + crew->device->label() + "', got " +
            std::to_string(crew->device->memory().freeBytes) + " free";
    } else {
      // A shortage that the oracle foresees needs no warning.
      why = crew.error().message;
      level = LogLevel::Info;
    }
    if (!takeLess(count, most, "groups", now, level, why))
      return Error{why};
  }
}

size_t GroupFits::count() const { return impl->count(); }
Result<bool> GroupFits::resume() { return impl->resume(); }
Status GroupFits::add(const Dataset &rows) { return impl->add(rows); }
FitsUnderWay GroupFits::underWay() const { return impl->underWay(); }
Result<std::vector<double>> GroupFits::finish() { return impl->finish(); }

} // namespace tamrt
