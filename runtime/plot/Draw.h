//===- plot/Draw.h - pictures as SVG and as characters ----------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_PLOT_DRAW_H
#define TAMRT_PLOT_DRAW_H

#include "plot/Figure.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tamrt::plot {

/// Size of a picture in pixels.
inline constexpr double kWidth = 420, kHeight = 280;

/// The picture as an element of a page, whose style sheet has the classes
/// (page/figure.css).
std::string toSvg(const Figure &figure);

/// The picture as a file.
std::string toSvgFile(const Figure &figure);

/// The picture in `columns` x `rows` characters (at least 24 x 4) and a few
/// lines for titles and axes. Points are drawn as Braille, heat maps as shades.
/// Control characters are written as "\x1b".
std::string toText(const Figure &figure, size_t columns, size_t rows);

/// Text in XML: characters that cannot be in XML and bytes that are not UTF-8
/// become U+FFFD.
std::string escapeXml(std::string_view text);

/// A section of a page.
struct Section {
  std::string title, facts;
  std::vector<Figure> figures;
};

/// What a page shows of one choice, such as a group.
struct View {
  std::string name;
  std::vector<Section> sections;
};

/// A page.
struct Page {
  std::string title, subtitle;
  /// What is chosen from the views, such as "group".
  std::string choice;
  /// Sentences below the pictures.
  std::vector<std::string> notes;
};

/// A page that is written view by view, so that only one is in memory as
/// figures.
class PageWriter {
public:
  explicit PageWriter(Page page) : page(std::move(page)) {}
  void add(const View &view);
  /// The page, an XML document; it loads nothing.
  std::string finish() const;

private:
  Page page;
  std::string options, templates, first;
  size_t count = 0;
};

} // namespace tamrt::plot

#endif // TAMRT_PLOT_DRAW_H
