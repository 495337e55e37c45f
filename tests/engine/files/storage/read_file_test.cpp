#include "engine/files/storage/read_file.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

std::string part_of(const ReadFile& file, std::uint64_t first, std::size_t count) {
  std::string text(count, '?');
  const auto wrong = file.read(first, std::as_writable_bytes(std::span(text.data(), count)));
  return wrong ? wrong->text() : text;
}

TEST(ReadFile, GivesAnyPart) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "f", "0123456789");
  const Result<ReadFile> file = ReadFile::open(folder.path() / "f");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->size(), 10u);
  file->announce(2, 5);
  std::vector<std::string> parts(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < parts.size(); ++i)
    threads.emplace_back([&, i] { parts[i] = part_of(*file, i, 3); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < parts.size(); ++i)
    EXPECT_EQ(parts[i], std::string("0123456789").substr(i, 3));
  EXPECT_EQ(part_of(*file, 10, 0), "");
}

// A mapped file would end the process here.
TEST(ReadFile, SaysThatAFileWasShortenedMeanwhile) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  write_bytes(path, "0123456789");
  const Result<ReadFile> file = ReadFile::open(path);
  ASSERT_TRUE(file);
  std::filesystem::resize_file(path, 4);
  EXPECT_EQ(part_of(*file, 2, 5),
            path.string() + ": ends at byte 4; it had 10 bytes when it was opened");
}

TEST(ReadFile, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(ReadFile::open(folder.path()).error().what,
            "is not a regular file (a folder, pipe or device)");
  EXPECT_EQ(ReadFile::open(folder.path() / "none").error().what,
            "cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace quintet
