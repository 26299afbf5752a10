//===- ModelDescription.h - a model's constants as a tree -------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TAMC_CONVERSION_MODELDESCRIPTION_H
#define TAMC_CONVERSION_MODELDESCRIPTION_H

#include "tamc/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tamc {

struct Field;

/// The fields of a struct of abi.h, in its order; or one element of an array of
/// numbers or texts.
using Record = std::vector<Field>;

/// One field of a struct of abi.h.
struct Field {
  enum class Kind {
    I32,     ///< int32_t, `integer`
    I64,     ///< int64_t, `integer`
    F64,     ///< double, `real`
    Text,    ///< const char *, `text`
    Address, ///< the address of `text`: a function, or an array that is defined
             ///< before
    External, ///< the address of the tamrt_model `text` of another module
    Records,  ///< the address of an array of `records` of C type `type`, which
              ///< gets the name `text`
    Numbers,  ///< the address of an array of the C type `type`, which gets the
              ///< name `text` and contains `numbers`
    Rows,     ///< as Numbers, but `type` is a struct and a row of `numbers` are
              ///< its members
    Null,     ///< a null pointer
  };
  Kind kind;
  int64_t integer = 0;
  double real = 0;
  std::string text = {}, type = {};
  std::vector<Record> records = {};
  mlir::DenseElementsAttr numbers = {};
};

/// Whether a step launches generated kernels, which are code of the CPU.
/// O(launches).
bool launchesGenerated(mlir::func::FuncOp step);

/// Notes at `function`, the translation of a planned step, what the description
/// of a model has of the step. `isCpuCode`: its launches are of generated
/// kernels, too.
void noteStep(mlir::func::FuncOp step, mlir::FunctionOpInterface function,
              bool isCpuCode);

/// The constants of other modules that a model refers to: the model that is
/// fitted in windows, if it has windows, and the one with the steps for
/// devices, which it does not have if this is empty.
struct OtherModels {
  llvm::StringRef windows = tam::kWindowModelName, devices;
};

/// The `tamrt_model` (abi.h) of a module with `tam.model`, variants and
/// translated steps, which are the functions with `tam.step`; its code is for
/// `target`. Emits an error if something is missing.
mlir::FailureOr<Record> describeModel(mlir::ModuleOp module,
                                      const Target &target,
                                      llvm::StringRef version,
                                      const OtherModels &others = {});

/// Removes what describeModel reads: `tam.model`, the variants, and what is
/// noted at the steps.
void removeNotes(mlir::ModuleOp module);

} // namespace tamc

#endif // TAMC_CONVERSION_MODELDESCRIPTION_H
