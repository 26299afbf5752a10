//===- SafetensorsTest.cpp - tensors in a file ----------------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/Safetensors.h"

#include "TestFiles.h"
#include "support/Sealed.h"
#include "tamrt/checksum.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tamrt;
using namespace tamrt::test;

static constexpr int64_t kAny = -1;

/// A file with `header` and `data`, as the format's definition has it.
static std::string fileOf(std::string_view header, std::string_view data) {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return text.append(header).append(data);
}

static Result<SafetensorsFile> parse(std::string_view text) {
  return SafetensorsFile::parse(bytesOf(text), "w.safetensors");
}

/// What is wrong with such a file, whether it is in memory or read by runs.
static std::string fault(std::string_view text) {
  const auto messageOf = [](const Result<SafetensorsFile> &file) {
    return file ? "no error" : file.error().message;
  };
  const std::string found = messageOf(parse(text));
  static const TemporaryFolder folder;
  const std::string path = folder.at("w.safetensors");
  put(path, text);
  EXPECT_EQ(messageOf(SafetensorsFile::open(path)),
            found == "no error" ? found : folder.path.string() + "/" + found);
  return found;
}

static SafetensorsWriter sample() {
  SafetensorsWriter writer;
  writer.add<uint8_t>("bytes", {3}, std::vector<uint8_t>{1, 2, 255});
  writer.add<double>("beta", {2, 2}, std::vector<double>{1, -0.5, 1e300, 0});
  writer.add<float>("f", {1}, std::vector<float>{2.5f});
  writer.add<int32_t>("i", {2}, std::vector<int32_t>{-1, 7});
  writer.add<int64_t>("scalar", {}, std::vector<int64_t>{int64_t(1) << 40});
  writer.add("empty", {0, 5}, std::span<const double>());
  writer.metadata("model", "load \"\xC3\xA9\"");
  writer.metadata("a", "");
  return writer;
}

TEST(Safetensors, WritesTheFormat) {
  SafetensorsWriter writer;
  writer.add<uint8_t>("b", {2}, std::vector<uint8_t>{'x', 'y'});
  writer.add<int32_t>("a", {}, std::vector<int32_t>{0x41424344});
  writer.metadata("k", "v");
  std::string header =
      R"({"__metadata__":{"checksum":"crc32:96695d81","k":"v"},)"
      R"("a":{"data_offsets":[0,4],"dtype":"I32","shape":[]},)"
      R"("b":{"data_offsets":[4,6],"dtype":"U8","shape":[2]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(*writer.bytes(), fileOf(header, "DCBAxy"));
}

TEST(Safetensors, ReadsBackWhatItWrote) {
  Result<std::string> bytes = sample().bytes();
  ASSERT_TRUE(bytes);
  Result<SafetensorsFile> file = parse(*bytes);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->tensors().size(), 6u);
  EXPECT_EQ(file->metadata().size(), 3u);
  EXPECT_TRUE(file->isChecked());
  EXPECT_EQ(*file->requireMetadata("model"), "load \"\xC3\xA9\"");
  EXPECT_EQ(file->requireMetadata("b").error().message,
            "w.safetensors: no metadata 'b'");
  int64_t square[] = {2, kAny};
  EXPECT_EQ(*file->values<double>("beta", square),
            (std::vector<double>{1, -0.5, 1e300, 0}));
  int64_t any[] = {kAny};
  EXPECT_EQ(*file->values<uint8_t>("bytes", any),
            (std::vector<uint8_t>{1, 2, 255}));
  EXPECT_EQ(*file->values<float>("f", any), std::vector<float>{2.5f});
  EXPECT_EQ(*file->values<int32_t>("i", any), (std::vector<int32_t>{-1, 7}));
  EXPECT_EQ(*file->values<int64_t>("scalar", {}),
            std::vector<int64_t>{int64_t(1) << 40});
  int64_t empty[] = {0, 5};
  EXPECT_TRUE(file->values<double>("empty", empty)->empty());
  EXPECT_EQ(file->find("beta")->count, 4u);
  EXPECT_EQ(file->find("gamma"), nullptr);
}

