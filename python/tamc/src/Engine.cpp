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

#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <set>
#include <string>
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
    if (std::string fault = describeModelFault(*model); !fault.empty())
      throw nb::value_error(fault.c_str());
    return Code(std::move(library), *model);
  }

  const tamrt_model &get() const { return *model; }

private:
  Code(std::shared_ptr<const Library> library, const tamrt_model &model)
      : library(std::move(library)), model(&model) {}

  std::shared_ptr<const Library> library;
  const tamrt_model *model;
};

nb::dict describe(const Code &code) {
  const tamrt_model &model = code.get();
  auto name = [](const char *of) -> nb::object {
    return of ? nb::object(nb::str(of)) : nb::none();
  };
  nb::list inputs;
  std::set<std::string> seen;
  for (int64_t i = 0; i < model.input_count; ++i)
    if (seen.insert(model.inputs[i].column).second)
      inputs.append(model.inputs[i].column);
  nb::dict out;
  out["name"] = name(model.name);
  out["formula"] = name(model.formula);
  out["inputs"] = inputs;
  out["target"] = name(model.target);
  out["group"] = name(model.group);
  out["date"] = name(model.date);
  out["weights"] = name(model.weights);
  nb::list effects;
  for (int64_t e = 0; e < model.effect_count; ++e)
    effects.append(nb::make_tuple(model.effects[e].name, model.effects[e].term,
                                  model.effects[e].first_column,
                                  model.effects[e].columns));
  out["effects"] = effects;
  return out;
}

[[noreturn]] void raise(const EngineReport &report) {
  throw nb::value_error(report.error.c_str());
}

/// A fitted model and the code that it needs, which is unloaded after it.
struct Fitted {
  Code code;
  std::unique_ptr<FittedModel> model;
};

} // namespace

NB_MODULE(_engine, m) {
  m.doc() = "Runs compiled models; use the package tamc.";
  m.attr("version") = TAMC_VERSION;
  m.def("cpu_level", &tamrt_cpu_level);
  m.def("arrow_names", [](nb::capsule stream) {
    return ArrowRows(std::move(stream), {}).names;
  });

  nb::class_<Frame>(m, "Frame")
      .def(nb::init<std::string>())
      .def("add_numbers", &Frame::addNumbers)
      .def("add_times", &Frame::addTimes)
      .def("add_texts", &Frame::addTexts)
      .def("add_categories", &Frame::addCategories)
      .def("add_arrow", &Frame::addArrow)
      .def("add_unread", &Frame::addUnread)
      .def("distinct", [](Frame &frame, const std::string &column) {
        return distinctTexts(*frame.get(), column);
      });

  nb::class_<Code>(m, "Code")
      .def_static("parse", &Code::parse)
      .def("describe", &describe)
      .def("plan", [](const Code &code) { return planOf(code.get()); });

  nb::class_<Fitted>(m, "Fitted")
      .def_static("fit",
                  [](const Code &code, Frame &frame,
                     const std::vector<std::string> &options) {
                    EngineReport report;
                    Fitted fitted = {code, nullptr};
                    const tamrt_frame *rows = frame.get();
                    {
                      nb::gil_scoped_release release;
                      fitted.model =
                          FittedModel::fit(code.get(), *rows, options, report);
                    }
                    if (!fitted.model)
                      raise(report);
                    return std::pair(std::move(fitted), report.notes);
                  })
      .def_static(
          "load",
          [](const Code &code, nb::bytes bytes, const std::string &name) {
            EngineReport report;
            Fitted fitted = {code, nullptr};
            fitted.model = FittedModel::load(
                code.get(), {bytes.c_str(), bytes.size()}, name, report);
            if (!fitted.model)
              raise(report);
            return fitted;
          })
      .def("bytes",
           [](const Fitted &fitted) {
             EngineReport report;
             const std::string bytes = fitted.model->bytes(report);
             if (!report.error.empty())
               raise(report);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("groups",
           [](const Fitted &fitted) { return fitted.model->groups(); })
      .def("coefficients",
           [](const Fitted &fitted) {
             const std::vector<double> &values = fitted.model->coefficients();
             const size_t groups = fitted.model->groups().size();
             const size_t shape[] = {groups, values.size() / groups};
             return nb::ndarray<nb::numpy, const double>(
                 values.data(), 2, shape, nb::find(fitted));
           })
      .def("predict",
           [](const Fitted &fitted, Frame &frame, const std::string &command,
              const std::vector<std::string> &options) {
             EngineReport report;
             auto out = std::make_unique<PredictedTable>();
             const tamrt_frame *rows = frame.get();
             {
               nb::gil_scoped_release release;
               *out = fitted.model->predict(*rows, command, options, report);
             }
             if (!report.error.empty())
               raise(report);
             PredictedTable *table = out.release();
             nb::capsule owner(table, [](void *data) noexcept {
               delete static_cast<PredictedTable *>(data);
             });
             const size_t width = table->names.size();
             const size_t shape[] = {table->numbers.size() / width, width};
             return nb::make_tuple(table->names,
                                   nb::ndarray<nb::numpy, double>(
                                       table->numbers.data(), 2, shape, owner),
                                   report.notes);
           });
}
