//===- SnapshotFuzzer.cpp - any bytes as a memory snapshot of PyTorch -----===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanIt.h"

#include "tamc/Planning/Csv.h"
#include "tamc/Planning/TorchSnapshot.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <variant>

using namespace tamc::planning;

namespace {

/// The input, a few bytes at a time, so that values lie across two parts.
class Bytes final : public ByteSource {
public:
  Bytes(const uint8_t *data, size_t size) : data(data), size(size) {}

  size_t read(char *out, size_t room) override {
    size_t count = std::min({room, size - at, size_t(7)});
    std::memcpy(out, data + at, count);
    at += count;
    return count;
  }
  std::string fault() const override { return {}; }

private:
  const uint8_t *data;
  size_t size, at = 0;
};

} // namespace

/// Reading gives an error at an offset, or a valid problem, which is planned.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes(data, size);
  TorchOptions options;
  options.memory = size_t(1) << 24;
  size_t lines = 0;
  if (size % 2)
    options.print = [&](std::string_view line) { lines += !line.empty(); };
  auto result = readTorchSnapshot(bytes, options);
  if (auto *wrong = std::get_if<Diagnostic>(&result)) {
    require(wrong->message.starts_with("byte "));
    require(std::stoull(wrong->message.substr(5)) <= size);
    return 0;
  }
  require(!options.print || lines > 0);
  const auto &snapshot = std::get<TorchSnapshot>(result);
  Problem problem = toProblem(snapshot);
  require(!validate(problem));
  for (const TorchDevice &device : snapshot.devices) {
    // No stack has more than all allocations.
    for (const StackShare &share : stacksAtPeak(device, 10))
      require(share.bytes <= device.allocatedPeak);
  }
  planIt(problem);
  Options cheap;
  cheap.strategy = "naive";
  Plan made = plan(problem, cheap);
  require(!toText(snapshot, made, nullptr).empty());
  require(!toJson(snapshot, made, &made).empty());
  return 0;
}