TEST(Safetensors, EveryFlippedBitIsFound) {
  const std::string whole = *sample().bytes();
  ASSERT_EQ(fault(whole), "no error");
  size_t damaged = 0, unchecked = 0;
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string text = whole;
    text[bit / 8] = char(text[bit / 8] ^ 1 << bit % 8);
    Result<SafetensorsFile> file = parse(text);
    if (file) {
      // Without its key there is no checksum, and the format asks for one.
      EXPECT_FALSE(file->isChecked()) << bit;
      ++unchecked;
    } else if (file.error().message.starts_with("w.safetensors: damaged: ")) {
      ++damaged;
    }
  }
  EXPECT_GT(damaged, 8 * 40u);
  EXPECT_LE(unchecked, 8 * kChecksumKey.size());
}

TEST(Safetensors, ChecksumIsThatOfTheWholeFile) {
  // By Python's zlib.
  EXPECT_EQ(crc32("123456789"), 0xcbf43926u);
  EXPECT_EQ(crc32("56789", crc32("1234")), 0xcbf43926u);
  EXPECT_EQ(crc32(""), 0u);
  std::string text = *sample().bytes();
  const size_t place = text.find("\"crc32:") + 1;
  EXPECT_EQ(checksumOf(text, place).view(),
            text.substr(place, kNoChecksum.size()));
  EXPECT_EQ(fault(text.replace(place, kNoChecksum.size(), kNoChecksum)),
            "w.safetensors: damaged: expected the checksum 'crc32:00000000', "
            "got 'crc32:" +
                std::string(checksumOf(text, place).view().substr(6)) + "'");
  // Not as the writer writes it.
  for (const char *written :
       {"crc32:0000000", "CRC32:00000000", "\\u0063rc32:000"})
    EXPECT_EQ(fault(fileOf(std::string(R"({"__metadata__":{"checksum":")") +
                               written + "\"}}",
                           ""))
                  .rfind("w.safetensors: damaged: expected the checksum", 0),
              0u)
        << written;
}

/// By definition, bit by bit.
static uint32_t crcByBits(std::string_view bytes) {
  uint32_t crc = ~uint32_t(0);
  for (char byte : bytes)
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ ((crc ^ uint32_t(byte) >> bit) & 1 ? 0xedb88320u : 0);
  return ~crc;
}

TEST(Safetensors, ChecksumOfAnyLengthAndOfPieces) {
  std::mt19937 random(7);
  std::string text(700, '\0');
  for (char &byte : text)
    byte = char(random());
  for (size_t size = 0; size < 300; ++size)
    for (size_t at : {0, 1, 7, 400}) {
      const std::string_view bytes = std::string_view(text).substr(at, size);
      ASSERT_EQ(crc32(bytes), crcByBits(bytes)) << size << " from " << at;
      const size_t cut = random() % (size + 1);
      const uint32_t first = crc32(bytes.substr(0, cut));
      ASSERT_EQ(crc32(bytes.substr(cut), first), crc32(bytes));
      ASSERT_EQ(shiftCrc32(first, size - cut) ^ crc32(bytes.substr(cut)),
                crc32(bytes));
    }
  // 2^32 bytes are 2^16 times 2^16.
  uint32_t crc = 1;
  for (int i = 0; i < 1 << 16; ++i)
    crc = shiftCrc32(crc, 1 << 16);
  EXPECT_EQ(shiftCrc32(1, uint64_t(1) << 32), crc);
}

