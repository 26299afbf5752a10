//===- Engine.cpp - the extension that runs models ------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Frame.h"

#include "tamc/Version.h"
#include "tamrt/engine.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace nb = nanobind;
using namespace tamc::python;
using namespace tamrt;

namespace {

/// A loaded shared library in a file in memory. The file stays open, so that no
/// other library has its path: the loader takes equal paths for one library.
class Library {
public:
  /// Loads the library of which these are the bytes.
  explicit Library(nb::bytes bytes)
      : file(::memfd_create("tamc-model", MFD_CLOEXEC)) {
    const char *data = bytes.c_str();
    for (size_t left = bytes.size(); file >= 0 && left > 0;) {
      const ssize_t written = ::write(file, data, left);
      if (written <= 0)
        break;
      data += written;
      left -= size_t(written);
    }
    if (data == bytes.c_str() + bytes.size())
      handle = ::dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(),
                        RTLD_NOW | RTLD_LOCAL);
    if (handle)
      return;
    const char *why = file < 0 || data != bytes.c_str() + bytes.size()
                          ? std::strerror(errno)
                          : ::dlerror();
    const std::string message =
        std::string("cannot load a compiled model: ") + why;
    ::close(file);
    throw nb::value_error(message.c_str());
  }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  ~Library() {
    ::dlclose(handle);
    ::close(file);
  }

  void *find(const char *symbol) const { return ::dlsym(handle, symbol); }

private:
  int file;
  void *handle = nullptr;
};

/// A compiled model.
class Code {
public:
  static Code parse(nb::bytes bytes) {
    auto library = std::make_shared<const Library>(std::move(bytes));
    const auto *model =
        static_cast<const tamrt_model *>(library->find("tam_model"));
    if (!model)
      throw nb::value_error("expected a compiled model, got another library");
    std::string fault;
    {
      nb::gil_scoped_release release;
      fault = describeModelFault(*model);
    }
    if (!fault.empty())
      throw nb::value_error(fault.c_str());
    return Code(std::move(library), *model);
  }

  const EngineModel &engine() const { return *model; }
  const tamrt_model &get() const { return model->get(); }

private:
  Code(std::shared_ptr<const Library> library, const tamrt_model &model)
      : library(std::move(library)),
        model(std::make_shared<const EngineModel>(model)) {}

  std::shared_ptr<const Library> library;
  /// Of the library, before which it goes.
  std::shared_ptr<const EngineModel> model;
};

nb::dict describe(const Code &code) {
  const tamrt_model &model = code.get();
  auto name = [](const char *of) -> nb::object {
    return of ? nb::object(nb::str(of)) : nb::none();
  };
  nb::list inputs;
  std::set<std::string> seen;
  auto addInputs = [&](const tamrt_model &of, bool areEffects) {
    for (int64_t i = 0; i < of.input_count; ++i) {
      const std::string_view column = of.inputs[i].column;
      if (!(areEffects && column.starts_with(TAMRT_EFFECT_PREFIX)) &&
          seen.emplace(column).second)
        inputs.append(of.inputs[i].column);
    }
  };
  addInputs(model, /*areEffects=*/false);
  if (model.adapt)
    addInputs(*model.adapt->model, model.adapt->corrects);
  nb::dict out;
  out["name"] = name(model.name);
  out["formula"] = name(model.formula);
  out["inputs"] = inputs;
  out["target"] = name(model.target);
  out["group"] = name(model.group);
  out["date"] = name(model.date);
  out["weights"] = name(model.weights);
  auto effectsOf = [](const tamrt_model &of) {
    nb::list effects;
    for (int64_t e = 0; e < of.effect_count; ++e)
      effects.append(nb::make_tuple(of.effects[e].name, of.effects[e].term,
                                    of.effects[e].first_column,
                                    of.effects[e].columns));
    return effects;
  };
  out["effects"] = effectsOf(model);
  if (model.adapt)
    out["window_effects"] = effectsOf(*model.adapt->model);
  return out;
}

