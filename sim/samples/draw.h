// How ranks draw a step's samples from a histogram of lengths. Pure: the same random numbers give
// the same lengths, with any standard library.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "sim/samples/length_histogram.h"

namespace quintet {

enum class SampleDraw {
  random,      // each from all of the data
  stratified,  // each rank takes a fixed number from each bin of lengths (arXiv 2402.02447)
  packed,      // samples put together into rows of full length (arXiv 2107.02027)
};
std::string_view name_of(SampleDraw draw);

// Draws lengths from a part of the histogram: those of `from` + 1 to `to` tokens. Not
// std::discrete_distribution, whose numbers differ between standard libraries.
class LengthDraw {
 public:
  LengthDraw(const LengthHistogram& lengths, std::size_t from, std::size_t to);

  double weight() const { return up_to_.empty() ? 0.0 : up_to_.back(); }
  int draw(std::mt19937_64& random) const;

 private:
  std::size_t first_;
  std::vector<double> up_to_;
};

// So many samples of a micro-batch come from there.
struct Quota {
  LengthDraw from;
  int count = 0;
};

// All from everywhere.
std::vector<Quota> unstratified(const LengthHistogram& lengths, int samples);
// longest[i]: that a sample of bin i may be, ascending; its shortest is one longer than that of the
// bin before. As many counts as bins.
std::vector<Quota> stratified(const LengthHistogram& lengths, const std::vector<int>& longest,
                              const std::vector<int>& counts);

// Four of equal width: 128, 256, 384, 512.
std::vector<int> equal_bins(int longest);
// Each bin's share of so many samples, rounded; the largest remainders first.
std::vector<int> counts_by_share(const LengthHistogram& lengths, const std::vector<int>& longest,
                                 int samples);

using Lengths = std::vector<int>;
// One rank's samples, quota by quota.
Lengths drawn(const std::vector<Quota>& from, std::mt19937_64& random);

}  // namespace quintet