TEST(Safetensors, OutputInPiecesIsThatOfTheWriter) {
  // Small pieces, more than are kept at a time, and large ones.
  std::mt19937 random(3);
  for (size_t most : {size_t(100), size_t(5000), size_t(300'000)}) {
    std::vector<double> numbers(400'000), others(1000);
    for (std::vector<double> *each : {&numbers, &others})
      for (double &number : *each)
        number = double(random());
    auto begin = [&](bool isLater) {
      SafetensorsWriter writer;
      writer.add<uint8_t>("bytes", {3}, std::vector<uint8_t>{1, 2, 3});
      writer.add<double>("m", {2}, std::vector<double>{4, 5});
      for (auto [name, values] :
           {std::pair("sums", &numbers), std::pair("a", &others)}) {
        const std::vector<int64_t> shape = {int64_t(values->size())};
        if (isLater)
          writer.addLater(name, shape);
        else
          writer.addView<double>(name, shape, *values);
      }
      return writer;
    };
    struct Piece {
      const char *tensor;
      size_t first;
      std::span<const double> numbers;
    };
    std::vector<Piece> pieces;
    for (auto [name, values] :
         {std::pair("sums", &numbers), std::pair("a", &others)})
      for (size_t at = 0; at < values->size();) {
        const size_t count =
            std::min<size_t>(1 + random() % most, values->size() - at);
        pieces.push_back({name, at, std::span(*values).subspan(at, count)});
        at += count;
      }
    std::shuffle(pieces.begin(), pieces.end(), random);
    const TemporaryFolder folder;
    const std::string path = folder.at("out.safetensors");
    Result<SafetensorsOutput> output =
        SafetensorsOutput::create(begin(/*isLater=*/true), path);
    ASSERT_TRUE(output);
    for (const Piece &piece : pieces)
      ASSERT_TRUE(output->write(piece.tensor, piece.first, piece.numbers));
    ASSERT_TRUE(output->commit());
    ASSERT_TRUE(SafetensorsFile::open(path));
    EXPECT_TRUE(get(path) == *begin(/*isLater=*/false).bytes()) << most;
  }
}

TEST(Safetensors, NamesWhatDoesNotFit) {
  Result<SafetensorsFile> file = parse(*sample().bytes());
  ASSERT_TRUE(file);
  int64_t shape[] = {2, 3}, any[] = {kAny};
  EXPECT_EQ(file->values<double>("gamma", any).error().message,
            "w.safetensors: no tensor 'gamma'");
  EXPECT_EQ(file->values<float>("beta", shape).error().message,
            "w.safetensors: tensor 'beta': expected F32, got F64");
  EXPECT_EQ(file->values<double>("beta", shape).error().message,
            "w.safetensors: tensor 'beta': expected shape [2, 3], got [2, 2]");
  EXPECT_EQ(file->values<double>("beta", any).error().message,
            "w.safetensors: tensor 'beta': expected shape [any], got [2, 2]");
}

TEST(Safetensors, BytesDoNotDependOnTheOrderOfCalls) {
  SafetensorsWriter one, two;
  std::vector<double> x = {1}, y = {2};
  one.metadata("p", "q");
  one.metadata("r", "s");
  one.add<double>("x", {1}, x);
  one.add<double>("y", {1}, y);
  two.add<double>("y", {1}, y);
  two.metadata("r", "t");
  two.metadata("r", "s");
  two.add<double>("x", {1}, x);
  two.metadata("p", "q");
  EXPECT_EQ(*one.bytes(), *two.bytes());
}

TEST(Safetensors, AlignsItsTensors) {
  std::string bytes = *sample().bytes();
  Result<SafetensorsFile> file = parse(bytes);
  ASSERT_TRUE(file);
  const std::byte *base = file->find("beta")->data.data();
  for (const auto &[name, tensor] : file->tensors())
    EXPECT_EQ((tensor.data.data() - base) % int64_t(sizeOf(tensor.type)), 0)
        << name;
  EXPECT_EQ(uint8_t(bytes[0]) % 8, 0);
}

TEST(Safetensors, RefusesToWriteNonsense) {
  SafetensorsWriter twice;
  std::vector<double> x = {1};
  twice.add<double>("x", {1}, x);
  twice.add<double>("x", {1}, x);
  EXPECT_EQ(twice.bytes().error().message, "tensor name 'x' is taken already");
  EXPECT_EQ(twice.write("w").error().message,
            "w: tensor name 'x' is taken already");
  SafetensorsWriter reserved;
  reserved.add<double>("__metadata__", {1}, x);
  EXPECT_FALSE(reserved.bytes());
  SafetensorsWriter latin1;
  latin1.metadata("name", "\xE9");
  EXPECT_EQ(latin1.bytes().error().message,
            "a name or metadata entry is not valid UTF-8");
}

TEST(Safetensors, WritesFiles) {
  TemporaryFolder folder;
  std::string path = folder.at("w.safetensors");
  ASSERT_TRUE(sample().write(path));
  EXPECT_EQ(get(path), *sample().bytes());
  Result<SafetensorsFile> file = SafetensorsFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path(), path);
  EXPECT_EQ(sample().write(folder.at("no/w")).error().message,
            folder.at("no/w") + ": cannot write: No such file or directory");
}

/// Any tensors may be left in the file: they are the same tensors, and what is
/// kept has no bytes of theirs.
TEST(Safetensors, LeavesTensorsInTheFile) {
  TemporaryFolder folder;
  const std::string path = folder.at("w.safetensors");
  SafetensorsWriter writer;
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  std::map<std::string, std::vector<double>> numbers;
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<double> &of = numbers[names[i]];
    for (size_t k = 0; k < 3 * i; ++k)
      of.push_back(double(10 * i + k));
    writer.addView<double>(names[i], {int64_t(of.size())}, of);
  }
  ASSERT_TRUE(writer.write(path));
  const std::string whole = get(path);
  const int64_t any[] = {kAny};
  for (unsigned left = 0; left < 32; ++left) {
    auto isLeft = [&](std::string_view name) {
      return (left >> (name[0] - 'a') & 1) != 0;
    };
    Result<SafetensorsFile> file = SafetensorsFile::open(path, isLeft);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_TRUE(file->isChecked());
    for (const std::string &name : names) {
      const std::vector<double> &expected = numbers[name];
      const SafetensorsFile::Tensor *tensor = file->find(name);
      ASSERT_EQ(tensor->count, expected.size());
      EXPECT_EQ(tensor->data.size(),
                isLeft(name) ? 0 : expected.size() * sizeof(double));
      std::vector<double> read(expected.size());
      ASSERT_TRUE(file->read(*tensor, 0, read));
      EXPECT_EQ(read, expected) << name << left;
      if (!isLeft(name))
        EXPECT_EQ(*file->values<double>(name, any), expected) << name << left;
    }
    // The checksum is that of all bytes.
    for (size_t back = 1; back <= 30 * sizeof(double); back += 59) {
      std::string text = whole;
      text[text.size() - back] ^= 1;
      put(path, text);
      EXPECT_FALSE(SafetensorsFile::open(path, isLeft)) << left << ' ' << back;
    }
    put(path, whole);
  }
}

TEST(SafetensorsFault, NotAFile) {
  TemporaryFolder folder;
  ASSERT_EQ(mkfifo(folder.at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(SafetensorsFile::open(folder.at("pipe")).error().message,
            folder.at("pipe") + ": not a regular file");
  EXPECT_EQ(SafetensorsFile::open(folder.path).error().message,
            folder.path.string() + ": cannot read: Is a directory");
  EXPECT_FALSE(SafetensorsFile::open(folder.at("no")));
}

TEST(SafetensorsFault, EveryTruncationIsFound) {
  std::string bytes = *sample().bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string message = fault(bytes.substr(0, size));
    ASSERT_TRUE(message.starts_with("w.safetensors: truncated: expected "))
        << message;
    ASSERT_TRUE(message.ends_with(", got " + std::to_string(size))) << message;
  }
  EXPECT_EQ(fault(bytes.substr(0, bytes.size() - 1)),
            "w.safetensors: truncated: expected " +
                std::to_string(bytes.size()) + " bytes, got " +
                std::to_string(bytes.size() - 1));
  EXPECT_EQ(fault(bytes + "x"), "w.safetensors: too long: expected " +
                                    std::to_string(bytes.size()) +
                                    " bytes, got " +
                                    std::to_string(bytes.size() + 1));
}

TEST(SafetensorsFault, HeaderLength) {
  EXPECT_EQ(fault(std::string(16, '\xFF')),
            "w.safetensors: not a safetensors file: expected a header of at "
            "most 100000000 bytes, got 18446744073709551615");
}

TEST(SafetensorsFault, Json) {
  auto header = [](std::string_view text) { return fault(fileOf(text, "")); };
  std::string at = "w.safetensors: ";
  EXPECT_EQ(header("{}"), "no error");
  EXPECT_EQ(header("{}   "), "no error");
  EXPECT_EQ(header(""), at + "header is not valid JSON");
  EXPECT_EQ(header("{"), at + "header is not valid JSON");
  EXPECT_EQ(header("{} {}"), at + "header is not valid JSON");
  EXPECT_EQ(header("{\"\xFF\":1}"), at + "header is not valid JSON");
  EXPECT_EQ(header("[]"), at + "header is not a JSON object");
  EXPECT_EQ(header("null"), at + "header is not a JSON object");
  EXPECT_EQ(header(R"({"__metadata__":{"a":"1","a":"2"}})"),
            at + "header holds key 'a' twice");
  EXPECT_EQ(header(R"({"__metadata__":{"a":1}})"),
            at + "metadata 'a': expected a string");
  EXPECT_EQ(header(R"({"__metadata__":[]})"),
            at + "expected an object as __metadata__");
  EXPECT_EQ(header(std::string(1000000, '[')), at + "header is not valid JSON");
  EXPECT_EQ(header(std::string(100000, '[') + std::string(100000, ']')),
            at + "header is not a JSON object");
}

/// The fault of a file of one tensor "t" with these members and 8 bytes.
static std::string tensorFault(const std::string &members) {
  return fault(fileOf("{\"t\":{" + members + "}}", "12345678"));
}

TEST(SafetensorsFault, TensorDescription) {
  std::string at = "w.safetensors: tensor 't': ";
  EXPECT_EQ(tensorFault(R"("dtype":"F64","shape":[1],"data_offsets":[0,8])"),
            "no error");
  EXPECT_EQ(fault(fileOf(R"({"t":1})", "")), at + "expected an object");
  EXPECT_EQ(tensorFault(R"("shape":[1],"data_offsets":[0,8])"),
            at + "expected a string as dtype");
  EXPECT_EQ(tensorFault(R"("dtype":"BF16","shape":[4],"data_offsets":[0,8])"),
            at + "expected dtype F64, F32, I64, I32 or U8, got BF16");
  for (const char *shape : {"-1", "[-1]", "[1.0]", "[9223372036854775808]",
                            "[1e1]", "[\"1\"]", "null"})
    EXPECT_EQ(tensorFault(R"("dtype":"F64","data_offsets":[0,8],"shape":)" +
                          std::string(shape)),
              at + "expected an array of sizes as shape")
        << shape;
  for (const char *offsets : {"[8,0]", "[0]", "[0,8,8]", "[-1,7]", "{}"})
    EXPECT_EQ(tensorFault(R"("dtype":"F64","shape":[1],"data_offsets":)" +
                          std::string(offsets)),
              at + "expected [begin, end] as data_offsets")
        << offsets;
  EXPECT_EQ(tensorFault(R"("dtype":"F64","shape":[2],"data_offsets":[0,8])"),
            at + "expected 16 bytes for shape [2] of F64, got 8");
  EXPECT_EQ(tensorFault(R"("dtype":"F64","shape":[4294967296,4294967296],)"
                        R"("data_offsets":[0,8])"),
            at + "shape is too large");
  EXPECT_EQ(tensorFault(R"("dtype":"F64","shape":[4611686018427387904],)"
                        R"("data_offsets":[0,0])"),
            at + "shape is too large");
  EXPECT_EQ(
      tensorFault(R"("dtype":"F64","shape":[1],"data_offsets":[0,8],"x":0)"),
      at + "unknown key 'x'");
  EXPECT_EQ(tensorFault(R"("dtype":"F64","shape":[1],"data_offsets":[8,16])"),
            at + "leaves a gap before it at offset 8");
  EXPECT_EQ(tensorFault(R"("dtype":"F64","shape":[2],"data_offsets":[0,16])"),
            "w.safetensors: truncated: expected 79 bytes, got 71");
}

TEST(SafetensorsFault, OverlapsAndGaps) {
  auto two = [](int begin, int end) {
    return fault(
        fileOf(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
               R"("b":{"dtype":"U8","shape":[)" +
                   std::to_string(end - begin) + R"(],"data_offsets":[)" +
                   std::to_string(begin) + "," + std::to_string(end) + "]}}",
               "12345678"));
  };
  EXPECT_EQ(two(4, 8), "no error");
  EXPECT_EQ(two(3, 8),
            "w.safetensors: tensor 'b': overlaps another at offset 3");
  EXPECT_EQ(two(5, 8),
            "w.safetensors: tensor 'b': leaves a gap before it at offset 5");
  EXPECT_NE(two(4, 7), "no error");
}

TEST(SafetensorsFault, NoMutationCrashes) {
  std::string original = *sample().bytes();
  std::mt19937 random(6);
  const std::string_view pieces[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     "\"",
                                     ",",
                                     ":",
                                     "-",
                                     "1e9",
                                     "0",
                                     "8",
                                     "\\",
                                     "F64",
                                     "U8",
                                     "null",
                                     "\xFF",
                                     "\xED\xA0",
                                     "9999999999",
                                     "99999999999999999999",
                                     "\"shape\":",
                                     "\"dtype\":\"F64\","};
  size_t accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    std::string text = original;
    for (size_t n = 1 + random() % 3; n > 0; --n) {
      if (text.empty())
        break;
      size_t at = random() % text.size();
      switch (random() % 5) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + random() % 8);
        break;
      case 2:
        text.insert(at, pieces[random() % std::size(pieces)]);
        break;
      case 3: {
        std::string_view piece = pieces[random() % std::size(pieces)];
        text.replace(at, piece.size(), piece);
        break;
      }
      case 4:
        text.resize(at + 1);
        break;
      }
      if (random() % 2 && text.size() >= 8) {
        // Keep the length of the header right, to get further.
        uint64_t length = text.size() - std::min<size_t>(text.size(), 71 + 8);
        std::memcpy(text.data(), &length, 8);
      }
    }
    Result<SafetensorsFile> file = parse(sealed(text));
    if (!file) {
      ASSERT_TRUE(file.error().message.starts_with("w.safetensors: "));
      continue;
    }
    ++accepted;
    for (const auto &[name, tensor] : file->tensors()) {
      ASSERT_EQ(tensor.data.size(), tensor.count * sizeOf(tensor.type));
      uint8_t sum = 0;
      for (std::byte byte : tensor.data)
        sum ^= std::to_integer<uint8_t>(byte);
      (void)sum;
    }
  }
  // Changes of the tensors' bytes are no faults.
  EXPECT_GT(accepted, 1000u);
}

TEST(Safetensors, DoesNotLookIntoPipes) {
  TemporaryFolder folder;
  const std::string path = folder.at("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0666), 0);
  const int events = inotify_init1(IN_NONBLOCK);
  ASSERT_GE(events, 0);
  ASSERT_GE(inotify_add_watch(events, path.c_str(), IN_OPEN), 0);
  EXPECT_FALSE(SafetensorsFile::isLikely(path));
  char event[1024];
  EXPECT_EQ(read(events, event, sizeof event), -1) << "it was opened";
  close(events);
}
