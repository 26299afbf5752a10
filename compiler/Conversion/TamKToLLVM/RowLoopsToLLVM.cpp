//===- RowLoopsToLLVM.cpp - row loops in the LLVM dialect -----------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers of row loops have rank 1 and are contiguous, so an address says all
// about them. Upstream's conversion would give each a descriptor of five
// numbers, which LLVM has to take apart again: with the buffers' patterns here,
// there are none. Arithmetic, vectors and control flow have upstream's
// patterns.
//
//===----------------------------------------------------------------------===//

#include "RowLoopsToLLVM.h"

#include "KernelCalls.h"

#include "tamc/Dialect/TamK/IR/LoopBuffers.h"
#include "tamc/Dialect/TamK/IR/TamK.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace tamc;

/// Patterns of this file come before upstream's.
static constexpr unsigned kBenefit = 2;

namespace {

/// A pattern with what addresses are computed by.
template <typename Op> class Pattern : public OpConversionPattern<Op> {
public:
  Pattern(const LLVMTypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<Op>(converter, context, kBenefit),
        pointer(LLVM::LLVMPointerType::get(context)) {}

protected:
  Type converted(Type type) const {
    return this->getTypeConverter()->convertType(type);
  }
  static int64_t bytesOf(Type type) { return type.getIntOrFloatBitWidth() / 8; }
  Value advance(OpBuilder &b, Location loc, Value base, Type element,
                Value count) const {
    return LLVM::GEPOp::create(b, loc, pointer, element, base,
                               ArrayRef<LLVM::GEPArg>{count});
  }
  Value advance(OpBuilder &b, Location loc, Value base, Type element,
                int64_t count) const {
    if (count == 0)
      return base;
    Value value = LLVM::ConstantOp::create(b, loc, b.getI64Type(), count);
    return advance(b, loc, base, element, value);
  }
  /// The address of element `index` of a buffer at `base`. What varies is added
  /// first, so that a known number ends up in the instruction.
  Value addressOf(ConversionPatternRewriter &b, Location loc, Value base,
                  MemRefType type, Value index) const {
    Type element = type.getElementType();
    IntegerAttr constant;
    if (matchPattern(index, m_Constant(&constant)))
      return advance(b, loc, base, element, constant.getInt());
    auto sum = index.getDefiningOp<arith::AddIOp>();
    if (sum && matchPattern(sum.getRhs(), m_Constant(&constant))) {
      Value first = addressOf(b, loc, base, type, sum.getLhs());
      return advance(b, loc, first, element, constant.getInt());
    }
    return advance(b, loc, base, element, b.getRemappedValue(index));
  }

  Type pointer;
};

/// The run's context, first argument of each function.
Value contextOf(Operation *op) {
  return op->getParentOfType<LLVM::LLVMFuncOp>().getArgument(0);
}

class FunctionPattern : public Pattern<func::FuncOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.isExternal() || op.getNumResults() > 0)
      return op.emitOpError("expected a body and no results of a row loop");
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    signature.addInputs(pointer);
    for (auto [index, type] : llvm::enumerate(op.getArgumentTypes())) {
      Type argument = converted(type);
      if (!argument)
        return op.emitOpError("expected buffers and scalars as arguments of a "
                              "row loop, got ")
               << type;
      signature.addInputs(index, argument);
    }
    auto function = LLVM::LLVMFuncOp::create(
        rewriter, op.getLoc(), op.getSymName(),
        LLVM::LLVMFunctionType::get(
            LLVM::LLVMVoidType::get(rewriter.getContext()),
            signature.getConvertedTypes()),
        LLVM::Linkage::Internal);
    function.setNoInline(op.getNoInline());
    for (StringRef name : {tamk::kKernelAttrName, tamk::kBaselineAttrName})
      if (Attribute attribute = op->getAttr(name))
        function->setAttr(name, attribute);
    for (unsigned i = 0; i < op.getNumArguments(); ++i)
      if (Attribute noAlias = op.getArgAttr(i, tamk::kNoAliasAttrName))
        function.setArgAttr(i + 1, tamk::kNoAliasAttrName, noAlias);
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    rewriter.applySignatureConversion(&function.getBody().front(), signature,
                                      getTypeConverter());
    rewriter.eraseOp(op);
    return success();
  }
};

class ReturnPattern : public Pattern<func::ReturnOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(func::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

class CallPattern : public Pattern<func::CallOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(func::CallOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> arguments{contextOf(op)};
    llvm::append_range(arguments, adaptor.getOperands());
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, TypeRange(), op.getCallee(),
                                              arguments);
    return success();
  }
};

