//===- FormulaTest.cpp - grammar of the formula ---------------------------===//
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

TEST(Formula, ReadsTargetAndTerms) {
  Sources sources;
  auto spec = sources.formula("  Load ~ l(x) +\n s( t1 , k = 20 )+ 1\n");
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(spec->target, "Load");
  EXPECT_EQ(spec->formula, "Load ~ l(x) +\n s( t1 , k = 20 )+ 1");
  ASSERT_EQ(spec->terms.size(), 2u);
  EXPECT_EQ(spec->terms[0].kind, TermKind::Linear);
  EXPECT_EQ(spec->terms[0].feature, "x");
  EXPECT_EQ(spec->terms[1].kind, TermKind::Spline);
  EXPECT_EQ(spec->terms[1].feature, "t1");
  EXPECT_EQ(spec->terms[1].getInt("k"), 20);
  EXPECT_EQ(spec->terms[1].text, "s( t1 , k = 20 )");
  auto start = sources.manager.getLineAndColumn(spec->terms[1].range.Start);
  EXPECT_EQ(start, std::make_pair(2u, 2u));
  EXPECT_EQ(spec->terms[1].range.End.getPointer() -
                spec->terms[1].range.Start.getPointer(),
            16);
}

TEST(Formula, TermNamesKnowNoCase) {
  EXPECT_EQ(termOf("S(x)").kind, TermKind::Spline);
  EXPECT_EQ(termOf("RbF(x)").kind, TermKind::RadialBasis);
  EXPECT_EQ(termOf("TE(s(x), S(y))").factors[1].kind, TermKind::Spline);
}

TEST(Formula, OffsetAloneIsAModel) {
  Sources sources;
  auto spec = sources.formula("y ~ 1");
  ASSERT_TRUE(spec);
  EXPECT_TRUE(spec->terms.empty());
  EXPECT_EQ(spec->canonicalFormula(), "y ~ 1");
}

TEST(Formula, NamesMayHaveDotsUnderscoresAndOtherScripts) {
  EXPECT_EQ(termOf("s(temp.max_2)").feature, "temp.max_2");
  EXPECT_EQ(termOf("s(_x)").feature, "_x");
  EXPECT_EQ(termOf("s(température)").feature, "température");
  EXPECT_EQ(termOf("s(気温)").feature, "気温");
}

TEST(Formula, QuotedNames) {
  EXPECT_EQ(termOf("s('my col')").feature, "my col");
  EXPECT_EQ(termOf("s(\"a+b~(c,d=1\")").feature, "a+b~(c,d=1");
  EXPECT_EQ(termOf("s('it\\'s')").feature, "it's");
  EXPECT_EQ(termOf("s(\"a\\\\b\\\"\")").feature, "a\\b\"");
  EXPECT_EQ(termOf("s(\"it's\")").feature, "it's");
  Sources sources;
  auto spec = sources.formula("'the target' ~ l(x)");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->target, "the target");
}

TEST(Formula, PlusAndCommaSplitOnlyOutside) {
  EXPECT_EQ(termOf("l(x, ap=1e+2)").ap, 100);
  EXPECT_EQ(termOf("l('a+b,c', ap=+1)").feature, "a+b,c");
  EXPECT_EQ(termOf("f(x, period=(0, +1))").parameters["period"],
            Value(Pair{0, 1}));
}

TEST(Formula, Values) {
  EXPECT_EQ(termOf("f(x, cyclic=True)").parameters["cyclic"], Value(true));
  EXPECT_EQ(termOf("f(x, cyclic=False)").parameters["cyclic"], Value(false));
  EXPECT_EQ(termOf("f(x, period=None)").parameters["period"],
            Value(std::monostate()));
  for (const char *word : {"auto", "'auto'", "\"auto\""})
    EXPECT_EQ(
        termOf(std::string("f(x, period=") + word + ")").parameters["period"],
        Value(std::string("auto")));
  EXPECT_EQ(termOf("f(x, period=(-.5, 1e1))").parameters["period"],
            Value(Pair{-0.5, 10}));
  EXPECT_EQ(termOf("l(x, scaled=5.)").getNumber("scaled"), 5);
  EXPECT_EQ(termOf("l(x, scaled=-2)").getNumber("scaled"), -2);
  EXPECT_EQ(termOf("l(x, ap=-0)").canonical(),
            termOf("l(x, ap=0)").canonical());
}

