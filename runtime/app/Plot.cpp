//===- app/Plot.cpp - plot, and the curves of summary ---------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "app/Commands.h"
#include "app/EffectFigures.h"
#include "app/Prediction.h"
#include "app/Residuals.h"
#include "app/Session.h"
#include "core/model/Calibration.h"
#include "core/model/Inference.h"
#include "core/model/Terms.h"
#include "io/AtomicFile.h"
#include "plot/Draw.h"
#include "plot/Ticks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

namespace tamrt {
namespace {

/// What `keyOf` made a key from.
double timeOf(Date::Form form, int64_t key) {
  if (form != Date::Form::Number)
    return double(key);
  return std::bit_cast<double>(
      key < 0 ? key ^ std::numeric_limits<int64_t>::max() : key);
}

/// Rows with observations, and what the model says of them, by group.
struct Observed {
  std::optional<Dataset> data;
  std::vector<Compared> groups;
  std::vector<std::string> notes;
};

/// Reads the data of the options and predicts its rows.
Result<Observed> observe(const tamrt_model &model, const Options &options,
                         const Weights &weights, bool hasErrors,
                         const RunOptions &run, Timings &timings) {
  Result<RowReader> reader = RowReader::open(
      options.source(), model,
      {weights.groups, weights.normalization.levels, Purpose::Evaluate},
      {options.dropMissing, options.threads, CsvBlocks::kBlockBytes,
       options.format});
  if (!reader)
    return std::move(reader).error();
  Options asked = options;
  asked.type = TAMRT_STEP_PREDICT;
  asked.se = hasErrors;
  Prediction prediction(model, asked, weights, run);
  std::vector<double> times;
  size_t lacking = 0;
  Observed observed;
  observed.groups.resize(weights.groups.size());
  const bool hasCalibration = !weights.calibration.isEmpty();
  std::vector<std::array<Offsets, kDrawnLevels.size()>> offsets(
      hasCalibration ? weights.groups.size() : 0);
  for (size_t g = 0; g < offsets.size(); ++g)
    for (size_t i = 0; i < kDrawnLevels.size(); ++i)
      offsets[g][i] = conformalOffsets(weights.calibration.of(g),
                                       kDrawnLevels[i] / 100, false);
  auto readTimes = [&](const Rows &rows) {
    for (size_t i = 0; i < rows.count; ++i)
      times.push_back(rows.dates.empty()
                          ? double(i + 1)
                          : timeOf(reader->dateForm(), rows.dates[i]));
  };
  auto compare = [&](const PredictedRows &rows) -> Status {
    for (const Group &group : rows.data.groups()) {
      Compared &of = observed.groups[group.place];
      of.form = reader->dateForm();
      for (size_t row = group.first; row < group.first + group.rows; ++row) {
        if (std::isnan(rows.data.target()[row])) {
          ++lacking;
          continue;
        }
        of.times.push_back(times[rows.data.fileRows()[row]]);
        of.observed.push_back(rows.data.target()[row]);
        of.fitted.push_back(rows.numbers[row]);
        if (hasErrors)
          of.deviations.push_back(std::sqrt(
              varianceOfNew(weights.inference.field(group.place, kSigma2),
                            rows.data.weights() ? rows.data.weights()[row]
                                                : 1) +
              rows.errors[row] * rows.errors[row]));
        if (hasCalibration) {
          const double target = of.observed.back(), from = of.fitted.back();
          auto &isInside = of.conformal.emplace_back();
          for (size_t i = 0; i < isInside.size(); ++i)
            isInside[i] = from + offsets[group.place][i].lower <= target &&
                          target <= from + offsets[group.place][i].upper;
        }
      }
    }
    observed.data = std::move(rows.data);
    return {};
  };
  if (Status s = prediction.forEachPart(*reader, timings, readTimes, compare);
      !s)
    return std::move(s).error();
  observed.notes = prediction.notes(*reader);
  if (lacking > 0)
    observed.notes.push_back(
        "left out of the residuals: " + std::to_string(lacking) + " of " +
        std::to_string(times.size()) + " rows, which have no target");
  return observed;
}

/// Gives the figures the means of the effects over the rows of data.
Status centre(const tamrt_model &model, const Weights &weights,
              const Dataset &data, const RunOptions &run,
              EffectFigures &effects) {
  const auto width = size_t(model.effect_count);
  std::vector<double> terms(data.rowCount() * width);
  if (Status s = predictGroups(model, TAMRT_STEP_TERMS, data, weights, run,
                               terms.data());
      !s)
    return s;
  for (const Group &group : data.groups()) {
    std::vector<double> means(width);
    for (size_t row = group.first; row < group.first + group.rows; ++row)
      for (size_t j = 0; j < width; ++j)
        means[j] += terms[row * width + j] / double(group.rows);
    effects.setMeans(group.place, std::move(means));
  }
  return {};
}

/// "108 training rows, edf 11.96, sigma 0.06411, R2 0.9706".
std::string describeGroup(const Weights &weights, size_t group) {
  if (weights.inference.isEmpty())
    return "";
  const Inference &known = weights.inference;
  const double squares = known.field(group, kTargetSquares);
  std::string text =
      fmt::format("{} training rows, edf {:.4g}",
                  int64_t(known.field(group, kRows)), known.field(group, kEdf));
  if (const double sigma2 = known.field(group, kSigma2); sigma2 >= 0)
    text += fmt::format(", sigma {:.4g}", std::sqrt(sigma2));
  if (squares > 0)
    text += fmt::format(", R2 {:.4g}", 1 - known.field(group, kRss) / squares);
  return text;
}

/// A name of a file that any file system takes.
std::string fileNameOf(const std::string &text) {
  std::string name;
  for (char c : text)
    name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                    (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                    (c == '.' && !name.empty())
                ? c
                : '_';
  name.resize(std::min<size_t>(name.size(), 100));
  return name.empty() ? "_" : name;
}

/// Where the pictures go, one after another: all of them or, after an error,
/// none.
class Output {
public:
  Output(const tamrt_model &model, const Options &options, plot::Page page)
      : model(model), options(options), page(std::move(page)) {}

  /// `sections` and their figures, of the group with that name.
  Status add(const std::string &name, bool isGroup,
             std::vector<std::pair<plot::Section, std::vector<NamedFigure>>>
                 sections) {
    plot::View view{name, {}};
    for (auto &[section, figures] : sections) {
      for (NamedFigure &figure : figures) {
        if (!options.svg.empty())
          if (Status s = write(name, isGroup, figure); !s)
            return s;
        section.figures.push_back(std::move(figure.figure));
      }
      view.sections.push_back(std::move(section));
    }
    if (!options.output.empty())
      page.add(view);
    return {};
  }

  Status finish() {
    std::optional<AtomicFile> file;
    if (!options.output.empty() && options.output != "-") {
      Result<AtomicFile> created = AtomicFile::create(options.output);
      if (!created)
        return std::move(created).error();
      file.emplace(*std::move(created));
      if (Status s = file->write(page.finish()); !s)
        return s;
    }
    for (AtomicFile &picture : pictures)
      if (Status s = picture.commit(); !s)
        return s;
    if (file)
      return file->commit();
    return options.output.empty() ? Status() : writeOutput("-", page.finish());
  }

private:
  Status write(const std::string &view, bool isGroup,
               const NamedFigure &figure) {
    std::string stem = fileNameOf(figure.name);
    if (model.group)
      stem = (isGroup ? fileNameOf(view) : "all-groups") + "-" + stem;
    std::string name = stem;
    for (int i = 2; !taken.insert(name).second; ++i)
      name = stem + "-" + std::to_string(i);
    // A picture replaces neither inputs nor the page.
    Options one = options;
    one.output = options.svg + "/" + name + ".svg";
    if (Status s = checkOutput(one); !s)
      return s;
    const auto identity = identify(one.output, STDOUT_FILENO);
    if (identity && identity == identify(options.output, STDOUT_FILENO))
      return Error{one.output +
                   ": expected a file of its own for the page, got a picture"};
    Result<AtomicFile> file = AtomicFile::create(one.output);
    if (!file)
      return std::move(file).error();
    if (Status s = file->write(plot::toSvgFile(figure.figure)); !s)
      return s;
    if (Status s = file->suspend(); !s)
      return s;
    pictures.push_back(*std::move(file));
    return {};
  }

  const tamrt_model &model;
  const Options &options;
  plot::PageWriter page;
  std::set<std::string> taken;
  std::vector<AtomicFile> pictures;
};

/// Makes the folder of --svg and checks that files can be written there.
Result<OutputFolder> prepareFolder(const std::string &path) {
  Result<OutputFolder> folder = OutputFolder::make(path);
  if (folder)
    if (Status s = AtomicFile::check(path + "/offset.svg"); !s)
      return std::move(s).error();
  return folder;
}

std::vector<std::string> notesOf(const tamrt_model &model,
                                 const Options &options, const Weights &weights,
                                 const EffectFigures &effects) {
  std::vector<std::string> notes;
  if (effects.hasErrors())
    notes.push_back(
        "Effects are centred: each is drawn without its mean over the group's "
        "training rows. Bands and intervals are 1.96 standard errors of the "
        "centred effect on either side, about 95 %.");
  else if (options.hasRows())
    notes.push_back("Effects are centred: each is drawn without its mean over "
                    "the group's rows of the data; of a group without rows, "
                    "over the picture.");
  else
    notes.push_back("Effects are centred: each is drawn without its mean over "
                    "the picture.");
  if (!effects.whyNoErrors().empty())
    notes.push_back("No standard errors: " + effects.whyNoErrors() + ".");
  else if (!effects.hasErrors())
    notes.push_back(
        "There are no bands, because the weights are those of a fit "
        "without --inference.");
  notes.push_back("Curves and heat maps span the training range.");
  if (weights.groups.size() > 1)
    notes.push_back("In pictures of all groups the colours, from blue over "
                    "violet, red and yellow to green, follow the order of the "
                    "groups.");
  if (options.hasRows())
    notes.push_back("Marks on the lower edge of a curve are rows of the data. "
                    "A residual is observed less fitted; the dashed line is "
                    "where both axes are equal. If not all rows are drawn, the "
                    "farthest of each part are.");
  notes.push_back(std::string("Contributions are in units of ") + model.target +
                  ". Made by tamc " + model.tamc_version + ".");
  return notes;
}

Status drawAll(const tamrt_model &model, const Options &options,
               const Session &session) {
  Timings timings;
  Progress progress(STDERR_FILENO, model.name);
  const RunOptions run = session.run(options, progress);
  std::optional<OutputFolder> folder;
  if (!options.svg.empty()) {
    Result<OutputFolder> made = prepareFolder(options.svg);
    if (!made)
      return std::move(made).error();
    folder.emplace(*std::move(made));
  }
  if (Status s = checkFits(model, TAMRT_STEP_TERMS, run); !s)
    return s;
  Result<std::shared_ptr<const Weights>> loaded =
      readWeights(model, options, {FilePart::IfPresent, FilePart::IfPresent});
  if (!loaded)
    return std::move(loaded).error();
  const Weights &weights = **loaded;
  const Result<nlohmann::ordered_json> terms = parseTerms(model);
  if (!terms)
    return terms.error();
  EffectFigures effects(model, *terms, options, weights);
  if (effects.hasErrors())
    if (Status s = checkFits(model, TAMRT_STEP_VARIANCES, run); !s)
      return s;
  std::optional<Observed> observed;
  if (options.hasRows()) {
    Result<Observed> read =
        observe(model, options, weights, effects.hasErrors(), run, timings);
    if (!read)
      return std::move(read).error();
    observed = *std::move(read);
    effects.setRows(&*observed->data);
    if (!effects.hasErrors())
      if (Status s = centre(model, weights, *observed->data, run, effects); !s)
        return s;
  }

  Output output(model, options,
                {model.name, model.formula, model.group ? model.group : "",
                 notesOf(model, options, weights, effects)});
  const std::string title = std::string("Contributions to ") + model.target;
  const size_t groups = weights.groups.size();
  using Sections =
      std::vector<std::pair<plot::Section, std::vector<NamedFigure>>>;
  std::vector<std::pair<std::string, Sections>> views;
  Compared all;
  for (size_t g = 0; g < groups; ++g) {
    progress.update("draw", g, groups);
    Result<std::vector<NamedFigure>> figures = effects.figures(g, run);
    if (!figures)
      return std::move(figures).error();
    Sections sections;
    sections.emplace_back(plot::Section{title, describeGroup(weights, g), {}},
                          *std::move(figures));
    if (observed && observed->groups[g].size() > 0) {
      const Compared &rows = observed->groups[g];
      sections.emplace_back(
          plot::Section{"Residuals", describeErrors(rows), {}},
          residualFigures(rows, model.date, model.target));
      for (size_t row = 0; groups > 1 && row < rows.size(); ++row)
        all.add(rows, row);
    } else if (observed) {
      sections.emplace_back(
          plot::Section{"Residuals", "the data has no rows of this group", {}},
          std::vector<NamedFigure>());
    }
    views.emplace_back(weights.groups[g], std::move(sections));
  }
  if (groups > 1) {
    Sections sections;
    sections.emplace_back(
        plot::Section{title, fmt::format("{} groups", groups), {}},
        effects.together());
    if (observed) {
      std::vector<NamedFigure> figures =
          residualFigures(all, model.date, model.target);
      figures.insert(
          figures.begin(),
          residualsByGroup(weights.groups, observed->groups, model.group));
      sections.emplace_back(plot::Section{"Residuals", describeErrors(all), {}},
                            std::move(figures));
    }
    views.insert(views.begin(), {"all groups", std::move(sections)});
  }
  timings.end("draw");
  for (size_t i = 0; i < views.size(); ++i)
    if (Status s = output.add(views[i].first, groups == 1 || i > 0,
                              std::move(views[i].second));
        !s)
      return s;
  if (Status s = output.finish(); !s)
    return s;
  if (folder)
    folder->keep();
  timings.end("write");
  progress.clear();
  if (observed)
    for (const std::string &note : observed->notes)
      tell(model, "note", note);
  session.finish(timings, options);
  return {};
}

/// The columns of the terminal that standard output is, else 80.
size_t terminalColumns() {
  winsize size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<size_t>(size.ws_col, 24, 120);
  return 80;
}

} // namespace

Status runPlot(const tamrt_model &model, const Options &options) {
  return runSession(model, options, [&](const Session &session) {
    return drawAll(session.modelOf(model, options), options, session);
  });
}

Result<std::string> drawEffects(const tamrt_model &model,
                                const Options &options,
                                const Weights &weights) {
  size_t group = 0;
  if (!options.groupName.empty()) {
    const std::optional<uint32_t> found =
        GroupNames(weights.groups).find(options.groupName);
    if (!found || !model.group)
      return Error{fmt::format("--group: expected {}, got '{}'",
                               model.group
                                   ? "one of the groups " +
                                         GroupNames(weights.groups).shown()
                                   : "nothing, for the model has no groups",
                               options.groupName)};
    group = *found;
  }
  RunOptions run;
  run.oracle = options.oracle;
  const Result<nlohmann::ordered_json> terms = parseTerms(model);
  if (!terms)
    return terms.error();
  EffectFigures effects(model, *terms, options, weights);
  Result<std::vector<NamedFigure>> figures = effects.figures(group, run);
  if (!figures)
    return std::move(figures).error();
  std::string text;
  if (model.group) {
    plot::Figure heading;
    heading.title = std::string(model.group) + " " + weights.groups[group];
    heading.facts = weights.groups.size() > 1 && options.groupName.empty()
                        ? fmt::format("the first of {}; --group=NAME draws "
                                      "another",
                                      weights.groups.size())
                        : "";
    heading.note = "";
    text += plot::toText(heading, 24, 4);
  }
  for (const NamedFigure &figure : *figures)
    text += (text.empty() ? "" : "\n") +
            plot::toText(figure.figure, terminalColumns(), 12);
  return text;
}

} // namespace tamrt
