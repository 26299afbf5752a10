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

/// The memory of the fits of some groups.
struct GroupMemory {
  AlignedBuffer states, vectors;

  /// For `count` groups; not there if there is not enough.
  static GroupMemory allocate(Device &device, const ThreadMemory &each,
                              size_t count) {
    return {device.allocate(count * onDevice(each), "sums"),
            Device::cpu().allocate(count * size_t(each.vectors), "vectors")};
  }
  bool isThere() const { return states && vectors; }
};

/// Groups whose memory is allocated together: all at the start, but for the
/// direct solver as many as begin at the same time, and more as groups stay
/// under way.
size_t groupsPerBlock(tamrt_step_kind solver, size_t count) {
  return describe(solver).isDirect() ? std::min(count, GroupFits::kBegun)
                                     : count;
}

/// A fit in progress, and the index of its memory.
struct Slot {
  size_t index, group;
  GroupFit fit;
  /// Rows of the reading so far.
  size_t rows = 0;
  /// For fits that only sum.
  TargetSums target = {};
  bool hasBegun = false, wantsRows = true;
};

/// Slots of a group whose fit is not in progress.
constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
/// The same for the direct solver: there was no slot for its first rows of this
/// reading; its fit has ended in an earlier reading, or in this one.
constexpr uint32_t kSkipped = kNone - 1, kEnded = kNone - 2,
                   kJustEnded = kNone - 3;

} // namespace

class GroupFits::Impl {
public:
  Impl(const tamrt_model &model, tamrt_step_kind solver,
       const Normalization &normalization, const Tables &tables,
       const FittedGroups &groups, size_t count, const RunOptions &options,
       Crew crew, GroupMemory memory)
      : model(model), solver(solver), normalization(normalization),
        tables(tables), groups(groups), options(options), crew(std::move(crew)),
        isDirect(describe(solver).isDirect()),
        perBlock(groupsPerBlock(solver, count)), slots(count),
        slotOf(groups.names.size(), kNone),
        needed(memoryOf(model, solver, longestOf(groups))),
        coefficients(options.systems || options.takeSums
                         ? 0
                         : groups.names.size() * size_t(model.columns)),
        outcomes(isDirect ? 0 : groups.names.size()) {
    addBlock(std::move(memory));
  }

  Result<bool> resume();
  Status add(const Dataset &rows);
  std::vector<Wanted> wanted() const;
  Status addSums(const std::function<void(size_t, Workplace &)> &put);
  FitsUnderWay underWay() const;
  Result<std::vector<double>> finish();
  size_t count() const { return slots.size(); }

private:
  std::vector<size_t> places() const;
  std::vector<Group> groupsAt(std::span<const size_t> places) const;
  Status resume(std::span<const size_t> places);
  Result<bool> resumeDirect();
  Status addDirect(const Dataset &rows);
  Status addTo(const Dataset &rows, std::span<const Group> list);
  void addBlock(GroupMemory block);
  bool hasFreeSlot();
  void start(size_t group);
  void end(size_t index);
  void take(Worker &worker, Slot &slot);