TEST(Formula, IntegersMayBeWrittenAsFloats) {
  EXPECT_EQ(termOf("s(x, k=20.0)").getInt("k"), 20);
  EXPECT_EQ(termOf("s(x, k=2e1)").getInt("k"), 20);
  EXPECT_EQ(messagesOf("y ~ s(x, k=2.5)"),
            "1:12 error: expected an integer from 1 to 100000 for 'k', got "
            "2.5\n");
}

TEST(Formula, Tilde) {
  EXPECT_EQ(messagesOf("y + l(x)"),
            "1:1 error: expected a formula 'target ~ terms', got no '~'\n");
  EXPECT_EQ(messagesOf("y ~ l(x) ~ l(z)"),
            "1:10 error: expected one '~', got another\n"
            "1:3 note: the first is here\n");
  EXPECT_EQ(messagesOf("~ l(x)"),
            "1:1 error: expected the target before '~'\n");
  EXPECT_EQ(messagesOf("y ~"), "1:3 error: expected a term after '~'\n");
  EXPECT_EQ(messagesOf(""), "1:1 error: expected a formula, got nothing\n");
  EXPECT_EQ(messagesOf(" \n "), "1:1 error: expected a formula, got nothing\n");
}

TEST(Formula, Target) {
  EXPECT_EQ(messagesOf("log(y) ~ l(x)"),
            "1:4 error: expected the target, got unexpected '('\n"
            "1:1 note: a formula computes nothing: put the values of log(y) "
            "into a column of the data, such as 'log_y', and write its "
            "name\n");
  EXPECT_EQ(messagesOf("my target ~ l(x)"),
            "1:3 error: expected the target, got unexpected ' '\n"
            "1:1 note: quote a name that is no identifier: 'my target'\n");
  EXPECT_EQ(messagesOf("'' ~ l(x)"),
            "1:1 error: expected the target, got an empty name\n");
  EXPECT_EQ(messagesOf("'a' b ~ l(x)"),
            "1:5 error: unexpected 'b' after a quoted text\n");
}

TEST(Formula, EmptyDoubledAndTrailing) {
  EXPECT_EQ(messagesOf("y ~ l(x) +"),
            "1:10 error: expected a term after '+'\n");
  EXPECT_EQ(messagesOf("y ~ + l(x)"),
            "1:5 error: expected a term before '+'\n");
  EXPECT_EQ(messagesOf("y ~ l(x) + + l(z)"),
            "1:12 error: expected a term before '+'\n");
  EXPECT_EQ(messagesOf("y ~ s()"),
            "1:7 error: expected a column, got nothing\n");
  EXPECT_EQ(messagesOf("y ~ s(x,)"),
            "1:9 error: expected key=value, got nothing\n");
  EXPECT_EQ(messagesOf("y ~ s(x,,k=3)"),
            "1:9 error: expected key=value, got nothing\n");
  EXPECT_EQ(messagesOf("y ~ s(,k=3)"),
            "1:7 error: expected a column, got nothing\n");
  EXPECT_EQ(messagesOf("y ~ s(x, k=)"),
            "1:11 error: expected a value after 'k='\n");
  EXPECT_EQ(messagesOf("y ~ s(x, =3)"),
            "1:10 error: expected a key before '='\n");
  EXPECT_EQ(messagesOf("y ~ s(x, k==3)"),
            "1:12 error: expected a value, got '='\n");
  EXPECT_EQ(messagesOf("y ~ te()"),
            "1:8 error: expected a term, got nothing\n");
  EXPECT_EQ(messagesOf("y ~ te(s(a), s(b),)"),
            "1:19 error: expected a term or key=value, got nothing\n");
}

TEST(Formula, Unbalanced) {
  EXPECT_EQ(messagesOf("y ~ s(x"), "1:6 error: this '(' is never closed\n");
  EXPECT_EQ(messagesOf("y ~ te(s(x, s(y))"),
            "1:7 error: this '(' is never closed\n");
  EXPECT_EQ(messagesOf("y ~ s(x)) + l(z)"),
            "1:9 error: this ')' closes nothing\n");
  EXPECT_EQ(messagesOf("y ~ s('x)"), "1:7 error: this ' is never closed\n");
  EXPECT_EQ(messagesOf("y ~ s(x, k=\"3)"),
            "1:12 error: this \" is never closed\n");
  EXPECT_EQ(messagesOf("y ~ s('x\\')"), "1:7 error: this ' is never closed\n");
}

