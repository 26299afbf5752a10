//===- PrivateUse.cpp - a device of LibTorch that is not the CPU ----------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers the device `privateuseone:0` with LibTorch. Its operations are the
/// CPU's, on views of its memory, which only they and copies can access: the
/// addresses of its tensors have a bit above those of user space, so that code
/// that takes a tensor for one of the CPU crashes. Operations refuse tensors of
/// both devices, except for copies and numbers, as those of GPUs do.
///
//===----------------------------------------------------------------------===//

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>
#if TAMRT_TORCH_MAJOR >= 2
#include <c10/core/CachingDeviceAllocator.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace {

using at::Tensor;

constexpr uintptr_t kThere = uintptr_t(1) << 60;
constexpr size_t kAlignment = 64;
constexpr size_t kMemory = size_t(1) << 32;

#if TAMRT_TORCH_MAJOR >= 2
using AllocatorBase = c10::DeviceAllocator;
#else
using AllocatorBase = c10::Allocator;
#endif

class Allocator final : public AllocatorBase {
public:
#if TAMRT_TORCH_MAJOR >= 2
  c10::DataPtr allocate(size_t bytes) override { return take(bytes); }
  void copy_data(void *to, const void *from, size_t bytes) const override {
    std::memcpy(here(to), here(from), bytes);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {}
  void recordStream(const c10::DataPtr &, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats
  getDeviceStats(c10::DeviceIndex) override {
    return {};
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {}
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex) override {
    return {kMemory, kMemory};
  }
#else
  c10::DataPtr allocate(size_t bytes) const override { return take(bytes); }
#endif

  static void *here(const void *address) {
    return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(address) &
                                    ~kThere);
  }

private:
  static c10::DataPtr take(size_t bytes) {
    const c10::Device device(c10::DeviceType::PrivateUse1, 0);
    if (bytes == 0)
      return {nullptr, device};
    void *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) /
                                                      kAlignment * kAlignment);
    if (!memory)
      throw std::bad_alloc();
    return {
        reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(memory) | kThere),
        memory, std::free, device};
  }
};

Allocator allocator;
REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, &allocator)

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

bool isThere(const Tensor &tensor) {
  return tensor.defined() &&
         tensor.device().type() == c10::DeviceType::PrivateUse1;
}

/// The numbers of a tensor as a tensor of the CPU.
Tensor here(const Tensor &tensor) {
  if (!isThere(tensor))
    return tensor;
  const at::TensorOptions options = tensor.options().device(at::kCPU);
  // An operation may give a tensor without numbers another size.
  return tensor.numel() == 0
             ? at::empty_strided(tensor.sizes(), tensor.strides(), options)
             : at::from_blob(Allocator::here(tensor.data_ptr()), tensor.sizes(),
                             tensor.strides(), options);
}

Tensor empty(at::IntArrayRef sizes, c10::optional<at::ScalarType> type,
             c10::optional<at::Layout>, c10::optional<at::Device>,
             c10::optional<bool>, c10::optional<at::MemoryFormat> format) {
  return Tensor(at::detail::empty_generic(sizes, &allocator, kKeys,
                                          type.value_or(at::kFloat), format));
}

Tensor emptyStrided(at::IntArrayRef sizes, at::IntArrayRef strides,
                    c10::optional<at::ScalarType> type,
                    c10::optional<at::Layout>, c10::optional<at::Device>,
                    c10::optional<bool>) {
  return Tensor(at::detail::empty_strided_generic(
      sizes, strides, &allocator, kKeys, type.value_or(at::kFloat)));
}

Tensor copyFrom(const Tensor &from, const Tensor &to, bool) {
  here(to).copy_(here(from));
  return to;
}

Tensor copied(const Tensor &tensor) {
  const Tensor there = emptyStrided(tensor.sizes(), tensor.strides(),
                                    tensor.scalar_type(), {}, {}, {});
  copyFrom(tensor, there, false);
  return there;
}

/// Gives `tensor` the sizes and numbers of one of the CPU.
void replace(const Tensor &tensor, const Tensor &numbers) {
  const Tensor fresh = copied(numbers.contiguous());
  tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(fresh.storage());
  tensor.unsafeGetTensorImpl()->set_sizes_contiguous(fresh.sizes());
}

/// Any other operation.
void onCpu(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
  std::vector<std::pair<Tensor, Tensor>> tensors;
  auto take = [&](const Tensor &tensor) {
    TORCH_CHECK(!tensor.defined() || isThere(tensor) || tensor.dim() == 0,
                op.schema().name(),
                ": expected tensors of privateuseone:0, got one of the CPU");
    if (!isThere(tensor))
      return tensor;
    tensors.emplace_back(tensor, here(tensor));
    return tensors.back().second;
  };
  const size_t begin = stack->size() - op.schema().arguments().size();
  for (size_t i = begin; i < stack->size(); ++i) {
    c10::IValue &value = (*stack)[i];
    if (value.isTensor()) {
      value = take(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<Tensor> list;
      for (const Tensor &tensor : value.toTensorVector())
        list.push_back(take(tensor));
      value = std::move(list);
    } else if (value.isOptionalTensorList()) {
      c10::List<c10::optional<Tensor>> list;
      for (const c10::optional<Tensor> &tensor : value.toOptionalTensorVector())
        list.push_back(tensor ? c10::optional<Tensor>(take(*tensor)) : tensor);
      value = std::move(list);
    } else if (value.isDevice()) {
      value = c10::Device(c10::DeviceType::CPU);
    }
  }
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  for (const auto &[there, numbers] : tensors)
    if (there.sizes() != numbers.sizes() ||
        (there.numel() > 0 &&
         numbers.data_ptr() != Allocator::here(there.data_ptr())))
      replace(there, numbers);
  const size_t first = stack->size() - op.schema().returns().size();
  for (size_t i = first; i < stack->size(); ++i) {
    c10::IValue &value = (*stack)[i];
    if (!value.isTensor() || !value.toTensor().defined())
      continue;
    const Tensor result = value.toTensor();
    Tensor there;
    for (const auto &[given, numbers] : tensors) {
      if (result.is_same(numbers))
        there = given;
      else
        TORCH_CHECK(!result.is_alias_of(numbers), op.schema().name(),
                    ": expected no view");
    }
    value = there.defined() ? there : copied(result);
  }
}

Tensor asStrided(const Tensor &self, at::IntArrayRef sizes,
                 at::IntArrayRef strides, c10::optional<int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, sizes, strides, offset);
}
Tensor view(const Tensor &self, at::IntArrayRef sizes) {
  return at::native::view(self, sizes);
}
Tensor reshapeAlias(const Tensor &self, at::IntArrayRef sizes,
                    at::IntArrayRef strides) {
  return at::native::_reshape_alias(self, sizes, strides);
}

Tensor &setStorage(Tensor &self, c10::Storage storage, int64_t offset,
                   at::IntArrayRef sizes, at::IntArrayRef strides) {
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(storage));
  self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
  return self;
}

} // namespace

namespace c10::impl {
C10_REGISTER_GUARD_IMPL(PrivateUse1,
                        NoOpDeviceGuardImpl<DeviceType::PrivateUse1>)
} // namespace c10::impl

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", emptyStrided);
  m.impl("as_strided", asStrided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshapeAlias);
  m.impl("set_.source_Storage_storage_offset", setStorage);
  m.impl("_copy_from", copyFrom);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&onCpu>());
}
