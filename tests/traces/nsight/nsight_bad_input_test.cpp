#include <gtest/gtest.h>

#include "tests/traces/nsight/export_file.h"
#include "traces/nsight/nsight.h"

namespace quintet {
namespace {

using Traces = Result<std::vector<RankTrace>>;

Traces parse(const ExportFile& file) {
  return parse_nsight(file.bytes(), "x.sqlite");
}

TEST(NsightReader, RefusesOtherDatabasesAndSaysWhatIsMissing) {
  ExportFile other;
  other.sql("CREATE TABLE cats (name TEXT)");
  const Traces cats = parse(other);
  ASSERT_FALSE(cats);
  EXPECT_EQ(cats.error().where, "x.sqlite");
  EXPECT_NE(cats.error().what.find("found cats"), std::string::npos);

  ExportFile no_start;
  no_start.sql("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (finish INTEGER, globalPid INTEGER)");
  const Traces missing = parse(no_start);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, "x.sqlite: table CUPTI_ACTIVITY_KIND_KERNEL");
  EXPECT_NE(missing.error().what.find("no column start"), std::string::npos);

  const Traces empty = parse(new_export());
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().what.find("no event"), std::string::npos);

  const std::string text = "{}";
  EXPECT_FALSE(parse_nsight(text, "x"));
  EXPECT_FALSE(is_nsight(text));
  EXPECT_FALSE(read_nsight("/nowhere/x.sqlite"));
  EXPECT_FALSE(read_nsight(std::filesystem::temp_directory_path()));
}

// A view named like a table could compute for ever.
TEST(NsightReader, LooksAtTablesOnly) {
  ExportFile file;
  file.sql(R"(CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i FROM n) SELECT i AS start, i AS end FROM n;)");
  EXPECT_FALSE(parse(file));
}

TEST(NsightReader, NamesTheRowWhoseValueIsNoNumber) {
  ExportFile file = one_process();
  file.sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon'");
  const Traces text = parse(file);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error(), (Error{"x.sqlite: table CUPTI_ACTIVITY_KIND_KERNEL",
                                 "row 1, column start: expected an integer, found \"soon\""}));
  file.sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -9223372036854775808");
  const Traces huge = parse(file);
  ASSERT_FALSE(huge);
  EXPECT_NE(huge.error().what.find("below 2^61"), std::string::npos);
}

TEST(NsightReader, ACutOffFileIsAnError) {
  ExportFile made = one_process();
  std::vector<char> bytes = made.bytes();
  for (std::size_t size = 0; size < bytes.size(); size += 512) {
    const Traces traces = parse_nsight(std::span(bytes).first(size), "x.sqlite");
    ASSERT_FALSE(traces) << size;
    EXPECT_EQ(traces.error().where, "x.sqlite");
  }
}

}  // namespace
}  // namespace quintet
