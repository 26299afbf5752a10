//===- Inference.h - inverses, traces and forms, the plain way --*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TAMC_TEST_REFERENCE_INFERENCE_H
#define TAMC_TEST_REFERENCE_INFERENCE_H

#include "Datum.h"

#include "llvm/ADT/ArrayRef.h"

namespace tamc::reference {

/// The condition number, in the 1-norm, of A scaled to a unit diagonal, from A,
/// whose lower triangle is read, and its inverse.
double conditionOf(const Matrix &a, const Matrix &inverse);

/// The lower triangle of a square matrix, row by row.
Vector triangleOf(const Matrix &a);

/// The symmetric matrix of n rows with such a triangle.
Matrix symmetricOf(const Vector &triangle, size_t n);

/// The traces of the diagonal blocks of X A, of `columns` rows each.
Vector tracesOf(const Matrix &x, const Matrix &a,
                llvm::ArrayRef<int64_t> columns);

/// x' V x over the numbers first..end-1 of x.
double quadraticForm(const Vector &x, const Matrix &v, size_t first,
                     size_t end);

/// The means of the design's columns over T = `rows` rows, from the normal
/// matrix A: A[i][0] / T; 0 for i = 0.
Vector columnMeans(const Matrix &a, int64_t rows);

/// The effective degrees of freedom of effects of `columns` columns, from the
/// triangle of the inverse X of A: A less T P + 1e-6 T I is the Gram matrix, so
/// each diagonal element of X Gram is 1 less one of X (T P + 1e-6 T I). T is
/// `rows`, P has the penalties along its diagonal.
Vector effectiveDf(const Vector &inverse, llvm::ArrayRef<Matrix> penalties,
                   int64_t rows, llvm::ArrayRef<int64_t> columns);

/// For each row of the designs the form of the whole row, and those of its
/// parts, with the symmetric matrix of this triangle and its diagonal blocks.
Matrix quadraticForms(llvm::ArrayRef<Matrix> designs, const Vector &triangle);

} // namespace tamc::reference

#endif // TAMC_TEST_REFERENCE_INFERENCE_H
