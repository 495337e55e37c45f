#include "engine/files/weights/weight_files.h"

#include <gtest/gtest.h>

#include "engine/files/weights/safetensors_writer.h"
#include "tests/support/parameter_values.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

TensorToWrite tensor_of(const std::string& name, std::int64_t size) {
  return {name, StoredType::uint8, {size}, [name, size] {
            return std::vector<std::byte>(static_cast<std::size_t>(size),
                                          static_cast<std::byte>(name.front()));
          }};
}

// At most 8 bytes each: a + b, c alone since it is longer, d.
TEST(WeightFiles, ASetOfShardsIsReadThroughItsIndex) {
  const TemporaryFolder folder;
  ASSERT_FALSE(write_weight_files(
      folder.path(), {tensor_of("a", 4), tensor_of("b", 4), tensor_of("c", 20), tensor_of("d", 1)},
      Bytes{8}));
  for (const char* name : {"model-00001-of-00003.safetensors", "model-00003-of-00003.safetensors",
                           "model.safetensors.index.json"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name)) << name;
  const Result<WeightFiles> files = WeightFiles::open(folder.path());
  ASSERT_TRUE(files) << files.error().text();
  EXPECT_EQ(files->names(), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(tensor_content(*files, "c").size(), 20u);
  EXPECT_EQ(tensor_content(*files, "d")[0], std::byte{'d'});
  EXPECT_EQ(files->place_of("c"),
            (folder.path() / "model-00002-of-00003.safetensors").string() + ": \"c\"");
}

TEST(WeightFiles, OneFileNeedsNoIndex) {
  const TemporaryFolder folder;
  ASSERT_FALSE(write_weight_files(folder.path(), {tensor_of("a", 4)}, Bytes{8}));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "model.safetensors.index.json"));
  EXPECT_TRUE(WeightFiles::open(folder.path()));
  EXPECT_TRUE(WeightFiles::open(folder.path() / "model.safetensors"));
}

struct Set {
  TemporaryFolder folder;
  Set() {
    EXPECT_FALSE(write_safetensors(folder.path() / "one", {tensor_of("a", 4)}, {}));
    EXPECT_FALSE(write_safetensors(folder.path() / "two", {tensor_of("a", 4)}, {}));
  }
  std::string complaint(const std::string& index) const {
    write_bytes(folder.path() / "model.safetensors.index.json", index);
    const Result<WeightFiles> files = WeightFiles::open(folder.path());
    if (files) return "accepted";
    std::string text = files.error().text();
    const std::string path = folder.path().string() + "/";
    for (std::size_t at; (at = text.find(path)) != text.npos;) text.erase(at, path.size());
    return text;
  }
};

TEST(WeightFiles, AnIndexThatDisagreesWithItsFilesIsRefused) {
  const Set set;
  EXPECT_EQ(set.complaint(R"({"weight_map": {"a": "one"}})"), "accepted");
  EXPECT_EQ(set.complaint(R"({"weight_map": {"a": "one", "b": "one"}})"),
            "model.safetensors.index.json: \"b\": is not in \"one\"");
  EXPECT_EQ(set.complaint(R"({"weight_map": {"a": "one", "b": "two"}})"),
            "two: \"a\": is in one too");
  EXPECT_EQ(set.complaint(R"({"weight_map": {"a": "three"}})"),
            "three: cannot be opened: No such file or directory");
}

TEST(WeightFiles, AnIndexMayNotLeadOutOfItsFolder) {
  const Set set;
  for (const char* name : {"../one", "/etc/passwd", "..", ""})
    EXPECT_EQ(set.complaint(std::string(R"({"weight_map": {"a": ")") + name + "\"}}"),
              "model.safetensors.index.json: weight_map.a: expected the name of a file beside the "
              "index");
  EXPECT_EQ(set.complaint("{}"),
            "model.safetensors.index.json: weight_map: expected an object of tensor names and "
            "file names");
}

}  // namespace
}  // namespace quintet
