#include "sim/base/output_place.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::optional<Error>& error) {
  return error ? error->text() : "fine";
}

class OutputPlace : public testing::Test {
 protected:
  fs::path file(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name) const { std::ofstream(file(name)) << "text"; }

  TemporaryFolder folder_;
};

TEST_F(OutputPlace, IsFineAndLeftAsItWas) {
  EXPECT_EQ(text_of(no_place("--html", file("new.html"))), "fine");
  EXPECT_FALSE(fs::exists(file("new.html")));
  write("old.html");
  EXPECT_EQ(text_of(no_place("--html", file("old.html"))), "fine");
  EXPECT_EQ(fs::file_size(file("old.html")), 4u);
  EXPECT_EQ(text_of(no_place("--html", "/dev/full")), "fine");  // known only when it is written
}

TEST_F(OutputPlace, IsRefusedWithWhatWouldDo) {
  fs::create_directory(file("folder"));
  write("file");
  fs::create_symlink("loop", file("loop"));
  const auto said = [&](const fs::path& name) { return text_of(no_place("-o", name)); };
  const auto tells = [&](const fs::path& name, const char* what) {
    EXPECT_NE(said(name).find(what), std::string::npos) << said(name);
  };
  tells(file("folder"), "is a directory, expected a file to write");
  tells(file("nowhere/x"), "make it (mkdir -p ");
  tells(file("file/x"), "is a file; name another place");
  tells(file("loop/x"), "symbolic links; name another place");
  tells(file("loop"), "name another place");
  tells(file(std::string(300, 'x')), "File name too long; name another place");
  tells("/proc/x", "name another place");
}

TEST_F(OutputPlace, IsNoneWhereWhatIsReadLies) {
  write("plan.json");
  fs::create_symlink("plan.json", file("link.json"));
  const std::vector<std::string> read{"", "gpt2", file("plan.json").string()};
  EXPECT_EQ(text_of(onto_input("--trace", file("step.json"), read)), "fine");
  EXPECT_EQ(text_of(onto_input("--trace", "", read)), "fine");
  for (const char* const name : {"plan.json", "link.json", "./plan.json"})
    EXPECT_NE(text_of(onto_input("--trace", file(name), read)).find("would be lost"),
              std::string::npos);
}

TEST_F(OutputPlace, IsOfOneOutput) {
  const std::string one = file("one").string(), same = (file(".") / "one").string();
  EXPECT_EQ(text_of(one_place({{"--trace", one}, {"--html", ""}, {"-o", ""}})), "fine");
  EXPECT_EQ(text_of(one_place({{"--trace", one}, {"--html", same}})),
            "--html " + same + ": is what --trace writes, too; name another file");
}

}  // namespace
}  // namespace quintet::test
