//===- TermsTest.cpp - parameters of the terms ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecTesting.h"

using namespace tamc::spec;
using namespace tamc::spec::testing;

namespace {

TEST(Terms, TableIsInOrder) {
  ASSERT_EQ(allTerms().size(), 13u);
  for (size_t i = 0; i != 13; ++i)
    EXPECT_EQ(static_cast<size_t>(allTerms()[i].kind), i);
  std::string names;
  for (const TermInfo &info : allTerms())
    names += info.name.str() + " ";
  EXPECT_EQ(names, "l f s c p w n rbf t lt te phys pid ");
}

/// Every default of docs/math.md section 1, typed in by hand.
TEST(Terms, Defaults) {
  Term l = termOf("l(x)");
  EXPECT_EQ(l.ap, -9);
  EXPECT_EQ(l.getNumber("scaled"), 3.141592653589793);
  Term f = termOf("f(x)");
  EXPECT_EQ(f.getInt("m"), 10);
  EXPECT_EQ(f.getNumber("s"), 1);
  EXPECT_FALSE(f.getBool("cyclic"));
  EXPECT_TRUE(f.isNone("period"));
  Term s = termOf("s(x)");
  EXPECT_EQ(s.getInt("k"), 10);
  EXPECT_EQ(s.getInt("deg"), 3);
  EXPECT_EQ(s.getInt("p"), 2);
  Term c = termOf("c(x)");
  EXPECT_TRUE(c.isNone("n_cat"));
  EXPECT_FALSE(c.getBool("levels"));
  EXPECT_EQ(c.getString("topo"), "nominal");
  EXPECT_EQ(c.getInt("p_order"), 1);
  EXPECT_EQ(c.getString("unseen"), "edge");
  Term p = termOf("p(x)");
  EXPECT_EQ(p.getInt("deg"), 5);
  EXPECT_EQ(p.getNumber("s"), 0);
  Term w = termOf("w(x)");
  EXPECT_EQ(w.getInt("n_scales"), 5);
  EXPECT_EQ(w.getInt("n_locations"), 20);
  Term n = termOf("n(x)");
  EXPECT_EQ(n.getInt("n_neurons"), 500);
  EXPECT_EQ(n.getString("act"), "relu");
  EXPECT_EQ(n.getInt("seed"), 42);
  EXPECT_EQ(n.getInt("n_hidden_layers"), 1);
  Term rbf = termOf("rbf(x)");
  EXPECT_EQ(rbf.getInt("n_centers"), 50);
  EXPECT_TRUE(rbf.isNone("gamma"));
  EXPECT_TRUE(rbf.isNone("nu"));
  EXPECT_EQ(rbf.getInt("seed"), 42);
  Term t = termOf("t(x)");
  EXPECT_EQ(t.getInt("n_trees"), 50);
  EXPECT_EQ(t.getInt("max_depth"), 5);
  EXPECT_TRUE(t.isNone("max_leaves"));
  EXPECT_EQ(t.getInt("seed"), 42);
  EXPECT_EQ(t.getNumber("sp_alpha"), 0);
  EXPECT_EQ(t.getString("split_strategy"), "uniform");
  Term lt = termOf("lt(x)");
  EXPECT_EQ(lt.getString("slope"), "x");
  EXPECT_EQ(lt.getInt("max_depth"), 5);
  EXPECT_TRUE(lt.isNone("max_leaves"));
  EXPECT_EQ(lt.getInt("seed"), 42);
  EXPECT_EQ(lt.getNumber("sp_alpha"), 0);
  EXPECT_EQ(lt.getString("split_strategy"), "uniform");
  EXPECT_EQ(termOf("te(l(x), l(z))").ap, -9);
  Term phys = termOf("phys(x)");
  EXPECT_EQ(phys.getString("basis"), "spline");
  EXPECT_EQ(phys.getInt("k"), 20);
  EXPECT_EQ(phys.getInt("n_coeffs"), 20);
  EXPECT_EQ(phys.getInt("spline_degree"), 3);
  EXPECT_FALSE(phys.getBool("cyclic"));
  EXPECT_EQ(phys.getNumber("D2"), 1);
  EXPECT_EQ(phys.parameters.count("D0"), 0u);
  Term pid = termOf("pid(x)");
  EXPECT_EQ(pid.getInt("w"), 7);
  EXPECT_EQ(pid.getNumber("d_pen"), 10);
}

TEST(Terms, DefaultsBeyondTheRange) {
  std::map<std::string, Extrapolate> modes = {
      {"l(x)", Extrapolate::Continue},
      {"f(x)", Extrapolate::Continue},
      {"s(x)", Extrapolate::Linear},
      {"c(x)", Extrapolate::Continue},
      {"p(x)", Extrapolate::Saturation},
      {"w(x)", Extrapolate::Continue},
      {"n(x)", Extrapolate::Linear},
      {"rbf(x)", Extrapolate::Continue},
      {"t(x)", Extrapolate::Continue},
      {"lt(x)", Extrapolate::Linear},
      {"phys(x)", Extrapolate::Continue},
      {"pid(x)", Extrapolate::Continue},
      {"te(s(x), s(z))", Extrapolate::Continue}};
  for (const auto &[text, mode] : modes)
    EXPECT_EQ(termOf(text).extrapolate, mode) << text;
}

/// Each parameter at its bounds, and one step outside, from the table.
TEST(Terms, RangesOfTheTable) {
  for (const TermInfo &term : allTerms()) {
    for (const ParameterInfo &info : term.parameters) {
      auto messages = [&](const std::string &value) {
        return messagesOf("y ~ " + term.name.str() + "(x, " + info.name.str() +
                          "=" + value + ")");
      };
      std::string expected = "error: expected " + info.expected() + " for '" +
                             info.name.str() + "', got ";
      switch (info.type) {
      case ParameterType::Integer:
      case ParameterType::OptionalInteger:
        EXPECT_NE(messages(std::to_string(int64_t(info.min) - 1))
                      .find(expected + std::to_string(int64_t(info.min) - 1)),
                  std::string::npos);
        EXPECT_NE(messages(std::to_string(int64_t(info.max) + 1))
                      .find(expected + std::to_string(int64_t(info.max) + 1)),
                  std::string::npos);
        EXPECT_NE(messages("99999999999999999999").find(expected),
                  std::string::npos);
        EXPECT_NE(messages("True").find(expected + "True"), std::string::npos);
        EXPECT_NE(messages("'3'").find(expected + "'3'"), std::string::npos);
        EXPECT_EQ(messages("None").find(expected + "None") == std::string::npos,
                  info.type == ParameterType::OptionalInteger);
        break;
      case ParameterType::Number:
        EXPECT_NE(messages("1e101").find(expected + "1e101"),
                  std::string::npos);
        EXPECT_NE(messages("None").find(expected + "None"), std::string::npos);
        break;
      case ParameterType::OptionalPositive:
        EXPECT_EQ(messages("None"), "");
        EXPECT_EQ(messages("1e-3"), "");
        EXPECT_NE(messages("0").find(expected + "0"), std::string::npos);
        EXPECT_NE(messages("-1").find(expected + "-1"), std::string::npos);
        break;
      case ParameterType::Flag:
        EXPECT_NE(messages("1").find(expected + "1"), std::string::npos);
        EXPECT_NE(messages("true").find(expected + "true\n" + "1:" +
                                        std::to_string(9 + term.name.size() +
                                                       info.name.size() + 1) +
                                        " note: did you mean 'True'?\n"),
                  std::string::npos)
            << messages("true");
        break;
      case ParameterType::Word:
        for (llvm::StringRef word : info.wordList())
          EXPECT_EQ(messages(word.str()).find("error"), std::string::npos);
        EXPECT_NE(messages("zzz").find(expected + "zzz\n"), std::string::npos);
        EXPECT_NE(messages("3").find(expected + "3\n"), std::string::npos);
        break;
      case ParameterType::Period:
      case ParameterType::Column:
        EXPECT_NE(messages("3").find(expected + "3\n"), std::string::npos);
        break;
      case ParameterType::Weights:
        EXPECT_NE(messagesOf("y ~ phys(x, D0=None)")
                      .find("expected a finite number for 'D0', got None"),
                  std::string::npos);
        break;
      }
    }
  }
}

TEST(Terms, UnknownKeys) {
  EXPECT_EQ(messagesOf("y ~ s(x, degree=3)"),
            "1:10 error: unknown parameter 'degree' of s\n"
            "1:10 note: s takes k, deg, p, ap and extrapolate\n");
  EXPECT_EQ(messagesOf("y ~ t(x, max_dept=3)"),
            "1:10 error: unknown parameter 'max_dept' of t\n"
            "1:10 note: did you mean 'max_depth'?\n");
  EXPECT_EQ(messagesOf("y ~ s(x, extrapolat='linear')"),
            "1:10 error: unknown parameter 'extrapolat' of s\n"
            "1:10 note: did you mean 'extrapolate'?\n");
  EXPECT_EQ(messagesOf("y ~ s(x, others='z')"),
            "1:10 error: unknown parameter 'others' of s\n"
            "1:10 note: s takes k, deg, p, ap and extrapolate\n");
  EXPECT_EQ(messagesOf("y ~ rbf(x, other='z')"),
            "1:12 error: unknown parameter 'other' of rbf\n"
            "1:12 note: did you mean 'others'?\n");
  EXPECT_EQ(messagesOf("y ~ phys(x, D21=1)"),
            "1:13 error: unknown parameter 'D21' of phys\n"
            "1:13 note: did you mean 'D1'?\n");
  EXPECT_EQ(messagesOf("y ~ phys(x, D02=1)"),
            "1:13 error: unknown parameter 'D02' of phys\n"
            "1:13 note: did you mean 'D0'?\n");
  EXPECT_EQ(messagesOf("y ~ te(s(a), s(b), k=3)"),
            "1:20 error: unknown parameter 'k' of te\n"
            "1:20 note: te takes ap and extrapolate\n");
}

TEST(Terms, Ap) {
  EXPECT_EQ(termOf("l(x, ap=-30)").ap, -30);
  EXPECT_EQ(messagesOf("y ~ l(x, ap=301)"),
            "1:13 error: expected a number from -300 to 300 for 'ap', got "
            "301\n");
  EXPECT_EQ(messagesOf("y ~ l(x, ap='3')"),
            "1:13 error: expected a number from -300 to 300 for 'ap', got "
            "'3'\n");
}

TEST(Terms, Extrapolate) {
  EXPECT_EQ(termOf("s(x, extrapolate='saturation')").extrapolate,
            Extrapolate::Saturation);
  EXPECT_EQ(termOf("s(x, extrapolate=constant)").extrapolate,
            Extrapolate::Constant);
  EXPECT_EQ(messagesOf("y ~ s(x, extrapolate='lineal')"),
            "1:22 error: expected continue, constant, linear or saturation for "
            "'extrapolate', got 'lineal'\n"
            "1:22 note: did you mean 'linear'?\n");
}

TEST(Terms, Others) {
  EXPECT_EQ(termOf("rbf(x, others='a | b c')").others,
            (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(termOf("n(x, others=a|b)").others,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(termOf("t(x, others=None)").others, std::vector<std::string>());
  EXPECT_EQ(messagesOf("y ~ t(x, others='a|')"),
            "1:17 error: expected columns 'x|y' for 'others', got an empty "
            "name\n");
  EXPECT_EQ(messagesOf("y ~ t(x, others=3)"),
            "1:17 error: expected columns 'x|y' for 'others', got 3\n");
}

TEST(Terms, Period) {
  EXPECT_EQ(messagesOf("y ~ f(x, period=(1, 1))"),
            "1:17 error: expected (lo, hi) with lo < hi for 'period', got "
            "(1, 1)\n");
  EXPECT_EQ(messagesOf("y ~ f(x, period=(-1e308, 1e308))"),
            "1:17 error: expected (lo, hi) with lo < hi for 'period', got "
            "(-1e308, 1e308)\n");
  EXPECT_EQ(messagesOf("y ~ f(x, period=day)"),
            "1:17 error: expected None, auto or (lo, hi) for 'period', got "
            "day\n");
}

TEST(Terms, DifferenceOrderOfSplines) {
  EXPECT_EQ(messagesOf("y ~ s(x, k=1, deg=0, p=0)"), "");
  EXPECT_EQ(messagesOf("y ~ s(x, k=2, deg=1, p=2)"), "");
  EXPECT_EQ(messagesOf("y ~ s(x, k=2, deg=1, p=3)"),
            "1:24 error: expected 'p' below k + deg = 3, got 3\n");
  EXPECT_EQ(messagesOf("y ~ s(x, k=1, deg=0)"),
            "1:5 error: expected 'p' below k + deg = 1, got 2\n");
}

TEST(Terms, Categorical) {
  EXPECT_EQ(
      termOf("c(x, n_cat=7, topo='ordinal', p_order=2)").getInt("p_order"), 2);
  EXPECT_EQ(messagesOf("y ~ c(x, n_cat=2, topo=ordinal, p_order=2)"),
            "1:41 error: expected 'p_order' below n_cat = 2, got 2\n");
  EXPECT_EQ(messagesOf("y ~ c(x, topo=fourier, levels=True, n_cat=3)"),
            "1:31 error: expected topo='nominal' or 'ordinal' with "
            "levels=True, got 'fourier'\n");
  Term counted = termOf("c(x, n_cat=5, levels=True, unseen=mean)");
  EXPECT_TRUE(counted.getBool("levels"));
  EXPECT_EQ(counted.getString("unseen"), "mean");
  // Without n_cat the levels are the data's in any case.
  EXPECT_FALSE(termOf("c(x, levels=True)").getBool("levels"));
}

TEST(Terms, WithoutEffectIsAWarning) {
  EXPECT_EQ(messagesOf("y ~ c(x, n_cat=4, p_order=2)"),
            "1:27 warning: 'p_order' has no effect with topo='nominal'\n");
  EXPECT_EQ(messagesOf("y ~ c(x, n_cat=4, unseen=zero)"),
            "1:26 warning: 'unseen' has no effect on codes with n_cat; "
            "levels=True would count values\n");
  EXPECT_EQ(messagesOf("y ~ c(x, topo=fourier, unseen=zero)"),
            "1:31 warning: 'unseen' has no effect with topo='fourier'\n");
  EXPECT_EQ(messagesOf("y ~ t(x, max_leaves=4, max_depth=2)"),
            "1:34 warning: 'max_depth' has no effect with max_leaves\n");
  EXPECT_EQ(messagesOf("y ~ phys(x, basis=fourier, k=8)"),
            "1:30 warning: 'k' has no effect with basis='fourier'\n");
  EXPECT_EQ(messagesOf("y ~ phys(x, cyclic=True)"),
            "1:20 warning: 'cyclic' has no effect with basis='spline'\n");
  Sources sources;
  auto spec = sources.formula("y ~ c(x, n_cat=4, p_order=2)");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->canonicalFormula(), "y ~ c(x, n_cat=4)");
}

TEST(Terms, Slope) {
  EXPECT_EQ(termOf("lt(x, slope='b c')").getString("slope"), "b c");
  EXPECT_EQ(termOf("lt(x, slope=b)").getString("slope"), "b");
  EXPECT_EQ(termOf("lt(x, slope=None)").getString("slope"), "x");
}

TEST(Terms, Physics) {
  Term term = termOf("phys(x, k=12, D0=0.5, D2=1.0, ap=-3)");
  EXPECT_EQ(term.getNumber("D0"), 0.5);
  EXPECT_EQ(term.getNumber("D2"), 1);
  // A weight replaces the default of D2; zeros below the highest say nothing.
  term = termOf("phys(x, D0=0, D1=2)");
  EXPECT_EQ(term.parameters.count("D0"), 0u);
  EXPECT_EQ(term.parameters.count("D2"), 0u);
  EXPECT_EQ(term.getNumber("D1"), 2);
  EXPECT_EQ(messagesOf("y ~ phys(x, k=1, spline_degree=1, D2=1)"),
            "1:38 error: expected derivatives of order below k + "
            "spline_degree = 2, got D2\n");
  EXPECT_EQ(messagesOf("y ~ phys(x, basis='fourier', n_coeffs=11)"),
            "1:39 error: expected an even number for 'n_coeffs', got 11\n");
}

TEST(Terms, PenaltiesThatOverflow) {
  for (std::string term :
       {"f(x, s=20, ap=300)", "f(x, s=20, m=100000, ap=120)",
        "s(x, k=2000, p=1030)", "s(x, p=20, ap=300, k=50)",
        "p(x, deg=1000, s=20, ap=200)",
        "c(x, n_cat=50, topo=ordinal, p_order=20, ap=299)",
        "c(x, topo=ordinal, p_order=20, ap=299)", "w(x, n_scales=100, ap=260)",
        "pid(x, d_pen=1e100, ap=250)", "phys(x, D2=1e200)",
        "te(l(a, ap=300), l(b), ap=10)"})
    EXPECT_EQ(messagesOf("y ~ l(z) + " + term),
              "1:12 error: expected a penalty within the range of a double, "
              "got an overflow; lower its order or ap\n")
        << term;
  // A long difference of few values is a few products only.
  for (std::string term :
       {"l(x, ap=300)", "s(x, p=0, ap=300)", "s(x, k=600, p=500, ap=-295)",
        "f(x, s=20, ap=260)", "c(x, n_cat=3, ap=300)"})
    EXPECT_EQ(messagesOf("y ~ " + term), "") << term;
}

TEST(Terms, PenaltiesThatTakeAllDigits) {
  auto check = [](std::string term, std::string at, std::string limit) {
    size_t place = term.find("AP");
    auto with = [&](std::string ap) {
      return "y ~ " + std::string(term).replace(place, 2, ap);
    };
    EXPECT_EQ(messagesOf(with(limit)), "") << term;
    // The last digit of the limit one higher.
    std::string above = limit;
    ++above.back();
    std::string message = messagesOf(with(above));
    EXPECT_TRUE(llvm::StringRef(message).starts_with(
        at + " error: expected an 'ap' of at most " + limit + " for "))
        << message;
    EXPECT_TRUE(llvm::StringRef(message).contains(", got " + above + "\n"))
        << message;
  };
  check("s(x, ap=AP)", "1:13", "9.1");
  check("s(x, p=1, ap=AP)", "1:18", "9.6");
  check("s(x, p=3, ap=AP)", "1:18", "8.6");
  // Fewer values than a difference of that order spans.
  check("s(x, k=2, deg=1, p=2, ap=AP)", "1:30", "9.3");
  check("c(x, topo=ordinal, ap=AP)", "1:27", "9.6");
  check("c(x, n_cat=9, topo=ordinal, p_order=8, ap=AP)", "1:47", "6.2");
  check("phys(x, ap=AP)", "1:16", "9.1");
  check("phys(x, D1=100, ap=AP)", "1:24", "5.6");
  for (const char *term : {"te(s(x, ap=8.8), l(z), ap=0.3)",
                           "te(te(s(x, ap=9.4), l(z), ap=-0.1), l(w), ap=-0.2)",
                           "te(s(x, ap=9.2), l(z), ap=-0.1)"})
    EXPECT_EQ(messagesOf("y ~ " + std::string(term)), "") << term;
  EXPECT_EQ(messagesOf("y ~ s(x, ap=12)"),
            "1:13 error: expected an 'ap' of at most 9.1 for s with these "
            "parameters, got 12\n1:13 note: a larger penalty would hardly "
            "change the fit, but take the digits of the rows' sums\n");
  // Without an ap the error is that of the order.
  EXPECT_TRUE(llvm::StringRef(messagesOf("y ~ s(x, k=600, p=500)"))
                  .starts_with("1:5 error: expected an 'ap' of at most -"));
  // The strength of a product multiplies those of its factors.
  EXPECT_EQ(messagesOf("y ~ te(s(a, ap=8), l(b, ap=300), ap=1)"), "");
  EXPECT_EQ(messagesOf("y ~ te(te(s(a, ap=12), l(b), ap=1), l(c), ap=-4)"), "");
  // Numbers of several matrices add up.
  check("te(s(a, ap=AP), s(b), ap=0)", "1:16", "8.8");
  check("te(s(a), te(s(b, ap=AP), s(c), ap=0), ap=0)", "1:25", "8.6");
  EXPECT_TRUE(
      llvm::StringRef(messagesOf("y ~ te(s(a, ap=8), l(b), ap=1.2)"))
          .starts_with("1:16 error: expected an 'ap' of at most 9.1 for s with "
                       "these parameters, the te's added, got 9.2\n"));
}

TEST(Terms, PidKnowsContinueOnly) {
  EXPECT_EQ(messagesOf("y ~ pid(x, extrapolate=continue)"), "");
  EXPECT_EQ(messagesOf("y ~ pid(x, extrapolate=linear)"),
            "1:24 error: expected 'continue', the one mode of pid, got "
            "'linear'\n");
  EXPECT_EQ(messagesOf("y ~ te(s(a), te(pid(b), l(c)), extrapolate=constant)"),
            "1:44 error: expected 'continue', the one mode of pid, got "
            "'constant'\n");
  EXPECT_EQ(messagesOf("y ~ te(s(a, extrapolate=linear), pid(b))"), "");
}

TEST(Terms, ReferenceHoldsTheTable) {
  std::string text, again;
  llvm::raw_string_ostream(text) << "";
  {
    llvm::raw_string_ostream out(text);
    writeTermsReference(out);
  }
  {
    llvm::raw_string_ostream out(again);
    writeTermsReference(out);
  }
  EXPECT_EQ(text, again);
  for (const char *line : {
           "| `l` linear | a straight line | scaled=pi | continue |\n",
           "| `c` categorical | one coefficient per level | n_cat=None, "
           "levels=False, topo=nominal, p_order=1, unseen=edge | continue |\n",
           "| `te` tensor | tensor product of two or more terms |  | continue "
           "|\n",
           "| `seed` | an integer from 0 to 4294967295 | 42 | of the random "
           "generator |\n",
           "| `D0`..`D20` | a finite number | none | ",
           "### lt: lineartree\n",
           "(a number from -300 to 300, default -9)",
       })
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

} // namespace