TEST(Formula, BareVariable) {
  EXPECT_EQ(messagesOf("y ~ l(x) + temp"),
            "1:12 error: expected a term such as s(x), got the bare variable "
            "temp\n"
            "1:12 note: write l(temp) for a linear effect, s(temp) for a "
            "smooth one\n");
  EXPECT_EQ(messagesOf("y ~ 'temp 1'"),
            "1:5 error: expected a term such as s(x), got the bare variable "
            "'temp 1'\n");
  EXPECT_EQ(messagesOf("y ~ te(s(x), z)"),
            "1:14 error: expected a term such as s(x), got the bare variable "
            "z\n"
            "1:14 note: write l(z) for a linear effect, s(z) for a smooth "
            "one\n");
}

TEST(Formula, TheOffsetStays) {
  for (const char *zero : {"0", "-1"})
    EXPECT_EQ(messagesOf(std::string("y ~ l(x) + ") + zero),
              std::string("1:12 error: expected a term, got '") + zero +
                  "'\n1:12 note: the offset is always part of the model\n");
  EXPECT_EQ(messagesOf("y ~ l(x) - 1"),
            "1:10 error: expected '+' or the end of the term, got '-'\n"
            "1:10 note: leave a term out to remove it; the offset is always "
            "part of the model\n");
}

TEST(Formula, OtherOperators) {
  EXPECT_EQ(messagesOf("y ~ s(a)*s(b)"),
            "1:9 error: expected '+' or the end of the term, got '*'\n"
            "1:9 note: write te(A, B) for the interaction of terms\n");
  EXPECT_EQ(messagesOf("y ~ a:b"),
            "1:6 error: expected '(' after 'a', got ':'\n");
  EXPECT_EQ(messagesOf("y ~ s(a) s(b)"),
            "1:10 error: expected '+' or the end of the term, got 's'\n");
  EXPECT_EQ(messagesOf("y ~ (s(a))"),
            "1:5 error: expected a term such as s(x), got '('\n");
  EXPECT_EQ(messagesOf("y ~ 2"),
            "1:5 error: expected a term such as s(x), got '2'\n");
}

TEST(Formula, UnknownTerm) {
  EXPECT_EQ(messagesOf("y ~ spline(x)"),
            "1:5 error: unknown term 'spline'\n"
            "1:5 note: did you mean 's' (spline)?\n");
  EXPECT_EQ(messagesOf("y ~ Fourrier(x)"),
            "1:5 error: unknown term 'Fourrier'\n"
            "1:5 note: did you mean 'f' (fourier)?\n");
  EXPECT_EQ(messagesOf("y ~ q(x)"),
            "1:5 error: unknown term 'q'\n"
            "1:5 note: the terms are l, f, s, c, p, w, n, rbf, t, lt, te, phys "
            "and pid\n");
  EXPECT_EQ(messagesOf("y ~ te(s(x), zz(y))"),
            "1:14 error: unknown term 'zz'\n"
            "1:14 note: the terms are l, f, s, c, p, w, n, rbf, t, lt, te, "
            "phys and pid\n");
}

TEST(Formula, Arguments) {
  EXPECT_EQ(messagesOf("y ~ s(k=3)"),
            "1:7 error: expected a column first, got 'k=3'\n");
  EXPECT_EQ(messagesOf("y ~ s(x, z)"),
            "1:10 error: expected key=value, got 'z'\n"
            "1:10 note: a term of several features is a product: te(s(a), "
            "s(b))\n");
  EXPECT_EQ(messagesOf("y ~ rbf(x, z)"),
            "1:12 error: expected key=value, got 'z'\n"
            "1:12 note: write others='z' for more inputs\n");
  EXPECT_EQ(messagesOf("y ~ s(x, 20)"),
            "1:10 error: expected key=value, got '20'\n"
            "1:10 note: the first parameter of s is 'k'\n");
  EXPECT_EQ(messagesOf("y ~ s(x, k=3, k=4)"), "1:15 error: 'k' is given twice\n"
                                              "1:10 note: first given here\n");
  EXPECT_EQ(messagesOf("y ~ s(x, 'k'=3)"),
            "1:10 error: expected a key, got ''k''\n");
}

