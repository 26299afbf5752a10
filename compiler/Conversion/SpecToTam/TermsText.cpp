//===- TermsText.cpp - the feature maps of a model as text ----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermsText.h"

#include "Effects.h"

#include "tamc/Spec/Tables.h"
#include "tamc/Spec/Terms.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <numbers>

using namespace tamc;
using spec::GridSettings;
using spec::ModelSpec;
using spec::Term;
using spec::TermKind;

namespace {

class Writer {
public:
  Writer(const std::vector<Input> &inputs, const Learners &learners,
         llvm::json::OStream &out)
      : inputs(inputs), learners(learners), out(out) {}

  void write(const Term &term) {
    out.object([&] {
      writeMap(term);
      if (term.kind != TermKind::Tensor)
        writeInputs(term);
      out.attribute("columns", columnsOf(term));
      out.attribute("extrapolate", toString(term.extrapolate));
      writeTables(term);
    });
  }

private:
  void writeMap(const Term &term) {
    switch (term.kind) {
    case TermKind::Linear:
      out.attribute("kind", "linear");
      out.attribute("factor", term.getNumber("scaled"));
      return;
    case TermKind::Fourier:
      return writeFourier(term.getBool("cyclic"));
    case TermKind::Spline:
      return writeSpline(term.getInt("k"), term.getInt("deg"));
    case TermKind::Categorical:
      if (term.getString("topo") == "fourier")
        return writeFourier(/*cyclic=*/false);
      return out.attribute("kind", term.getBool("levels") ? "levels" : "codes");
    case TermKind::Chebyshev:
      return out.attribute("kind", "chebyshev");
    case TermKind::Wavelet:
      out.attribute("kind", "wavelet");
      out.attribute("scales", term.getInt("n_scales"));
      out.attribute("locations", term.getInt("n_locations"));
      return;
    case TermKind::Neural:
      out.attribute("kind", "neural");
      out.attribute("activation", term.getString("act"));
      return;
    case TermKind::RadialBasis:
      out.attribute("kind", "radial");
      if (term.isNone("nu"))
        out.attribute("nu", nullptr);
      else
        out.attribute("nu", term.getNumber("nu"));
      return;
    case TermKind::Tree:
      return out.attribute("kind", treeKind(term));
    case TermKind::LinearTree:
      out.attribute("kind", "linear_tree");
      out.attribute("tree", treeKind(term));
      out.attribute("factor", std::numbers::pi);
      return;
    case TermKind::Tensor:
      out.attribute("kind", "product");
      out.attributeArray("factors", [&] {
        for (const Term &factor : term.factors)
          write(factor);
      });
      return;
    case TermKind::Physics:
      if (term.getString("basis") == "fourier")
        return writeFourier(term.getBool("cyclic"));
      return writeSpline(term.getInt("k"), term.getInt("spline_degree"));
    case TermKind::PID:
      out.attribute("kind", "pid");
      out.attribute("window", term.getInt("w"));
      return;
    }
    llvm_unreachable("all terms are listed");
  }

  static llvm::StringRef treeKind(const Term &term) {
    return isOblivious(term) ? "oblivious_trees" : "flat_trees";
  }

  void writeFourier(bool cyclic) {
    out.attribute("kind", "fourier");
    out.attribute("frequency", cyclic ? 1.0 : 0.5);
  }

  void writeSpline(int64_t intervals, int64_t degree) {
    out.attribute("kind", "spline");
    out.attribute("degree", degree);
    out.attribute("intervals", intervals);
  }

  void writeInputs(const Term &term) {
    out.attributeArray("inputs", [&] {
      for (const Input &input : inputsOf(term))
        out.value(llvm::find(inputs, input) - inputs.begin());
    });
  }

  void writeTables(const Term &term) {
    const int64_t first = learners.firstTable(term);
    if (first < 0)
      return;
    out.attributeObject("tables", [&] {
      for (auto [index, form] : llvm::enumerate(tablesOf(term)))
        out.attribute(form.name, first + static_cast<int64_t>(index));
    });
  }

  const std::vector<Input> &inputs;
  const Learners &learners;
  llvm::json::OStream &out;
};

} // namespace

/// The candidates of a grid.
static void describeCandidates(const ModelSpec &spec,
                               const std::vector<Input> &inputs,
                               llvm::json::OStream &out) {
  // Names depend neither on parameters nor on penalties.
  ModelSpec one = spec;
  one.terms.clear();
  for (const GridSettings::Place &place : spec.grid->places)
    one.terms.push_back(spec.termOf(place.choices.front()));
  const std::vector<std::string> names = one.effectNames();
  one.terms.clear();
  // The formula's left side, and "~".
  const std::string formula = one.canonicalFormula();
  const llvm::StringRef target = formula;
  out.object([&] {
    out.attributeArray("tokens", [&] {
      for (const GridSettings::Token &token : spec.grid->tokens)
        out.object([&] {
          out.attribute("name", token.name);
          out.attributeArray("values", [&] {
            for (const std::string &value : token.values)
              out.value(value);
          });
        });
    });
    out.attributeArray("terms", [&] {
      for (auto [index, place] : llvm::enumerate(spec.grid->places))
        out.object([&] {
          out.attribute("name", names[index + 1]);
          out.attributeArray("tokens", [&] {
            for (size_t token : place.tokens)
              out.value(static_cast<int64_t>(token));
          });
          out.attributeArray("choices", [&] {
            for (const GridSettings::Choice &choice : place.choices) {
              const Term term = spec.termOf(choice);
              out.object([&] {
                out.attribute("effect", static_cast<int64_t>(choice.term) + 1);
                out.attribute("term", choice.text);
                out.attribute("canonical", term.canonical());
                out.attributeArray("aps", [&] {
                  for (double ap : choice.aps)
                    out.value(ap);
                });
                out.attributeArray("inputs", [&] {
                  for (const Input &input : inputsOf(term))
                    out.value(llvm::find(inputs, input) - inputs.begin());
                });
              });
            }
          });
        });
    });
    out.attribute("target", target.drop_back());
    out.attribute("keys", spec.canonicalKeys());
  });
}

std::string tamc::describeTerms(const ModelSpec &spec,
                                const std::vector<Input> &inputs,
                                const Learners &learners) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream out(stream);
  if (spec.grid) {
    describeCandidates(spec, inputs, out);
    return text;
  }
  out.array([&] {
    Writer writer(inputs, learners, out);
    for (const Term &term : spec.terms)
      writer.write(term);
  });
  return text;
}
