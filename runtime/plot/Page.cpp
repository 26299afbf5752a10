//===- plot/Page.cpp - pictures on a page ---------------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plot/Draw.h"
#include "plot/PageText.h"
#include "plot/Style.h"

#include <fmt/format.h>

namespace tamrt::plot {

/// Two themes: the system's, which a page may change.
std::string figureStyleText() {
  return fmt::format(":root{{{0}}}\n@media(prefers-color-scheme:dark){{"
                     ":root:not([data-theme=light]){{{1}}}}}\n"
                     ":root[data-theme=dark]{{{1}}}\n{2}",
                     lightColours, darkColours, figureStyle);
}

void PageWriter::add(const View &view) {
  std::string text;
  for (const Section &section : view.sections) {
    text += "<section><h2>" + escapeXml(section.title);
    if (!section.facts.empty())
      text += "<small>" + escapeXml(section.facts) + "</small>";
    text += "</h2>\n<div class=\"grid\">\n";
    for (const Figure &figure : section.figures)
      text += toSvg(figure);
    text += "</div></section>\n";
  }
  options += "<option>" + escapeXml(view.name) + "</option>\n";
  if (count++ == 0)
    first = std::move(text);
  else
    templates += fmt::format("<template id=\"view{}\">\n{}</template>\n",
                             count - 1, text);
}

std::string PageWriter::finish() const {
  std::string choice;
  if (count > 1)
    choice = "<label>" + escapeXml(page.choice) + " <select id=\"chosen\">\n" +
             options +
             "</select></label>\n"
             "<button id=\"previous\" type=\"button\" "
             "aria-label=\"previous\">&#8592;</button>\n"
             "<button id=\"next\" type=\"button\" "
             "aria-label=\"next\">&#8594;</button>\n";
  std::string notes;
  for (const std::string &note : page.notes)
    notes += "<p>" + escapeXml(note) + "</p>\n";
  std::string text;
  text.reserve(first.size() + templates.size() + (size_t(1) << 16));
  std::string_view rest = pageHtml;
  for (size_t at; (at = rest.find('@')) != rest.npos;) {
    text += rest.substr(0, at);
    const size_t end = rest.find('@', at + 1);
    const std::string_view mark = rest.substr(at + 1, end - at - 1);
    if (mark == "TITLE")
      text += escapeXml(page.title);
    else if (mark == "SUBTITLE")
      text += escapeXml(page.subtitle);
    else if (mark == "STYLE")
      text += figureStyleText() + std::string(pageStyle);
    else if (mark == "CHOICE")
      text += choice;
    else if (mark == "FIRST")
      text += first;
    else if (mark == "NOTES")
      text += notes;
    else if (mark == "TEMPLATES")
      text += templates;
    else if (mark == "SCRIPT")
      text += pageScript;
    rest.remove_prefix(end + 1);
  }
  return text.append(rest);
}

} // namespace tamrt::plot
