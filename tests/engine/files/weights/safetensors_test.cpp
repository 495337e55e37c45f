#include "engine/files/weights/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "engine/files/weights/safetensors_writer.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

// By hand, from the format's description.
std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

Result<SafetensorsHeader> parsed(const std::string& bytes) {
  return parse_safetensors(std::as_bytes(std::span(bytes.data(), bytes.size())), "f");
}

std::string complaint(const std::string& header, const std::string& data) {
  const Result<SafetensorsHeader> result = parsed(file_of(header, data));
  return result ? "accepted" : result.error().text();
}

TEST(Safetensors, AHandMadeFileIsRead) {
  const std::string header = R"({"b":{"dtype":"U8","shape":[3],"data_offsets":[8,11]},)"
                             R"("__metadata__":{"format":"pt"},)"
                             R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}})";
  const std::size_t start = 8 + header.size();
  const Result<SafetensorsHeader> read = parsed(file_of(header, "12345678abc"));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, (SafetensorsHeader{{{"a", StoredType::fp32, {2, 1}, start, start + 8},
                                       {"b", StoredType::uint8, {3}, start + 8, start + 11}},
                                      {{"format", "pt"}}}));
}

TEST(Safetensors, ScalarsAndEmptyTensorsAreRead) {
  EXPECT_EQ(complaint(R"({"s":{"dtype":"I16","shape":[],"data_offsets":[0,2]},)"
                      R"("e":{"dtype":"F64","shape":[0,5],"data_offsets":[2,2]}})",
                      "xx"),
            "accepted");
  EXPECT_EQ(complaint("{}   ", ""), "accepted");
}

TEST(Safetensors, HolesOverlapsAndLeftoversAreRefusedByTensor) {
  const auto two = [](const std::string& first, const std::string& second) {
    return complaint(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
                         R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}",
                     "12345678");
  };
  EXPECT_EQ(two("[0,4]", "[4,8]"), "accepted");
  EXPECT_EQ(two("[0,4]", "[3,7]"),
            "f: \"b\": begins at byte 3 of the data, but the tensor before ends at 4; holes and "
            "overlaps are not accepted");
  EXPECT_EQ(two("[0,4]", "[5,9]"),
            "f: \"b\": begins at byte 5 of the data, but the tensor before ends at 4; holes and "
            "overlaps are not accepted");
  EXPECT_EQ(complaint(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "12345"),
            "f: the header describes 4 bytes of data, the file holds 5");
  EXPECT_EQ(complaint(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "123"),
            "f: the header describes 4 bytes of data, the file holds 3");
}

TEST(Safetensors, SizesThatDoNotFitAreRefused) {
  const auto one = [](const std::string& shape, const std::string& offsets) {
    return complaint(
        R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}",
        "12345678");
  };
  EXPECT_EQ(one("[2]", "[0,8]"), "accepted");
  EXPECT_EQ(one("[3]", "[0,8]"), "f: \"a\".data_offsets: span 8 bytes, but [3] of F32 takes 12");
  EXPECT_EQ(one("[4611686018427387904,4]", "[0,8]"),
            "f: \"a\".shape: expected an array of sizes whose product fits 58 bits");
  EXPECT_EQ(one("[-2]", "[0,8]"),
            "f: \"a\".shape: expected an array of sizes whose product fits 58 bits");
  EXPECT_EQ(one("[2]", "[8,0]"), "f: \"a\".data_offsets: expected [begin, end]");
  EXPECT_EQ(one("[2]", "[0,8,9]"), "f: \"a\".data_offsets: expected [begin, end]");
  EXPECT_EQ(one("[2]", "[0,8.0]"), "f: \"a\".data_offsets: expected [begin, end]");
}

TEST(Safetensors, AHugeHeaderIsRefusedBeforeItIsRead) {
  std::string bytes = file_of("{}", "");
  const std::uint64_t huge = std::uint64_t{1} << 63;
  std::memcpy(bytes.data(), &huge, 8);
  EXPECT_EQ(parsed(bytes).error().text(),
            "f: byte 0: announces a header of 9223372036854775808 bytes; the file has 2 left, and "
            "at most 100,000,000 are accepted");
  EXPECT_EQ(parsed("1234").error().text(),
            "f: is 4 bytes long; the length of the header alone takes 8");
}

TEST(Safetensors, ANameTwiceAnUnknownTypeAndAnUnknownFieldAreRefused) {
  const std::string tensor = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_EQ(complaint(R"({"a":)" + tensor + R"(,"a":)" + tensor + "}", "1"),
            "f: a: the key appears twice in one object");
  EXPECT_EQ(complaint(R"({"a":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})", "1234"),
            "f: \"a\".dtype: found \"F31\", expected such as \"F32\"");
  EXPECT_NE(complaint(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}})", "1"),
            "accepted");
}

std::vector<std::byte> bytes_from(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

TEST(Safetensors, WhatIsWrittenIsReadAgain) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "model.safetensors";
  const std::vector<TensorToWrite> tensors{
      {"z", StoredType::bf16, {2, 2}, [] { return bytes_from("abcdefgh"); }},
      {"a", StoredType::uint8, {3}, [] { return bytes_from("xyz"); }}};
  ASSERT_FALSE(write_safetensors(file, tensors, {{"format", "pt"}}));
  const Result<SafetensorsFile> read = SafetensorsFile::open(file);
  ASSERT_TRUE(read) << read.error().text();
  const std::vector<TensorEntry>& entries = read->header().tensors;
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "z");
  EXPECT_EQ(entries[0].begin % 8, 0u);
  std::vector<std::byte> last(2);
  ASSERT_FALSE(read->read(entries[1], 1, last));
  EXPECT_EQ(static_cast<char>(last[1]), 'z');
  EXPECT_EQ(read->header().metadata, (Metadata{{"format", "pt"}}));
}

}  // namespace
}  // namespace quintet