  /// Switches the worker to the group of a slot.
  void turnTo(Worker &worker, const Slot &slot) {
    char *at = memory[slot.index / perBlock].states.as<char>() +
               slot.index % perBlock * onDevice(needed);
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
  bool isDirect;
  /// Each has the memory of `perBlock` slots.
  std::vector<GroupMemory> memory;
  size_t perBlock;
  /// Empty if no group has the slot.
  std::vector<std::optional<Slot>> slots;
  std::vector<size_t> freeSlots;
  /// By the groups' places.
  std::vector<uint32_t> slotOf;
  /// The memory of each slot.
  ThreadMemory needed;
  /// Groups that have begun, in the order of their places; not for the direct
  /// solver. Groups that have ended.
  size_t begun = 0, ended = 0;
  /// Whether there was a reading.
  bool hasRead = false;
  std::vector<double> coefficients;
  std::vector<CgOutcome> outcomes;
};

size_t GroupFits::bytesPerGroup(const tamrt_model &model,
                                tamrt_step_kind solver, size_t rows) {
  const ThreadMemory memory = memoryOf(model, solver, rows);
  return onDevice(memory) + size_t(memory.vectors);
}

/// Adds the memory of more slots.
void GroupFits::Impl::addBlock(GroupMemory block) {
  const size_t first = memory.size() * perBlock;
  memory.push_back(std::move(block));
  for (size_t i = std::min(first + perBlock, slots.size()); i-- > first;)
    freeSlots.push_back(i);
}

/// Whether there is a free slot, or memory for more. Without, groups wait.
bool GroupFits::Impl::hasFreeSlot() {
  const size_t first = memory.size() * perBlock;
  if (!freeSlots.empty() || first >= slots.size())
    return !freeSlots.empty();
  GroupMemory block = GroupMemory::allocate(
      *crew.device, needed, std::min(perBlock, slots.size() - first));
  if (!block.isThere()) {
    log(LogLevel::Info, "no memory on device '{}' for more than {} groups",
        crew.device->label(), first);
    return false;
  }
  addBlock(std::move(block));
  return true;
}

/// Starts a group in a free slot.
void GroupFits::Impl::start(size_t group) {
  const size_t index = freeSlots.back();
  freeSlots.pop_back();
  auto *vectors = memory[index / perBlock].vectors.as<char>() +
                  index % perBlock * size_t(needed.vectors);
  slots[index].emplace(Slot{index, group,
                            GroupFit(*crew.ladder, group, groups.rows[group],
                                     reinterpret_cast<double *>(vectors))});
  slotOf[group] = uint32_t(index);
}

/// Frees the slot of a group that has ended.
void GroupFits::Impl::end(size_t index) {
  slotOf[slots[index]->group] = kJustEnded;
  slots[index].reset();
  freeSlots.push_back(index);
  ++ended;
}

/// Takes the results of a fit that has ended.
void GroupFits::Impl::take(Worker &worker, Slot &slot) {
  const size_t group = slot.group;
  if (options.takeSums)
    return options.takeSums(group, worker.place.state, slot.target.all());
  if (!outcomes.empty())
    outcomes[group] = slot.fit.outcome();
  slot.fit.take(worker, group, coefficients);
}

/// The places of the groups in progress, in order.
std::vector<size_t> GroupFits::Impl::places() const {
  std::vector<size_t> places;
  for (const std::optional<Slot> &slot : slots)
    if (slot)
      places.push_back(slot->group);
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<Group>
GroupFits::Impl::groupsAt(std::span<const size_t> places) const {
  std::vector<Group> list;
  for (size_t place : places)
    list.push_back({groups.names[place], 0, groups.rows[place], place});
  return list;
}

/// Continues the fits of the groups at `places`.
Status GroupFits::Impl::resume(std::span<const size_t> places) {
  if (places.empty())
    return {};
  const std::vector<Group> list = groupsAt(places);
  Work work(model, list, crew, options, "solve");
  return work.run([&](Worker &worker, size_t i) {
    const size_t group = places[i];
    Slot &slot = *slots[slotOf[group]];
    turnTo(worker, slot);
    slot.rows = 0;
    slot.wantsRows = slot.fit.resume(worker);
    if (!slot.wantsRows && worker.place.good())
      take(worker, slot);
  });
}

/// Checks a reading, and prepares for the next one. Groups begin with their
/// first row and end with their last one.
Result<bool> GroupFits::Impl::resumeDirect() {
  for (size_t place = 0; hasRead && place < slotOf.size(); ++place) {
    uint32_t &slot = slotOf[place];
    if (slot == kSkipped)
      slot = kNone;
    else if (slot == kJustEnded)
      slot = kEnded;
    else if (slot != kEnded)
      return changedRows(groups.names[place]);
  }
  hasRead = true;
  return ended < groups.names.size();
}

Result<bool> GroupFits::Impl::resume() {
  if (isDirect)
    return resumeDirect();
  std::vector<size_t> places = this->places();
  for (size_t place : places)
    if (slots[slotOf[place]]->rows != groups.rows[place])
      return changedRows(groups.names[place]);
  if (Status s = resume(places); !s)
    return std::move(s).error();
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i] && !slots[i]->wantsRows)
      end(i);

  places.clear();
  for (; !freeSlots.empty() && begun < groups.names.size(); ++begun) {
    places.push_back(begun);
    start(begun);
  }
  if (Status s = resume(places); !s)
    return std::move(s).error();
  return ended < groups.names.size();
}

