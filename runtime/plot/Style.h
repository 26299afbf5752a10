//===- plot/Style.h - the style of pictures ---------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMRT_PLOT_STYLE_H
#define TAMRT_PLOT_STYLE_H

#include <string>

namespace tamrt::plot {

/// The style sheet of pictures, with light and dark colours.
std::string figureStyleText();

} // namespace tamrt::plot

#endif // TAMRT_PLOT_STYLE_H
