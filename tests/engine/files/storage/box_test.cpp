#include "engine/files/storage/box.h"

#include <gtest/gtest.h>

#include <numeric>

namespace quintet {
namespace {

using Bytes = std::vector<std::byte>;

// A byte per element, numbered in row-major order.
Bytes numbered(const Shape& shape) {
  Bytes bytes(static_cast<std::size_t>(elements(shape)));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

Bytes cut_out(const Shape& shape, const Box& box) {
  Bytes part(static_cast<std::size_t>(elements(box.shape)));
  copy_part(box, whole(shape), numbered(shape), box, part, 1);
  return part;
}

// 0 1 2 3 / 4 5 6 7 / 8 9 10 11: rows 1-2, columns 1-2 are 5 6 9 10.
TEST(Box, APartIsCopiedOutRowByRow) {
  const Bytes expected{std::byte{5}, std::byte{6}, std::byte{9}, std::byte{10}};
  EXPECT_EQ(cut_out({3, 4}, {{1, 1}, {2, 2}}), expected);
}

TEST(Box, AScalarIsOneElement) {
  EXPECT_EQ(elements({}), 1);
  EXPECT_EQ(cut_out({}, {}), Bytes{std::byte{0}});
}

TEST(Box, IntersectionIsWhatBothHold) {
  const Box left{{0, 0}, {4, 3}}, right{{2, 1}, {5, 9}};
  EXPECT_EQ(intersection(left, right), (Box{{2, 1}, {2, 2}}));
  EXPECT_EQ(intersection(left, {{4, 0}, {1, 1}}), std::nullopt);  // touches only
}

// A hole in the middle leaves a frame: 2 slabs of whole rows, 2 stubs beside the hole.
TEST(Box, WithoutAPartTheRestIsLeftOnce) {
  const std::vector<Box> frame = without({whole({4, 4})}, {{1, 1}, {2, 2}});
  EXPECT_EQ(frame, (std::vector<Box>{
                       {{0, 0}, {1, 4}}, {{3, 0}, {1, 4}}, {{1, 0}, {2, 1}}, {{1, 3}, {2, 1}}}));
  EXPECT_EQ(without({whole({4, 4})}, whole({4, 4})), std::vector<Box>{});
  EXPECT_EQ(without({whole({4, 4})}, {{9, 0}, {1, 1}}), std::vector<Box>{whole({4, 4})});
  EXPECT_EQ(without({whole({})}, whole({})), std::vector<Box>{});  // a scalar
}

TEST(Box, LiesInRefusesWhatWouldOverflow) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(lies_in({{1}, {2}}, {3}));
  EXPECT_FALSE(lies_in({{1}, {huge}}, {3}));
  EXPECT_FALSE(lies_in({{huge}, {huge}}, {3}));
  EXPECT_FALSE(lies_in({{-1}, {2}}, {3}));
  EXPECT_FALSE(lies_in({{1, 0}, {2, 1}}, {3}));
  EXPECT_EQ(checked_elements({huge, 2}), std::nullopt);
  EXPECT_EQ(checked_elements({3, -1}), std::nullopt);
}

// Every range of a 2 x 3 x 4 box inside a 5 x 5 x 5 tensor, against counting element by element.
TEST(Box, ARangeOfTheFlattenedBoxIsItsBoxesInOrder) {
  const Shape shape{5, 5, 5};
  const Box box{{1, 2, 0}, {2, 3, 4}};
  const Bytes flat = cut_out(shape, box);
  for (std::int64_t first = 0; first <= 24; ++first)
    for (std::int64_t last = first; last <= 24; ++last) {
      Bytes joined;
      const std::vector<Box> boxes = boxes_of_range(box, first, last);
      EXPECT_LE(boxes.size(), 5u);
      for (const Box& part : boxes) {
        EXPECT_TRUE(lies_in(part, shape));
        const Bytes bytes = cut_out(shape, part);
        joined.insert(joined.end(), bytes.begin(), bytes.end());
      }
      EXPECT_EQ(joined, Bytes(flat.begin() + first, flat.begin() + last)) << first << " " << last;
    }
}

}  // namespace
}  // namespace quintet