Status GroupFits::Impl::add(const Dataset &rows) {
  for (const Group &group : rows.groups()) {
    const uint32_t slot = slotOf[group.place];
    size_t left = group.rows;
    if (slot < slots.size())
      left = groups.rows[group.place] - slots[slot]->rows;
    else if (isDirect && slot == kNone)
      left = groups.rows[group.place];
    else if (isDirect && slot == kJustEnded)
      left = 0;
    if (group.rows > left)
      return changedRows(group.name);
  }
  return isDirect ? addDirect(rows) : addTo(rows, rows.groups());
}

/// Adds rows to the groups in progress, and to others as slots become free.
/// Those for which none does wait for the next reading.
Status GroupFits::Impl::addDirect(const Dataset &rows) {
  auto has = [&](const Group &group) {
    return slotOf[group.place] < slots.size();
  };
  std::vector<Group> list;
  for (const Group &group : rows.groups())
    if (has(group))
      list.push_back(group);
  auto next = rows.groups().begin();
  while (true) {
    for (size_t begins = 0;
         next != rows.groups().end() && begins < kBegun && hasFreeSlot();
         ++next)
      if (slotOf[next->place] == kNone) {
        start(next->place);
        list.push_back(*next);
        ++begins;
      }
    if (list.empty())
      break;
    if (Status s = addTo(rows, list); !s)
      return s;
    list.clear();
  }
  for (; next != rows.groups().end(); ++next)
    if (slotOf[next->place] == kNone)
      slotOf[next->place] = kSkipped;
  return {};
}

/// Adds the rows of groups of `rows` to those that are in progress.
Status GroupFits::Impl::addTo(const Dataset &rows,
                              std::span<const Group> list) {
  Work work(model, list, crew, options, "fit");
  Status added = work.run([&](Worker &worker, size_t g) {
    const Group &group = list[g];
    if (slotOf[group.place] >= slots.size())
      return;
    Slot &slot = *slots[slotOf[group.place]];
    turnTo(worker, slot);
    if (isDirect && !std::exchange(slot.hasBegun, true) &&
        !slot.fit.resume(worker))
      return;
    work.team().add(worker, {slot.fit.pass(),
                             slot.fit.vector(),
                             rows,
                             group.first,
                             slot.rows,
                             group.rows,
                             groups.rows[group.place],
                             {}});
    slot.rows += group.rows;
    if (options.takeSums)
      slot.target.add(rows, group);
    if (!isDirect || slot.rows < groups.rows[group.place] ||
        !worker.place.good())
      return;
    slot.fit.resume(worker);
    if (worker.place.good())
      take(worker, slot);
  });
  for (const Group &group : list)
    if (const uint32_t slot = slotOf[group.place];
        added && isDirect && slot < slots.size() &&
        slots[slot]->rows == groups.rows[group.place])
      end(slot);
  return added;
}

std::vector<GroupFits::Wanted> GroupFits::Impl::wanted() const {
  std::vector<Wanted> all;
  for (size_t place : places()) {
    const GroupFit &fit = slots[slotOf[place]]->fit;
    all.push_back({place, fit.pass(), fit.vector()});
  }
  return all;
}

Status
GroupFits::Impl::addSums(const std::function<void(size_t, Workplace &)> &put) {
  const std::vector<size_t> all = places();
  const std::vector<Group> list = groupsAt(all);
  Work work(model, list, crew, options, "join");
  return work.run([&](Worker &worker, size_t i) {
    Slot &slot = *slots[slotOf[all[i]]];
    turnTo(worker, slot);
    put(all[i], worker.place);
    slot.fit.skipPass();
    slot.rows = list[i].rows;
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
  auto nameAt = [&](size_t g) { return groups.names[g]; };
  if (Status s = checkConverged(model, nameAt, outcomes, options); !s)
    return std::move(s).error();
  if (Status s = checkCoefficients(model, nameAt, coefficients); !s)
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
      GroupMemory memory = GroupMemory::allocate(*crew->device, needed,
                                                 groupsPerBlock(solver, count));
      if (Status s = startInference(model, groups.names.size(), now); !s)
        return std::move(s).error();
      if (memory.isThere())
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
std::vector<GroupFits::Wanted> GroupFits::wanted() const {
  return impl->wanted();
}
Status GroupFits::addSums(const std::function<void(size_t, Workplace &)> &put) {
  return impl->addSums(put);
}
FitsUnderWay GroupFits::underWay() const { return impl->underWay(); }
Result<std::vector<double>> GroupFits::finish() { return impl->finish(); }

} // namespace tamrt
