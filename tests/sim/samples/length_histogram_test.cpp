#include "sim/samples/length_histogram.h"

#include <gtest/gtest.h>

namespace quintet {
namespace {

// Half of 2 tokens, half of 6: mean 4, mean square 20.
LengthHistogram two_and_six() {
  return {{0, 0.5, 0, 0, 0, 0.5}};
}

TEST(LengthHistogram, IsReadAsShares) {
  const auto lengths = parse_length_histogram("length,count\n6,3\n2,7\n3,0\n6,4\n", "h.csv");
  ASSERT_TRUE(lengths) << lengths.error().text();
  EXPECT_EQ(*lengths, two_and_six());
  EXPECT_DOUBLE_EQ(mean_length(*lengths), 4);
  EXPECT_DOUBLE_EQ(attention_length(*lengths), 5);
}

TEST(LengthHistogram, IsRefusedWithItsPlace) {
  for (const char* bad : {"l,c\n0,1\n", "l,c\n1\n", "l,c\n1,x\n", "l,c\n1.5,2\n", "l,c\n1,-2\n",
                          "l,c\n2097152,1\n", "l,c\n1,2,3\n"}) {
    const auto lengths = parse_length_histogram(bad, "h.csv");
    ASSERT_FALSE(lengths) << bad;
    EXPECT_EQ(lengths.error().where, "h.csv: line 2");
  }
  EXPECT_EQ(
      parse_length_histogram("l,c\n1,x\n", "h.csv").error().text(),
      "h.csv: line 2: expected a length of 1 to 1048576 tokens and how many sequences have it, "
      "found \"1,x\"");
  EXPECT_FALSE(parse_length_histogram("l,c\n1,0\n", "h.csv"));
  EXPECT_FALSE(parse_length_histogram("", "h.csv"));
}

TEST(LengthHistogram, HasSharesBetweenLengths) {
  EXPECT_DOUBLE_EQ(share_between(two_and_six(), 0, 5), 0.5);
  EXPECT_DOUBLE_EQ(share_between(two_and_six(), 2, 5), 0);
  EXPECT_DOUBLE_EQ(share_between(two_and_six(), 5, 100), 0.5);
}

// A sample of 6 is cut to 4 and 2: of three pieces two are of 2 and one of 4.
TEST(LengthHistogram, IsCutAsDocumentsAre) {
  EXPECT_EQ(cut_to({{0, 0.5, 0, 0, 0, 0.5}}, 4).share,
            (std::vector<double>{0, 1.0 / 1.5, 0, 0.5 / 1.5}));
  EXPECT_EQ(cut_to(two_and_six(), 6), two_and_six());
}

}  // namespace
}  // namespace quintet
