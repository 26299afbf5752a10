//===- io/FormatLibrary.cpp - the compiled part of fmt --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs with libtamrt must not need a shared library of fmt, and Debian has
// no static one. With FMT_HEADER_ONLY each file would compile fmt's functions
// again, which took more than half of the time to compile the runtime.
//
//===----------------------------------------------------------------------===//

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// Templates that fmt/format.h declares and the library must instantiate.
template FMT_API dragonbox::decimal_fp<float>
dragonbox::to_decimal(float) noexcept;
template FMT_API dragonbox::decimal_fp<double>
dragonbox::to_decimal(double) noexcept;
template FMT_API locale_ref::locale_ref(const std::locale &);
template FMT_API std::locale locale_ref::get<std::locale>() const;
template FMT_API thousands_sep_result<char> thousands_sep_impl(locale_ref);
template FMT_API char decimal_point_impl(locale_ref);
template FMT_API void buffer<char>::append(const char *, const char *);
template FMT_API void vformat_to(buffer<char> &, string_view,
                                 basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                                 locale_ref);

} // namespace detail
FMT_END_NAMESPACE
