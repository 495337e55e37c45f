// Samples of any length put whole into rows of one length (Krell et al., arXiv 2107.02027, section
// 3). Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/samples/draw.h"
#include "sim/samples/sample_work.h"

namespace quintet {

// Best fit, longest first: rows of at most `length` tokens. Indices into `samples`, none of which
// is longer than that.
std::vector<std::vector<std::size_t>> packed_rows(std::span<const int> samples, int length);

// What rows of a data set with these lengths come to: of a set of `samples` that has them in their
// shares, packed. What is left of a row is padding, which is one sample more.
std::vector<SampleWork> packed_rows_of(const LengthHistogram& lengths, int length, int samples);

}  // namespace quintet
