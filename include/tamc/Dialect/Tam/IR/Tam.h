//===- Tam.h - the tam dialect ----------------------------------*- C++ -*-===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The solver graph: dialect, encodings, slots and ops. See TamDialect.td.
///
//===----------------------------------------------------------------------===//

#ifndef TAMC_DIALECT_TAM_IR_TAM_H
#define TAMC_DIALECT_TAM_IR_TAM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/bit.h"

namespace tamc::tam {

/// Checks that the segments of operands with these indices hold one operand.
llvm::LogicalResult verifyOneOperandIn(mlir::Operation *op,
                                       llvm::ArrayRef<unsigned> segments);

/// Trait of ops with operandSegmentSizes (TamOps.td, Tam_OneOperandIn).
template <unsigned... kSegments> struct OneOperandIn {
  template <typename ConcreteType>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteType, Impl> {
  public:
    static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
      return verifyOneOperandIn(op, {kSegments...});
    }
  };
};

/// A double as a parameter of an attribute. Equal are those with the same bits.
class Real {
public:
  Real(double value) : value(value) {}
  operator double() const { return value; }

  friend bool operator==(Real a, Real b) { return a.bits() == b.bits(); }
  friend llvm::hash_code hash_value(Real a) {
    return llvm::hash_value(a.bits());
  }

private:
  uint64_t bits() const { return llvm::bit_cast<uint64_t>(value); }

  double value;
};

} // namespace tamc::tam

#include "tamc/Dialect/Tam/IR/TamEnums.h.inc"

// These use the enums.
#include "tamc/Dialect/Tam/IR/TamAttrInterfaces.h.inc"
#include "tamc/Dialect/Tam/IR/TamDialect.h.inc"
#include "tamc/Dialect/Tam/IR/TamOpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tamc/Dialect/Tam/IR/TamAttributes.h.inc"

#define GET_OP_CLASSES
#include "tamc/Dialect/Tam/IR/TamOps.h.inc"

namespace tamc::tam {

/// Parts of a penalty's entries, as tam.penalty and the kernel penalty_values
/// have them; PenaltyOp::getPartList reads them.
struct PenaltyParts {
  llvm::SmallVector<int32_t> code;
  llvm::SmallVector<double> values;