class LaunchPattern : public Pattern<tamk::LaunchOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(tamk::LaunchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const tamk::Kernel *kernel = tamk::lookupKernel(op.getKernel());
    size_t parameters = kernel ? kernel->parameters.size() : 0;
    if (op.getGenerated() || op->getNumOperands() != parameters ||
        llvm::any_of(kernel->inputs(), [](const tamk::KernelParameter &input) {
          return input.kind == tamk::ParameterKind::InList;
        }))
      return op.emitOpError("expected a kernel of the runtime, without lists, "
                            "and all its operands in a row loop");
    auto steps = op->getParentOfType<ModuleOp>()->getParentOfType<ModuleOp>();
    SmallVector<Value> arguments{contextOf(op)};
    llvm::append_range(arguments, adaptor.getOperands());
    LLVM::CallOp::create(rewriter, op.getLoc(), declareKernel(steps, *kernel),
                         arguments);
    rewriter.eraseOp(op);
    return success();
  }
};

class LaunderPattern : public Pattern<tamk::LaunderOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(tamk::LaunderOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::LaunderInvariantGroupOp>(
        op, pointer, adaptor.getBuffer());
    return success();
  }
};

class AllocaPattern : public Pattern<memref::AllocaOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(memref::AllocaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getType();
    if (!type.hasStaticShape())
      return op.emitOpError("expected a known size in a row loop");
    Value size = LLVM::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getI64Type(), type.getNumElements());
    rewriter.replaceOpWithNewOp<LLVM::AllocaOp>(
        op, pointer, type.getElementType(), size,
        op.getAlignment().value_or(bytesOf(type.getElementType())));
    return success();
  }
};

class ViewPattern : public Pattern<memref::ViewOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(memref::ViewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       advance(rewriter, op.getLoc(), adaptor.getSource(),
                               rewriter.getI8Type(), adaptor.getByteShift()));
    return success();
  }
};

class SubViewPattern : public Pattern<memref::SubViewOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(memref::SubViewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getSourceType();
    Location loc = op.getLoc();
    OpFoldResult offset = op.getMixedOffsets().front();
    Value address =
        isa<Value>(offset)
            ? addressOf(rewriter, loc, adaptor.getSource(), type,
                        cast<Value>(offset))
            : advance(rewriter, loc, adaptor.getSource(), type.getElementType(),
                      *getConstantIntValue(offset));
    rewriter.replaceOp(op, address);
    return success();
  }
};

class ReinterpretPattern : public Pattern<memref::ReinterpretCastOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(memref::ReinterpretCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<int64_t> offset =
        getConstantIntValue(op.getMixedOffsets().front());
    if (!offset)
      return op.emitOpError("expected a known offset in a row loop");
    rewriter.replaceOp(op, advance(rewriter, op.getLoc(), adaptor.getSource(),
                                   op.getType().getElementType(), *offset));
    return success();
  }
};

class CastPattern : public Pattern<memref::CastOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(memref::CastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource());
    return success();
  }
};

class GlobalPattern : public Pattern<memref::GlobalOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(memref::GlobalOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto value =
        dyn_cast_if_present<DenseElementsAttr>(op.getInitialValueAttr());
    if (!value || !op.getConstant())
      return op.emitOpError("expected a constant with its elements");
    rewriter.replaceOpWithNewOp<LLVM::GlobalOp>(
        op,
        LLVM::LLVMArrayType::get(value.getElementType(),
                                 value.getNumElements()),
        /*isConstant=*/true, LLVM::Linkage::Internal, op.getSymName(), value,
        op.getAlignment().value_or(0));
    return success();
  }
};

class GetGlobalPattern : public Pattern<memref::GetGlobalOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(memref::GetGlobalOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, pointer, op.getName());
    return success();
  }
};

/// A pattern of ops that access an element, or a vector from it on.
template <typename Op> class AccessPattern : public Pattern<Op> {
public:
  using Pattern<Op>::Pattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const final {
    MemRefType type = op.getMemRefType();
    Value buffer;
    if constexpr (requires { adaptor.getBase(); })
      buffer = adaptor.getBase();
    else
      buffer = adaptor.getMemref();
    Value address = this->addressOf(rewriter, op.getLoc(), buffer, type,
                                    op.getIndices().front());
    int64_t alignment = this->bytesOf(type.getElementType());
    if constexpr (requires { op.getAlignment(); })
      alignment = op.getAlignment().value_or(alignment);
    access(op, adaptor, address, alignment, rewriter);
    return success();
  }

protected:
  virtual void access(Op op, typename Op::Adaptor adaptor, Value address,
                      int64_t alignment,
                      ConversionPatternRewriter &rewriter) const = 0;
};