TEST(Formula, BadNamesAndValues) {
  EXPECT_EQ(messagesOf("y ~ s(temp-1)"),
            "1:11 error: expected a column, got unexpected '-'\n"
            "1:7 note: quote a name that is no identifier: 'temp-1'\n");
  EXPECT_EQ(messagesOf("y ~ s(2m)"),
            "1:7 error: expected a column, got unexpected '2'\n"
            "1:7 note: quote a name that is no identifier: '2m'\n");
  EXPECT_EQ(messagesOf("y ~ l(log(x))"),
            "1:10 error: expected a column, got unexpected '('\n"
            "1:7 note: a formula computes nothing: put the values of log(x) "
            "into a column of the data, such as 'log_x', and write its "
            "name\n");
  EXPECT_EQ(messagesOf("y ~ s('')"),
            "1:7 error: expected a column, got an empty name\n");
  EXPECT_EQ(messagesOf("y ~ s('a\\n')"),
            "1:9 error: expected a quote or a backslash after '\\'\n");
  EXPECT_EQ(messagesOf("y ~ s('a\nb')"),
            "1:9 error: unexpected control character in a quoted text\n");
  EXPECT_EQ(messagesOf("y ~ s(a\x01)"),
            "1:8 error: expected a column, got unexpected '\x01'\n");
  EXPECT_EQ(messagesOf("y ~ s(a\xc2\x85)"),
            "1:8 error: unexpected control character in a name\n");
  EXPECT_EQ(messagesOf("y ~ s(x, k=3x)"),
            "1:12 error: expected a finite number, got '3x'\n");
  EXPECT_EQ(messagesOf("y ~ s(x, ap=1e999)"),
            "1:13 error: expected a finite number, got '1e999'\n");
  EXPECT_EQ(messagesOf("y ~ s(x, ap=+-1)"),
            "1:13 error: expected a finite number, got '+-1'\n");
  EXPECT_EQ(messagesOf("y ~ s(x, ap=nan)"),
            "1:13 error: expected a number from -300 to 300 for 'ap', got "
            "nan\n");
  EXPECT_EQ(messagesOf("y ~ s(x, ap=-inf)"),
            "1:13 error: expected a finite number, got '-inf'\n");
  EXPECT_EQ(messagesOf("y ~ f(x, period=(1,2,3))"),
            "1:17 error: expected (number, number), got '(1,2,3)'\n");
  EXPECT_EQ(messagesOf("y ~ f(x, period=(1,b))"),
            "1:17 error: expected (number, number), got '(1,b)'\n");
  EXPECT_EQ(messagesOf("y ~ f(x, period=(1,2)x)"),
            "1:17 error: expected (number, number), got '(1,2)x'\n");
  EXPECT_EQ(messagesOf("y ~ c(x, topo=a b)"),
            "1:16 error: expected a value, got unexpected ' '\n"
            "1:15 note: text that is no word stands in quotes\n");
}

TEST(Formula, TheTargetIsNoFeature) {
  const std::string note = " note: values of the target that are known when it "
                           "is predicted, such as those of the day before, "
                           "make a column of their own\n";
  EXPECT_EQ(messagesOf("y ~ l(x) + l(y)"),
            "1:12 error: expected features other than the target 'y', got it\n"
            "1:12" +
                note);
  EXPECT_EQ(messagesOf("y ~ te(l(x), s('y'))"),
            "1:5 error: expected features other than the target 'y', got it\n"
            "1:5" +
                note);
  EXPECT_EQ(messagesOf("y ~ t(x, others='z|y')"),
            "1:5 error: expected features other than the target 'y', got it\n"
            "1:5" +
                note);
  for (const char *slope : {"lt(x, slope=y)", "lt(x, slope='y')",
                            "te(l(x), lt(x, others='z', slope=y))"})
    EXPECT_EQ(messagesOf(std::string("y ~ ") + slope),
              "1:5 error: expected features other than the target 'y', got "
              "it\n1:5" +
                  note);
  EXPECT_EQ(messagesOf("y ~ l(Y) + lt(x, slope=Y)"), "");
  EXPECT_EQ(messagesOfYaml("formula: y ~ l(x)\ngroup: y\nweights: y\n"),
            "1:10 error: expected a column other than the target 'y' as "
            "group, got it\n"
            "1:10 error: expected a column other than the target 'y' as "
            "weights, got it\n");
  // Also if it is given on the command line.
  Sources sources;
  auto spec = sources.formula("y ~ l(x)");
  ASSERT_TRUE(spec);
  SpecOverrides overrides;
  overrides.group = "y";
  EXPECT_FALSE(applyOverrides(sources.manager, *spec, overrides));
  EXPECT_EQ(sources.messages, "1:1 error: expected a column other than the "
                              "target 'y' as group, got it\n");
}