/// Runs commands without the lock of the interpreter. Meanwhile signals are
/// handled, and lines of progress shown, by the thread that calls them.
class Runner {
public:
  /// `show` is called with each line, unless it is None.
  explicit Runner(nb::object show) : show(std::move(show)) {
    if (!this->show.is_none())
      watch.showProgress = [this](std::string_view line) {
        guarded([&] { this->show(nb::str(line.data(), line.size())); });
      };
    watch.isInterrupted = [this] {
      guarded([] {
        if (PyErr_CheckSignals() != 0)
          throw nb::python_error();
      });
      return exception != nullptr;
    };
  }
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Calls body(watch, report). Throws the exception of a signal or of `show`,
  /// or the error of the report as nanobind::value_error.
  template <class Body> void run(const Body &body) {
    {
      nb::gil_scoped_release release;
      body(watch, report);
    }
    if (exception)
      std::rethrow_exception(exception);
    if (!report.error.empty())
      throw nb::value_error(report.error.c_str());
  }

  EngineReport report;

private:
  template <class Body> void guarded(const Body &body) {
    nb::gil_scoped_acquire acquire;
    try {
      body();
    } catch (...) {
      if (!exception)
        exception = std::current_exception();
    }
  }

  nb::object show;
  EngineWatch watch;
  std::exception_ptr exception;
};

/// An array of `numbers`, which belong to `owner`: of rows of `width`, or of
/// one dimension if that is 0.
template <class Number>
nb::object arrayOf(std::vector<Number> &numbers, size_t width,
                   const nb::capsule &owner) {
  const size_t shape[] = {numbers.size() / std::max<size_t>(width, 1), width};
  return nb::cast(nb::ndarray<nb::numpy, Number>(
      numbers.data(), width == 0 ? 1 : 2, shape, owner));
}

/// A fitted model and the code that it needs, which is unloaded after it.
struct Fitted {
  Code code;
  std::unique_ptr<FittedModel> model;

  static nb::tuple fit(const Code &code, Frame &frame,
                       const std::string &command,
                       const std::vector<std::string> &options,
                       nb::object show) {
    Fitted fitted = {code, nullptr};
    const tamrt_frame *rows = frame.get();
    Runner runner(std::move(show));
    runner.run([&](const EngineWatch &watch, EngineReport &report) {
      fitted.model = FittedModel::fit(code.engine(), *rows, command, options,
                                      watch, report);
    });
    return nb::make_tuple(std::move(fitted), runner.report.notes,
                          runner.report.printed);
  }

  static Fitted load(const Code &code, nb::bytes bytes,
                     const std::string &name) {
    Fitted fitted = {code, nullptr};
    const std::string_view content(bytes.c_str(), bytes.size());
    Runner(nb::none()).run([&](const EngineWatch &, EngineReport &report) {
      fitted.model = FittedModel::load(code.engine(), content, name, report);
    });
    return fitted;
  }

  nb::bytes bytes() const {
    std::string bytes;
    Runner(nb::none()).run([&](const EngineWatch &, EngineReport &report) {
      bytes = model->bytes(report);
    });
    return nb::bytes(bytes.data(), bytes.size());
  }

  nb::tuple predict(Frame &frame, const std::string &command,
                    const std::vector<std::string> &options,
                    nb::object show) const {
    auto out = std::make_unique<PredictedTable>();
    const tamrt_frame *rows = frame.get();
    Runner runner(std::move(show));
    runner.run([&](const EngineWatch &watch, EngineReport &report) {
      *out = model->predict(*rows, command, options, watch, report);
    });
    PredictedTable *table = out.release();
    nb::capsule owner(table, [](void *data) noexcept {
      delete static_cast<PredictedTable *>(data);
    });
    return nb::make_tuple(table->names,
                          arrayOf(table->numbers, table->names.size(), owner),
                          runner.report.notes);
  }

  nb::tuple run(Frame *frame, const std::string &command,
                const std::vector<std::string> &options,
                nb::object show) const {
    const tamrt_frame *rows = frame ? frame->get() : nullptr;
    Runner runner(std::move(show));
    runner.run([&](const EngineWatch &watch, EngineReport &report) {
      model->run(rows, command, options, watch, report);
    });
    return nb::make_tuple(runner.report.printed, runner.report.notes);
  }
};