template <typename Op> class LoadPattern : public AccessPattern<Op> {
  using AccessPattern<Op>::AccessPattern;
  void access(Op op, typename Op::Adaptor, Value address, int64_t alignment,
              ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, op.getResult().getType(),
                                              address, alignment);
  }
};

template <typename Op> class StorePattern : public AccessPattern<Op> {
  using AccessPattern<Op>::AccessPattern;
  void access(Op op, typename Op::Adaptor adaptor, Value address,
              int64_t alignment,
              ConversionPatternRewriter &rewriter) const override {
    // The value comes first.
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(
        op, adaptor.getOperands().front(), address, alignment);
  }
};

class PrefetchPattern : public AccessPattern<memref::PrefetchOp> {
  using AccessPattern::AccessPattern;
  void access(memref::PrefetchOp op, OpAdaptor, Value address, int64_t,
              ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::Prefetch>(op, address, op.getIsWrite(),
                                                op.getLocalityHint(),
                                                op.getIsDataCache());
  }
};

/// An scf.if with tamk.rarity: upstream's conversion loses attributes.
class RareIfPattern : public OpRewritePattern<scf::IfOp> {
public:
  explicit RareIfPattern(MLIRContext *context)
      : OpRewritePattern(context, kBenefit) {}

  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    auto rarity = op->getAttrOfType<IntegerAttr>(tamk::kRarityAttrName);
    if (!rarity || op.getElseRegion().empty())
      return failure();
    Location loc = op.getLoc();
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    SmallVector<Value> results;
    for (Type type : op.getResultTypes())
      results.push_back(after->addArgument(type, loc));
    auto inlineBranch = [&](Region &region) {
      Block *first = &region.front();
      Operation *yield = region.back().getTerminator();
      rewriter.setInsertionPoint(yield);
      rewriter.replaceOpWithNewOp<cf::BranchOp>(yield, after,
                                                yield->getOperands());
      rewriter.inlineRegionBefore(region, after);
      return first;
    };
    Block *then = inlineBranch(op.getThenRegion());
    Block *otherwise = inlineBranch(op.getElseRegion());
    rewriter.setInsertionPointToEnd(before);
    auto cases = static_cast<int32_t>(rarity.getInt());
    cf::CondBranchOp::create(rewriter, loc, op.getCondition(), then,
                             ValueRange(), otherwise, ValueRange(),
                             ArrayRef<int32_t>{1, cases});
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

/// Converts the functions in place.
static LogicalResult convert(ModuleOp loops) {
  MLIRContext *context = loops.getContext();
  LLVMTypeConverter converter(context);
  Type pointer = LLVM::LLVMPointerType::get(context);
  converter.addConversion([pointer](MemRefType) { return pointer; });
  RewritePatternSet patterns(context);
  patterns.add<FunctionPattern, ReturnPattern, CallPattern, LaunchPattern,
               LaunderPattern, AllocaPattern, ViewPattern, SubViewPattern,
               ReinterpretPattern, CastPattern, GlobalPattern, GetGlobalPattern,
               LoadPattern<memref::LoadOp>, LoadPattern<vector::LoadOp>,
               StorePattern<memref::StoreOp>, StorePattern<vector::StoreOp>,
               PrefetchPattern>(converter, context);
  patterns.add<RareIfPattern>(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(loops, target, std::move(patterns));
}

LogicalResult tamc::convertRowLoops(ModuleOp module) {
  ModuleOp loops = tamk::findRowLoops(module);
  if (!loops)
    return success();
  if (failed(tamk::verifyLoopBuffers(loops)) || failed(convert(loops)))
    return failure();
  Builder builder(module.getContext());
  for (Operation &op : llvm::make_early_inc_range(*loops.getBody())) {
    if (Operation *other = module.lookupSymbol(SymbolTable::getSymbolName(&op)))
      return other->emitOpError("expected no symbol '")
             << SymbolTable::getSymbolName(&op).getValue() << "'";
    op.moveBefore(loops);
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function || !function->removeAttr(tamk::kKernelAttrName))
      continue;
    if (!function->removeAttr(tamk::kBaselineAttrName))
      function.setPassthroughAttr(
          builder.getStrArrayAttr({tamk::kVersionsAttrName}));
  }
  loops.erase();
  return success();
}