  /// Adds a part. The sum that it reads, if it reads one, is complete.
  void add(const PenaltyOp::Part &part) {
    const auto count = static_cast<int32_t>(part.factors.size());
    if (part.source < 0) {
      code.append({part.entry, count});
      values.push_back(part.value);
    } else {
      code.append({part.entry, ~count, part.source});
    }
    llvm::append_range(code, part.factors);
  }
};

/// Name of the argument and result attribute that holds a SlotAttr.
inline constexpr llvm::StringLiteral kSlotAttrName = "tam.slot";
/// Name of the module attribute that describes the model, a #tam.model.
inline constexpr llvm::StringLiteral kModelAttrName = "tam.model";
/// Symbol of the module, in a model's module, whose model is fitted in sliding
/// windows (#tam.adapt), and that of the model's constant.
inline constexpr llvm::StringLiteral kWindowsName = "windows";
inline constexpr llvm::StringLiteral kWindowModelName = "tam_window_model";
/// Likewise for the model with the steps for devices whose memory the CPU
/// cannot address (abi.h, tamrt_model), and for that one's windows.
inline constexpr llvm::StringLiteral kDevicesName = "devices";
inline constexpr llvm::StringLiteral kDeviceModelName = "tam_device_model";
inline constexpr llvm::StringLiteral kWindowDevicesName = "window_devices";
inline constexpr llvm::StringLiteral kWindowDeviceModelName =
    "tam_window_device_model";
/// Name of the module attribute for the plain variant, a #tam.variant.
inline constexpr llvm::StringLiteral kPlainAttrName = "tam.plain";
/// Name of the module attribute that says what it is compiled for, a
/// #tam.target; none: the CPU that tamc runs on, with the instructions that all
/// CPUs of its kind have.
inline constexpr llvm::StringLiteral kTargetAttrName = "tam.target";
/// Name of the function attribute that says which step of the runtime's
/// protocol (abi.h, tamrt_step_kind) a function is; a #tam.step.
inline constexpr llvm::StringLiteral kStepAttrName = "tam.step";
/// Name of the unit attribute of a function that is a fit by levels, and of its
/// steps, which replace the steps of the same kinds (abi.h, tamrt_compression);
/// and of the module attribute for that variant, a #tam.variant.
inline constexpr llvm::StringLiteral kByLevelsAttrName = "tam.by_levels";
/// Name of the unit attribute of the functions of conjugate gradients that
/// factor only small blocks, and of their steps, which replace the steps of the
/// same kinds if memory is short (abi.h, tamrt_model); and of the module
/// attribute for that variant, a #tam.variant.
inline constexpr llvm::StringLiteral kSmallBlocksAttrName = "tam.small_blocks";

/// Name of the unit attribute of a sum over rows that is left out of the shared
/// loop and has a kernel of its own (tam-bound-row-loops).
inline constexpr llvm::StringLiteral kApartAttrName = "tam.apart";

/// The name of a step in descriptions of memory: its function's; "window_"
/// comes before it in a module kWindowsName.
std::string getStepTitle(mlir::FunctionOpInterface step);

/// The attribute `tam.model` of a module, null if it has none.
ModelAttr getModel(mlir::ModuleOp module);

/// The attribute of a module for the variant `name`; an empty one if it has
/// none.
VariantAttr getVariant(mlir::ModuleOp module, llvm::StringRef name);

/// Removes `tam.model` and the attributes for variants.
void removeModel(mlir::ModuleOp module);

/// The slot of an argument or a result, null if it has none.
SlotAttr getArgumentSlot(mlir::FunctionOpInterface function, unsigned index);
SlotAttr getResultSlot(mlir::FunctionOpInterface function, unsigned index);

/// The kind of the step of its own that computes a fit's results of a slot;
/// none for results that all fits compute.
std::optional<StepKind> getExtraStep(SlotKind slot);

/// Checks that every argument and every result has a slot.
llvm::LogicalResult verifySlots(mlir::FunctionOpInterface function);

/// Checks that no symbol of the module has the name `name`, which a function
/// that is made from `function` is to get. O(symbols).
llvm::LogicalResult verifyFreeName(mlir::FunctionOpInterface function,
                                   llvm::StringRef name);

/// Sets the slots of all arguments, or all results, and no other attributes. A
/// slot may be null: none.
/// Setting one slot at a time would create, and keep in the context, a list of
/// all attributes each time.
void setArgumentSlots(mlir::FunctionOpInterface function,
                      llvm::ArrayRef<SlotAttr> slots);
void setResultSlots(mlir::FunctionOpInterface function,
                    llvm::ArrayRef<SlotAttr> slots);

/// The first entry argument with a slot of this kind, null if there is none.
/// The function verifies: scalar slots are of index type, others are not.
mlir::BlockArgument findSlotArgument(mlir::FunctionOpInterface function,
                                     SlotKind kind);

/// The encoding of a tensor type, null if it has none or one of another
/// dialect.
EncodingInterface getEncoding(mlir::Type type);

/// The name of the kernel for the sums of two different matrices of these
/// encodings, in this order; there need not be one (Target::hasKernel).
std::string getGramKernel(EncodingInterface a, EncodingInterface b);

/// The number of columns of a matrix.
int64_t columnsOf(mlir::Value matrix);

/// Numbers that the sums of pairs of matrices take together (tamrt/steps.h,
/// pairSize). `first` and `second`, of one size, are indices of `columns`,
/// which has each matrix's.
int64_t sizeOfPairs(llvm::ArrayRef<int32_t> first,
                    llvm::ArrayRef<int32_t> second,
                    llvm::ArrayRef<int64_t> columns);

/// The most numbers in a row of an encoded design matrix: its columns if it is
/// dense, the width of a band, 1 if it is one-hot (more if a value unseen in
/// training may be the mean of several levels).
int64_t getNumbersPerRow(mlir::Value design);

/// Whether a design matrix has an encoding that stores all columns.
bool storesAllColumns(mlir::Value design);

/// The matrix of which `design` is a copy in another encoding (tam.convert), or
/// `design` itself.
mlir::Value getUnconverted(mlir::Value design);

/// The banded and one-hot matrices whose row-wise Kronecker product `design`
/// is, the last fastest: `design` itself, or the operands of products and
/// conversions to sparse. Empty if one of them has another encoding.
llvm::SmallVector<mlir::Value> getFactors(mlir::Value design);

/// The width of the band of a matrix (DesignEncodingInterface::getBand), 1 of a
/// one-hot one; 0 if it has none.
int64_t getBandWidth(mlir::Value design);

/// Whether there are factors (getFactors) and all are one-hot: a row of their
/// product has a single 1.
bool areLevels(llvm::ArrayRef<mlir::Value> factors);

/// Types of the arguments of the function that computes `rows` (TamSums.td).
llvm::SmallVector<mlir::Type> getLoopArguments(RowsOp rows);

/// The term of the formula ("s(t1, k=20)") that a location refers to; empty if
/// there is none.
llvm::StringRef getTermText(mlir::Location loc);

} // namespace tamc::tam

#endif // TAMC_DIALECT_TAM_IR_TAM_H
