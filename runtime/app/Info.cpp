//===- app/Info.cpp - info: properties of a model -------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/Memory.h"
#include "core/device/Devices.h"
#include "core/model/Model.h"
#include "core/model/Tables.h"
#include "io/InputFile.h"
#include "io/Json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tamrt {
namespace {

// Keys keep the order in which they are added.
using json = nlohmann::ordered_json;

/// One rung of one command.
struct RungMemory {
  std::string use;
  int64_t rows;
  ThreadMemory memory;
};

/// The user's name for the use of a step: the command, or the type of output.
std::string use(tamrt_step_kind kind) {
  const StepDescription &step = describe(kind);
  if (step.isDirect())
    return "fit";
  return step.isCg() ? "fit by cg" : std::string(step.name);
}

/// Appends the rungs of a model, whose uses begin with `prefix`.
void addRungs(const tamrt_model &model, const std::string &prefix,
              std::vector<RungMemory> &list) {
  auto add = [&](const tamrt_model &of, tamrt_step_kind kind,
                 const std::string &use) {
    for (const tamrt_step *step : stepsOf(of, kind))
      list.push_back({prefix + use, step->rung_rows,
                      describe(kind).predicts()
                          ? predictMemory(of, *step, step->rung_rows)
                          : fitMemory(of, *step, TAMRT_SEGMENT_ROWS)});
  };
  add(model, TAMRT_STEP_FIT_CHUNK, use(TAMRT_STEP_FIT_CHUNK));
  if (model.compression)
    add(*model.compression->model, TAMRT_STEP_FIT_CHUNK, "fit by levels");
  for (tamrt_step_kind kind : {TAMRT_STEP_APPLY_CHUNK, TAMRT_STEP_PREDICT,
                               TAMRT_STEP_TERMS, TAMRT_STEP_DESIGN})
    add(model, kind, use(kind));
  if (model.small_blocks)
    add(*model.small_blocks, TAMRT_STEP_APPLY_CHUNK, "fit by cg, small blocks");
}

std::vector<RungMemory> rungMemory(const tamrt_model &model) {
  std::vector<RungMemory> list;
  addRungs(model, "", list);
  if (model.adapt)
    addRungs(*model.adapt->model, "window ", list);
  return list;
}

/// "windows of 365 rows, update 1, horizon 1, of residual ~ l(x)".
std::string describe(const tamrt_adapt *adapt) {
  if (!adapt)
    return "none";
  return fmt::format(
      "windows of {} rows, update {}, horizon {}{}", adapt->window,
      adapt->update, adapt->horizon,
      adapt->corrects ? ", of " + std::string(adapt->model->formula) : "");
}

std::string typeOf(const tamrt_table &table) {
  return table.is_integer ? "I32" : "F64";
}

json shapeOf(const tamrt_table &table) {
  return json(std::vector<int64_t>(table.shape, table.shape + table.rank));
}

/// Where the contents of a table come from.
std::string originOf(const tamrt_table &table) {
  return table.given ? "spec" : "fit";
}

std::string orNone(const char *text) { return text ? text : "none"; }

/// `text` with every line indented.
std::string indent(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    result += "  " + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// Rows of cells as lines, columns two blanks apart; numbers flush right.
std::string table(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), row.size()));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string pad(widths[i] - row[i].size(), ' ');
      line += "  " + (i == 0 ? row[i] + pad : pad + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// A number of bytes that is stated, by its names in a table and in JSON.
struct NamedBytes {
  const char *name, *key;
  int64_t bytes;
};
using BytesList = std::vector<NamedBytes>;

BytesList listOf(const MemoryNeed &need) {
  return {{"constant", "constant", need.constant},
          {"per thread but one", "per_thread", need.perThread},
          {"per row", "per_row", need.perRow},
          {"per group", "per_group", need.perGroup},
          {"per thread and level", "per_level", need.perLevel}};
}

BytesList listOf(const StreamNeed &need) {
  return {{"constant", "constant", need.constant},
          {"per thread but one", "per_thread", need.perThread},
          {"per row", "per_row", need.perRow},
          {"per group", "per_group", need.perGroup},
          {"most of groups at a time", "group_limit", need.groupLimit}};
}

BytesList listOf(const StreamNeed::Use &use) {
  return {{"per thread", "per_thread", use.rung},
          {"per group at a time", "per_group", use.group},
          {"and level", "per_level", use.perLevel}};
}

BytesList listOf(const RankNeed &need) {
  return {{"constant", "constant", need.constant},
          {"per rank of the machine", "per_rank", need.perRank},
          {"per thread but one", "per_thread", need.perThread},
          {"per thread and level", "per_level", need.perLevel},
          {"per row", "per_row", need.perRow},
          {"per row of a further file", "per_file_row", need.perFileRow},
          {"per group of all", "per_group", need.perGroup},
          {"the same of rank 0", "per_group_of_first", need.perGroupOfFirst},
          {"most of sketches", "sketches", need.sketchLimit}};
}

BytesList listOf(const RankNeed::Use &use) {
  return {{"per group of its rows", "per_own_group", use.group},
          {"per further node", "per_node", use.node},
          {"per group with a sketch", "per_sketch", use.sketch}};
}

BytesList listOf(const RankNeed::Gathered &need) {
  return {{"most of messages", "messages", need.messages},
          {"per thread", "per_thread", need.perThread},
          {"per group of its rows", "per_own_group", need.perOwnGroup},
          {"per group of all on rank 0", "per_group_of_first",
           need.perGroupOfFirst}};
}

BytesList listOf(const RankTableNeed &need) {
  return {
      {"constant", "constant", need.constant},
      {"most of messages of rank 0", "messages_of_first", need.messagesOfFirst},
      {"per rank of the machine", "per_rank", need.perRank},
      {"per thread but one", "per_thread", need.perThread},
      {"per group of the weights", "per_group", need.perGroup}};
}

BytesList listOf(const RankTableNeed::Use &use) {
  return {{"per row", "per_row", use.perRow}};
}

BytesList listOf(const RankTableNeed::Errors &errors) {
  return {{"per thread", "per_thread", errors.perThread},
          {"per row", "per_row", errors.perRow},
          {"per row and column", "per_column", errors.perColumn},
          {"per group of the weights", "per_group", errors.perGroup}};
}

BytesList listOf(const RankWindowNeed &need) {
  return {
      {"constant", "constant", need.constant},
      {"most of messages of rank 0", "messages_of_first", need.messagesOfFirst},
      {"per rank of the machine", "per_rank", need.perRank},
      {"per thread", "windows", need.windows},
      {"per thread but one", "per_thread", need.perThread},
      {"per row", "per_row", need.perRow},
      {"per window", "per_window", need.perWindow},
      {"per window with coefficients", "per_coefficients",
       need.perCoefficients},
      {"per group of all", "per_group", need.perGroup}};
}

BytesList listOf(const WindowStreamNeed &need) {
  return {{"constant", "constant", need.chunk},
          {"per row that is held", "per_row", need.perRow},
          {"most rows held of a group", "rows_per_group", need.rowsPerGroup}};
}

/// The table of a need.
template <class Need> std::string tableOf(const Need &need) {
  std::vector<std::vector<std::string>> rows;
  for (const NamedBytes &each : listOf(need))
    rows.push_back({each.name, std::to_string(each.bytes)});
  return table(rows);
}

/// That of its uses, a line each.
template <class Use> std::string tableOf(const std::vector<Use> &uses) {
  std::vector<std::vector<std::string>> rows = {{"use"}};
  for (const NamedBytes &each : listOf(Use()))
    rows.front().push_back(each.name);
  for (const Use &one : uses) {
    std::vector<std::string> &row = rows.emplace_back();
    row.push_back(use(one.kind));
    for (const NamedBytes &each : listOf(one))
      row.push_back(std::to_string(each.bytes));
  }
  return table(rows);
}

template <class Need> json jsonOf(const Need &need) {
  json all;
  for (const NamedBytes &each : listOf(need))
    all[each.key] = each.bytes;
  return all;
}

template <class Use> json jsonOf(const std::vector<Use> &uses) {
  json all = json::array();
  for (const Use &one : uses) {
    json &last = all.emplace_back(json{{"use", use(one.kind)}});
    last.update(jsonOf(one));
  }
  return all;
}

/// "plan, device share 0.9, ...": the settings that apply unless the command
/// line has others.
std::string describe(const OracleOptions &oracle) {
  return fmt::format("{}, device share {}, ram share {}, sliding device share "
                     "{}, sliding ram share {}, direct limit {}, estimate "
                     "factor {}",
                     ruleName(oracle.rule), oracle.deviceShare, oracle.ramShare,
                     oracle.slidingDeviceShare, oracle.slidingRamShare,
                     oracle.directColumns, oracle.estimateFactor);
}

std::string placeName(int32_t place) {
  return place == TAMRT_PLACE_CPU ? "cpu" : "device";
}

/// "sums on device, solve on cpu, predict on device".
std::string describe(const tamrt_placement *placement) {
  const tamrt_placement all = placement ? *placement : tamrt_placement{};
  return "sums on " + placeName(all.sums) + ", solve on " +
         placeName(all.solve) + ", predict on " + placeName(all.predict);
}

/// The steps that are stored as tables of their launches alone.
int64_t countLaunchTables(const tamrt_model &model) {
  return std::count_if(model.steps, model.steps + model.step_count,
                       [](const tamrt_step &step) { return step.runs_table; });
}

std::string formatText(const tamrt_model &model, const Options &options) {
  std::string text;
  auto line = [&](const char *key, const std::string &value) {
    text += std::string(key) + ": " + value + "\n";
  };
  auto bytes = [](int64_t count) { return std::to_string(count); };
  line("model", model.name);
  line("formula", model.formula);
  line("target", orNone(model.target));
  line("group", orNone(model.group));
  line("date", orNone(model.date));
  line("weights", orNone(model.weights));
  line("solver", model.solver);
  line("device", model.device ? model.device : "auto");
  line("oracle", describe(oracleOptions(model.oracle)));
  line("placement", describe(model.placement));
  line("adapt", describe(model.adapt));
  line("allocator", std::string(allocatorName(options.allocator.kind)));
  line("memory growth", std::string(growthName(options.allocator.growth)));
  line("memory fraction", fmt::format("{}", options.allocator.fraction));
  line("spec hash", model.spec_hash);
  line("tamc", model.tamc_version);
  line("llvm", model.llvm_version);
  line("abi", std::to_string(model.abi_version));
  line("columns of the design", bytes(model.columns));
  line("steps", fmt::format("{}, {} of them as launch tables", model.step_count,
                            countLaunchTables(model)));
  line("steps for devices",
       model.devices
           ? fmt::format("{}, all as launch tables", model.devices->step_count)
           : "none");
  text += "effects:\n";
  std::vector<std::vector<std::string>> rows = {{"effect", "first", "columns"}};
  for (int64_t i = 0; i < model.effect_count; ++i)
    rows.push_back({model.effects[i].name, bytes(model.effects[i].first_column),
                    bytes(model.effects[i].columns)});
  text += table(rows);
  if (model.penalty_count > 0) {
    text += "penalties:\n";
    rows = {{"penalty", "ap"}};
    for (int64_t i = 0; i < model.penalty_count; ++i)
      rows.push_back(
          {model.penalties[i].name, fmt::format("{}", model.penalties[i].ap)});
    text += table(rows);
  }
  if (model.table_count > 0) {
    text += "tables:\n";
    rows = {{"table", "type", "shape", "from", "bytes"}};
    for (int64_t i = 0; i < model.table_count; ++i) {
      const tamrt_table &learnt = model.tables[i];
      rows.push_back({learnt.name, typeOf(learnt), shapeOf(learnt).dump(),
                      originOf(learnt), bytes(bytesOf(learnt))});
    }
    text += table(rows);
  }

  text += "bytes per thread, by rung:\n";
  rows = {{"use", "rows", "arena", "state", "carry", "output", "parameters",
           "total"}};
  for (const RungMemory &rung : rungMemory(model))
    rows.push_back({rung.use, bytes(rung.rows), bytes(rung.memory.arena),
                    bytes(rung.memory.state), bytes(rung.memory.carry),
                    bytes(rung.memory.output + rung.memory.vectors),
                    bytes(rung.memory.parameters), bytes(rung.memory.total())});
  text += table(rows);
  text += "bytes besides, of a fit of a file:\n" + tableOf(memoryNeed(model));
  const StreamNeed stream = streamNeed(model);
  text += "bytes of a fit of a stream, by use:\n" + tableOf(stream.uses);
  text += "bytes besides, of a fit of a stream:\n" + tableOf(stream);
  if (!stream.kept.empty())
    text += "kept by a fit of a stream:\n";
  for (const std::string &kept : stream.kept)
    text += "  " + kept + "\n";
  if (const std::optional<RankNeed> ranks = rankNeed(model)) {
    text += "bytes of a rank of MPI in a fit, by use:\n" + tableOf(ranks->uses);
    text += "bytes besides, of a rank of MPI in a fit:\n" + tableOf(*ranks);
    for (const auto &[what, more] :
         {std::pair("in a fit with inference", &ranks->inference),
          std::pair("that tunes", &ranks->tune)})
      if (*more)
        text += fmt::format("bytes more of a rank of MPI {}:\n", what) +
                tableOf(**more);
  }
  if (const std::optional<RankTableNeed> ranks = rankTableNeed(model)) {
    text += "bytes of a rank of MPI for a row of a prediction, by use:\n" +
            tableOf(ranks->uses);
    text +=
        "bytes besides, of a rank of MPI in a prediction:\n" + tableOf(*ranks);
    if (!ranks->errors.empty())
      text += "bytes more of a rank of MPI for standard errors, by use:\n" +
              tableOf(ranks->errors);
  }
  if (model.adapt) {
    const WindowOptions windows = windowsOfSpec(model);
    text += "bytes of a rank of MPI in adapt:\n" +
            tableOf(rankWindowNeed(model, windows));
    text += "bytes of the rows of adapt of a stream:\n" +
            tableOf(windowStreamNeed(model, *model.adapt, windows.perUnit));
  }
  if (canDecompress()) {
    text += "bytes besides, of a compressed file:\n";
    rows.clear();
    for (Compression kind : kCompressions)
      rows.push_back({std::string(nameOf(kind)),
                      bytes(int64_t(decompressionBytes(kind)))});
    text += table(rows);
  }
  text += "spec:\n" + indent(model.spec);
  return text;
}

json toJson(const OracleOptions &oracle) {
  return {{"rule", ruleName(oracle.rule)},
          {"device_share", oracle.deviceShare},
          {"ram_share", oracle.ramShare},
          {"sliding_device_share", oracle.slidingDeviceShare},
          {"sliding_ram_share", oracle.slidingRamShare},
          {"direct_limit", oracle.directColumns},
          {"estimate_factor", oracle.estimateFactor}};
}

json toJson(const tamrt_placement *placement) {
  const tamrt_placement all = placement ? *placement : tamrt_placement{};
  return {{"sums", placeName(all.sums)},
          {"solve", placeName(all.solve)},
          {"predict", placeName(all.predict)}};
}

json streamToJson(const tamrt_model &model) {
  const StreamNeed need = streamNeed(model);
  json stream = jsonOf(need);
  stream["uses"] = jsonOf(need.uses);
  stream["kept"] = need.kept;
  return stream;
}

json ranksToJson(const tamrt_model &model) {
  const std::optional<RankNeed> need = rankNeed(model);
  if (!need)
    return nullptr;
  json ranks = jsonOf(*need);
  ranks["uses"] = jsonOf(need->uses);
  ranks["inference"] = need->inference ? jsonOf(*need->inference) : json();
  ranks["tune"] = need->tune ? jsonOf(*need->tune) : json();
  return ranks;
}

json rankTablesToJson(const tamrt_model &model) {
  const std::optional<RankTableNeed> need = rankTableNeed(model);
  if (!need)
    return nullptr;
  json ranks = jsonOf(*need);
  ranks["uses"] = jsonOf(need->uses);
  ranks["errors"] = jsonOf(need->errors);
  return ranks;
}

/// That of a model with windows, whose `windowsOfSpec` are `windows`.
json adaptToJson(const tamrt_model &model, const WindowOptions &windows) {
  const tamrt_adapt *adapt = model.adapt;
  return {{"stream", jsonOf(windowStreamNeed(model, *adapt, windows.perUnit))},
          {"window", adapt->window},
          {"update", adapt->update},
          {"horizon", adapt->horizon},
          {"formula",
           adapt->corrects ? json(adapt->model->formula) : json(nullptr)}};
}

/// Bytes of memory by compression of a file; null if no file can be compressed.
json compressedNeed() {
  json need;
  if (canDecompress())
    for (Compression kind : kCompressions)
      need[std::string(nameOf(kind))] = decompressionBytes(kind);
  return need;
}

std::string formatJson(const tamrt_model &model, const Options &options) {
  json effects = json::array();
  for (int64_t i = 0; i < model.effect_count; ++i)
    effects.push_back({{"effect", model.effects[i].name},
                       {"term", model.effects[i].term},
                       {"first", model.effects[i].first_column},
                       {"columns", model.effects[i].columns}});
  json penalties = json::array();
  for (int64_t i = 0; i < model.penalty_count; ++i)
    penalties.push_back(
        {{"penalty", model.penalties[i].name},
         {"effect", model.effects[model.penalties[i].effect].name},
         {"ap", model.penalties[i].ap}});
  json tables = json::array();
  for (int64_t i = 0; i < model.table_count; ++i) {
    const tamrt_table &learnt = model.tables[i];
    tables.push_back({{"table", learnt.name},
                      {"type", typeOf(learnt)},
                      {"shape", shapeOf(learnt)},
                      {"from", originOf(learnt)},
                      {"bytes", bytesOf(learnt)}});
  }
  json rungs = json::array();
  for (const RungMemory &rung : rungMemory(model))
    rungs.push_back({{"use", rung.use},
                     {"rows", rung.rows},
                     {"arena", rung.memory.arena},
                     {"state", rung.memory.state},
                     {"carry", rung.memory.carry},
                     {"output", rung.memory.output + rung.memory.vectors},
                     {"parameters", rung.memory.parameters},
                     {"total", rung.memory.total()}});
  json adapt, ranksAdapt;
  if (model.adapt) {
    const WindowOptions windows = windowsOfSpec(model);
    adapt = adaptToJson(model, windows);
    ranksAdapt = jsonOf(rankWindowNeed(model, windows));
  }
  json info = {{"model", model.name},
               {"formula", model.formula},
               {"target", textOrNull(model.target)},
               {"group", textOrNull(model.group)},
               {"date", textOrNull(model.date)},
               {"weights", textOrNull(model.weights)},
               {"solver", model.solver},
               {"device", model.device ? model.device : "auto"},
               {"oracle", toJson(oracleOptions(model.oracle))},
               {"placement", toJson(model.placement)},
               {"adapt", adapt},
               {"allocator", allocatorName(options.allocator.kind)},
               {"memory_growth", growthName(options.allocator.growth)},
               {"memory_fraction", options.allocator.fraction},
               {"spec_hash", model.spec_hash},
               {"tamc", model.tamc_version},
               {"llvm", model.llvm_version},
               {"abi", model.abi_version},
               {"columns", model.columns},
               {"steps", model.step_count},
               {"steps_as_launch_tables", countLaunchTables(model)},
               {"steps_for_devices", model.devices
                                         ? json(model.devices->step_count)
                                         : json(nullptr)},
               {"effects", effects},
               {"penalties", penalties},
               {"tables", tables},
               {"rungs", rungs},
               {"fit", jsonOf(memoryNeed(model))},
               {"stream", streamToJson(model)},
               {"ranks", ranksToJson(model)},
               {"ranks_predict", rankTablesToJson(model)},
               {"ranks_adapt", ranksAdapt},
               {"compressed", compressedNeed()},
               {"spec", model.spec}};
  // Texts from a spec need not be UTF-8.
  return info.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// The bytes of a device's memory that an allocator may take.
int64_t reservable(const DeviceReport &report, const Options &options) {
  return std::min(
      report.memory.totalBytes,
      reservableBytes(options.allocator.fraction, report.memory.totalBytes));
}

std::string devicesAsText(const std::vector<DeviceReport> &reports,
                          const std::vector<BackendFolder> &folders,
                          const Options &options) {
  std::string text = "backends are looked for in:\n";
  for (const BackendFolder &folder : folders)
    text += "  " + folder.path +
            (folder.isChecked ? ", if nobody else may write it" : "") + "\n";
  text += "devices, in the order they are tried:\n";
  for (const DeviceReport &report : reports) {
    text += "  " + report.label;
    if (!report.name.empty())
      text +=
          ": " + report.name + ", " + std::to_string(report.memory.freeBytes) +
          " of " + std::to_string(report.memory.totalBytes) + " bytes free" +
          (report.memory.source.empty() ? ""
                                        : " (" + report.memory.source + ")");
    text += "\n";
    if (!report.path.empty())
      text += "    found: " + report.path + "\n";
    if (report.reserveBytes > 0)
      text += fmt::format("    reserve of its kernels beside the plan: {} "
                          "bytes\n",
                          report.reserveBytes);
    if (!report.missing.empty())
      text += fmt::format("    steps on the CPU for lack of kernels: {}\n",
                          fmt::join(report.missing, ", "));
    for (const std::string &test : report.tests)
      text += "    tested: " + test + "\n";
    if (report.isTrusted())
      text += fmt::format("    trusted; allocator {} may take {} bytes\n",
                          allocatorName(options.allocator.kind),
                          reservable(report, options));
    else
      text += "    skipped: " + report.why + "\n";
  }
  return text;
}

std::string devicesAsJson(const std::vector<DeviceReport> &reports,
                          const std::vector<BackendFolder> &folders,
                          const Options &options) {
  json devices = json::array();
  for (const DeviceReport &report : reports)
    devices.push_back({{"device", report.label},
                       {"name", report.name},
                       {"path", report.path},
                       {"free", report.memory.freeBytes},
                       {"total", report.memory.totalBytes},
                       {"allocator", allocatorName(options.allocator.kind)},
                       {"reservable", reservable(report, options)},
                       {"reserve", report.reserveBytes},
                       {"missing_kernels", report.missing},
                       {"tests", report.tests},
                       {"trusted", report.isTrusted()},
                       {"why", report.why}});
  json paths = json::array();
  for (const BackendFolder &folder : folders)
    paths.push_back(folder.path);
  const json all = {{"folders", paths}, {"devices", devices}};
  return all.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace

Status runInfo(const tamrt_model &model, const Options &options) {
  if (options.devices) {
    const std::vector<BackendFolder> folders = backendFolders();
    const std::vector<DeviceReport> reports = surveyDevices(folders);
    return print(options.infoFormat == InfoFormat::Json
                     ? devicesAsJson(reports, folders, options)
                     : devicesAsText(reports, folders, options));
  }
  return print(options.infoFormat == InfoFormat::Json
                   ? formatJson(model, options)
                   : formatText(model, options));
}

} // namespace tamrt
