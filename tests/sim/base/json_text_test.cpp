#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;
using namespace literals;

std::string complaint(const std::string& text) {
  const Result<nlohmann::json> json = parse_json(text, "plan.json");
  return json ? "accepted: " + json->dump() : json.error().text();
}

// Root may read everything: while this lives, it is nobody.
class UnlessRoot {
 public:
  UnlessRoot() {
    constexpr uid_t nobody = 65534;
    if (before_ == 0 && seteuid(nobody) != 0) perror("seteuid");
  }
  ~UnlessRoot() {
    if (seteuid(before_) != 0) std::abort();
  }
  UnlessRoot(const UnlessRoot&) = delete;
  UnlessRoot& operator=(const UnlessRoot&) = delete;

 private:
  const uid_t before_ = geteuid();
};

// A folder of its own per test, gone afterwards.
class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "quintet_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  std::string complaint_about(const fs::path& file, Bytes limit) const {
    const Result<std::string> content = read_text_file(file, limit);
    if (content) return "accepted " + std::to_string(content->size()) + " bytes";
    EXPECT_EQ(content.error().where, file.string());
    return content.error().what;
  }

  fs::path folder_;
};

TEST_F(Files, ARegularFileIsReadWhole) {
  const std::string content = std::string(70'000, 'x') + '\0' + "\r\n";
  EXPECT_EQ(*read_text_file(write("a.json", content)), content);
}

TEST_F(Files, WhatCannotBeReadIsNamedWithItsCause) {
  EXPECT_EQ(complaint_about(folder_ / "none.json", 1_MB), "there is no such file");
  EXPECT_EQ(complaint_about(folder_, 1_MB), "is a directory, expected a file");
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(complaint_about(pipe, 1_MB), "is not a regular file (a pipe or a device)");
  const fs::path loop = folder_ / "loop";
  fs::create_symlink(loop, loop);
  EXPECT_EQ(complaint_about(loop, 1_MB), "cannot be looked at: Too many levels of symbolic links");
}

// A topology may name a host file, so that a path is rubbish from outside too.
TEST_F(Files, ARubbishPathStaysOneShortLine) {
  EXPECT_EQ(read_text_file("no\nsuch\nfile").error(),
            (Error{"no?such?file", "there is no such file"}));
  const Error error = read_text_file(std::string(100'000, 'x')).error();
  EXPECT_LT(error.where.size(), 1010u);
  EXPECT_EQ(error.what, "cannot be looked at: File name too long");
}

TEST_F(Files, AnUnreadableFileIsNamedWithItsCause) {
  const fs::path file = write("secret.json", "{}");
  fs::permissions(file, fs::perms::none);
  fs::permissions(folder_, fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
  const UnlessRoot reader;
  if (std::ifstream(file)) GTEST_SKIP() << "root cannot become another user here";
  EXPECT_EQ(complaint_about(file, 1_MB), "cannot be opened: Permission denied");
}

TEST_F(Files, TheLimitIsTheLastSizeAccepted) {
  const fs::path file = write("a.json", std::string(1000, ' '));
  EXPECT_EQ(complaint_about(file, Bytes{1000}), "accepted 1000 bytes");
  EXPECT_EQ(complaint_about(file, Bytes{999}), "is 1 KB long, accepted are at most 999 B");
}

TEST_F(Files, TwoGigabytesOfRubbishAreRefusedBeforeTheyAreRead) {
  const fs::path file = write("rubbish.json", "");
  fs::resize_file(file, 2'000'000'000);  // a sparse file: takes no disk
  EXPECT_EQ(complaint_about(file, 64_MB), "is 2 GB long, accepted are at most 64 MB");
}

TEST_F(Files, AFileThatLiesAboutItsSizeIsStillLimited) {
  // The kernel says 0 bytes for /proc files and delivers more.
  EXPECT_EQ(complaint_about("/proc/self/maps", Bytes{10}), "is longer than the accepted 10 B");
}

TEST(JsonText, SyntaxErrorsGiveLineAndColumn) {
  EXPECT_EQ(complaint("{\n  \"a\": [1,\n  2,}"),
            "plan.json: line 3, column 5: not valid JSON: unexpected '}'; expected '[', '{', or a "
            "literal");
  EXPECT_EQ(complaint("{\"a\": 1} x"),
            "plan.json: line 1, column 10: not valid JSON: invalid literal; expected end of input");
  EXPECT_EQ(complaint("{\"a\": \"b"),
            "plan.json: line 1, column 9: not valid JSON: invalid string: missing closing quote");
}

TEST(JsonText, NothingIsNotJson) {
  EXPECT_EQ(complaint(""), "plan.json: is empty, expected JSON");
  EXPECT_EQ(complaint(" \n\t"), "plan.json: is empty, expected JSON");
}

TEST(JsonText, NumbersAreFinite) {
  EXPECT_EQ(complaint("[NaN]"), "plan.json: line 1, column 2: not valid JSON: invalid literal");
  EXPECT_EQ(complaint("[Infinity]"),
            "plan.json: line 1, column 2: not valid JSON: invalid literal");
  EXPECT_EQ(complaint("[1e999]"),
            "plan.json: line 1, column 6: not valid JSON: number overflow parsing '1e999'");
}

TEST(JsonText, AKeyMayAppearOnce) {
  EXPECT_EQ(complaint(R"({"a": 1, "a": 1})"), "plan.json: a: the key appears twice in one object");
  EXPECT_EQ(complaint(R"({"hosts": [{}, {"nics": {"a": 1, "a": 1}}]})"),
            "plan.json: hosts[1].nics.a: the key appears twice in one object");
  EXPECT_EQ(complaint(R"({"x": {"a": 1}, "y": {"a": 1}})"),
            R"(accepted: {"x":{"a":1},"y":{"a":1}})");
}

TEST(JsonText, NestingEndsAt64Levels) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(complaint(nested(64)), "accepted: " + nested(64));
  EXPECT_EQ(complaint(nested(65)), "plan.json: nested deeper than 64 levels");
  EXPECT_EQ(complaint(nested(1'000'000)), "plan.json: nested deeper than 64 levels");
}

TEST(JsonText, AZeroByteDoesNotEndTheText) {
  EXPECT_EQ(complaint(std::string("{}\0rubbish", 10)),
            "plan.json: line 1, column 3: not valid JSON: a zero byte; is this a text file?");
}

TEST(JsonText, BytesThatAreNotUtf8AreRefused) {
  EXPECT_EQ(complaint("[\"\xff\"]"),
            "plan.json: line 1, column 3: not valid JSON: invalid string: ill-formed UTF-8 byte");
}

TEST(JsonText, RubbishIsNotEchoedWhole) {
  const std::string rubbish(1'000'000, 'x');
  EXPECT_LT(complaint(rubbish).size(), 200u);
  EXPECT_LT(complaint("{\"" + rubbish + "\": 1, \"" + rubbish + "\": 2}").size(), 200u);
  EXPECT_LT(complaint("[" + std::string(1'000'000, '9') + "]").size(), 200u);
}

}  // namespace
}  // namespace quintet