TEST(Formula, EveryWrongTermIsTold) {
  EXPECT_EQ(messagesOf("y ~ s(x, k=0) + q(x) +\n l(x, z=1)"),
            "1:17 error: unknown term 'q'\n"
            "1:17 note: the terms are l, f, s, c, p, w, n, rbf, t, lt, te, "
            "phys and pid\n"
            "1:12 error: expected an integer from 1 to 100000 for 'k', got 0\n"
            "2:7 error: unknown parameter 'z' of l\n"
            "2:7 note: l takes scaled, ap and extrapolate\n");
}

TEST(Formula, ErrorsEndAfterTwenty) {
  std::string formula = "y ~ q(x)";
  for (int i = 0; i != 100; ++i)
    formula += " + q(x)";
  std::string messages = messagesOf(formula);
  EXPECT_NE(messages.find("error: too many errors\n"), std::string::npos);
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 41);
}

TEST(Formula, TensorNests) {
  Term term = termOf("te(s(a), te(s(b, k=4), f(c)), l(d), ap=-1)");
  ASSERT_EQ(term.factors.size(), 3u);
  EXPECT_EQ(term.feature, "");
  EXPECT_EQ(term.ap, -1);
  ASSERT_EQ(term.factors[1].factors.size(), 2u);
  EXPECT_EQ(term.factors[1].factors[0].getInt("k"), 4);
  EXPECT_EQ(term.factors[1].factors[0].text, "s(b, k=4)");
}

TEST(Formula, TensorKeysInAnyOrder) {
  EXPECT_TRUE(sameTerm(termOf("te(ap=-1, s(a), extrapolate=linear, s(b))"),
                       termOf("te(s(a), s(b), extrapolate='linear', ap=-1)")));
}

TEST(Formula, TensorNeedsTwo) {
  EXPECT_EQ(messagesOf("y ~ te(s(a))"),
            "1:5 error: expected two or more terms in te, got 1\n");
  EXPECT_EQ(messagesOf("y ~ te(ap=3)"),
            "1:5 error: expected two or more terms in te, got 0\n");
}

TEST(Formula, DepthIsBounded) {
  std::string deep = "y ~ ";
  for (int i = 0; i != 60; ++i)
    deep += "te(s(a), ";
  deep += "s(b)" + std::string(60, ')');
  EXPECT_EQ(messagesOf(deep), "");
  std::string deeper = "y ~ " + std::string(100000, '(');
  EXPECT_EQ(messagesOf(deeper),
            "1:69 error: parentheses nest deeper than 64\n");
}

TEST(Formula, DuplicatesAreAllowed) {
  EXPECT_EQ(messagesOf("y ~ s(x) + s(x) + l(z)"), "");
}

TEST(Formula, NotUtf8) {
  EXPECT_EQ(messagesOf("y ~ s(\xff)"),
            "1:7 error: expected UTF-8 text, got the byte 0xff\n");
  EXPECT_EQ(messagesOf(llvm::StringRef("y ~ s(x\0)", 9)),
            "1:8 error: expected UTF-8 text, got the byte 0x00\n");
}

TEST(Formula, Overrides) {
  Sources sources;
  SpecOverrides overrides;
  overrides.name = "load";
  overrides.group = "tod";
  overrides.date = "day";
  overrides.weights = "w";
  overrides.solver = "cg";
  overrides.device = "cpu";
  auto spec = sources.formula("y ~ l(x)", overrides);
  ASSERT_TRUE(spec) << sources.messages;
  EXPECT_EQ(spec->name, "load");
  EXPECT_EQ(spec->group, "tod");
  EXPECT_EQ(spec->date, "day");
  EXPECT_EQ(spec->weights, "w");
  EXPECT_EQ(spec->solver, Solver::CG);
  EXPECT_EQ(spec->device, "cpu");
}

TEST(Formula, BadOverrides) {
  Sources sources;
  SpecOverrides overrides;
  overrides.group = "";
  overrides.solver = "lu";
  overrides.device = "GPU";
  EXPECT_FALSE(sources.formula("y ~ l(x)", overrides));
  EXPECT_EQ(sources.messages,
            "error: expected a name of printable text for --group, got ''\n"
            "error: expected auto, direct or cg for --solver, got 'lu'\n"
            "error: expected auto, cpu or a device such as cuda:1 for "
            "--device, got 'GPU'\n");
  Sources other;
  SpecOverrides wanted;
  wanted.device = "cuda:1";
  auto spec = other.formula("y ~ l(x)", wanted);
  ASSERT_TRUE(spec) << other.messages;
  EXPECT_EQ(spec->device, "cuda:1");
}

} // namespace
