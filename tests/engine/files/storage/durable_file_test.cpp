#include "engine/files/storage/durable_file.h"

#include <gtest/gtest.h>

#include "engine/files/storage/mapped_file.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(DurableFile, TakesItsPlaceWhenFinishedAndNotBefore) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a";
  write_bytes(file, "old");
  Result<DurableFile> out = DurableFile::create(file);
  ASSERT_TRUE(out);
  EXPECT_FALSE(out->write(std::string_view("new")));
  EXPECT_EQ(bytes_of(file), "old");
  EXPECT_FALSE(out->finish());
  EXPECT_EQ(bytes_of(file), "new");
  EXPECT_FALSE(std::filesystem::exists(unfinished_name(file)));
}

TEST(DurableFile, LeavesNothingWhenAbandoned) {
  const TemporaryFolder folder;
  {
    Result<DurableFile> out = DurableFile::create(folder.path() / "a");
    ASSERT_TRUE(out);
    EXPECT_FALSE(out->write(std::string_view("half")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(DurableFile, AFullDeviceIsAnErrorThatNamesTheFile) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.path() / "a.part");
  Result<DurableFile> out = DurableFile::create(folder.path() / "a");
  ASSERT_TRUE(out);
  const std::optional<Error> error = out->write(std::string_view("x"));
  ASSERT_TRUE(error);
  EXPECT_EQ(*error,
            (Error{(folder.path() / "a").string(), "cannot be written: No space left on device"}));
}

TEST(MappedFile, ShowsTheBytesOfAFile) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "a", std::string_view("1\0002", 3));
  const Result<MappedFile> file = MappedFile::open(folder.path() / "a");
  ASSERT_TRUE(file);
  EXPECT_EQ(text_of(*file), std::string("1\0002", 3));
}

TEST(MappedFile, AnEmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "a", "");
  const Result<MappedFile> file = MappedFile::open(folder.path() / "a");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFile, WhatIsNoFileIsRefusedByName) {
  const TemporaryFolder folder;
  const Result<MappedFile> missing = MappedFile::open(folder.path() / "b");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(),
            (folder.path() / "b").string() + ": cannot be opened: No such file or directory");
  EXPECT_FALSE(MappedFile::open(folder.path()));
  EXPECT_FALSE(MappedFile::open("/dev/zero"));
}

}  // namespace
}  // namespace quintet