nb::tuple adapt(const Code &code, const Fitted *base, Frame &frame,
                bool coefficients, const std::vector<std::string> &options,
                nb::object show) {
  auto out = std::make_unique<AdaptedTable>();
  const tamrt_frame *rows = frame.get();
  Runner runner(std::move(show));
  runner.run([&](const EngineWatch &watch, EngineReport &report) {
    *out = adaptRows(code.engine(), base ? base->model.get() : nullptr, *rows,
                     coefficients, options, watch, report);
  });
  AdaptedTable &table = *out.release();
  nb::capsule owner(&table, [](void *data) noexcept {
    delete static_cast<AdaptedTable *>(data);
  });
  const auto width = size_t(code.get().adapt->model->columns);
  nb::object windows = nb::none();
  if (coefficients)
    windows = nb::make_tuple(table.groups, arrayOf(table.group, 0, owner),
                             arrayOf(table.row, 0, owner),
                             arrayOf(table.index, 0, owner),
                             arrayOf(table.coefficients, width, owner));
  return nb::make_tuple(
      table.rows.names,
      arrayOf(table.rows.numbers, table.rows.names.size(), owner), windows,
      runner.report.notes);
}

nb::tuple findData(const Code &code,
                   const std::vector<std::string> &arguments) {
  CommandData data;
  Runner(nb::none()).run([&](const EngineWatch &, EngineReport &report) {
    data = tamrt::dataOf(code.get(), arguments, report);
  });
  return nb::make_tuple(data.path, data.columns);
}

nb::tuple runLine(const Code &code, Frame *frame,
                  const std::vector<std::string> &arguments, nb::object show) {
  const tamrt_frame *rows = frame ? frame->get() : nullptr;
  Runner runner(std::move(show));
  runner.run([&](const EngineWatch &watch, EngineReport &report) {
    tamrt::runCommandLine(code.get(), rows, arguments, watch, report);
  });
  return nb::make_tuple(runner.report.printed, runner.report.notes);
}

} // namespace

NB_MODULE(_engine, m) {
  m.doc() = "Runs compiled models; use the package tamc.";
  m.attr("version") = TAMC_VERSION;
  m.def("cpu_level", &tamrt_cpu_level);
  m.def("release_memory", &releaseMemory);
  m.def("arrow_names", [](nb::capsule stream) {
    return ArrowRows(std::move(stream), {}).names;
  });

  nb::class_<Frame>(m, "Frame")
      .def(nb::init<std::string>())
      .def("add_numbers", &Frame::addNumbers, nb::arg("column"),
           nb::arg("values"), nb::arg("valid").none())
      .def("add_times", &Frame::addTimes)
      .def("add_texts", &Frame::addTexts)
      .def("add_categories", &Frame::addCategories)
      .def("add_arrow", &Frame::addArrow)
      .def("add_unread", &Frame::addUnread)
      .def("distinct", [](Frame &frame, const std::string &column) {
        const tamrt_frame *rows = frame.get();
        nb::gil_scoped_release release;
        return distinctTexts(*rows, column);
      });

  nb::class_<Code>(m, "Code")
      .def_static("parse", &Code::parse)
      .def("describe", &describe)
      .def("plan", [](const Code &code) { return planOf(code.get()); })
      .def("data_of", &findData, nb::arg("arguments"))
      .def("adapt", &adapt, nb::arg("base").none(), nb::arg("frame"),
           nb::arg("coefficients"), nb::arg("options"), nb::arg("show").none())
      .def("run", &runLine, nb::arg("frame").none(), nb::arg("arguments"),
           nb::arg("show").none());

  nb::class_<Fitted>(m, "Fitted")
      .def_static("fit", &Fitted::fit, nb::arg("code"), nb::arg("frame"),
                  nb::arg("command"), nb::arg("options"),
                  nb::arg("show").none())
      .def_static("load", &Fitted::load)
      .def("bytes", &Fitted::bytes)
      .def("predict", &Fitted::predict, nb::arg("frame"), nb::arg("command"),
           nb::arg("options"), nb::arg("show").none())
      .def("run", &Fitted::run, nb::arg("frame").none(), nb::arg("command"),
           nb::arg("options"), nb::arg("show").none())
      .def("groups",
           [](const Fitted &fitted) { return fitted.model->groups(); })
      .def("coefficients", [](const Fitted &fitted) {
        const std::vector<double> &values = fitted.model->coefficients();
        const size_t groups = fitted.model->groups().size();
        const size_t shape[] = {groups, values.size() / groups};
        return nb::ndarray<nb::numpy, const double>(values.data(), 2, shape,
                                                    nb::find(fitted));
      });
}
