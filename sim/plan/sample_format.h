// What a rank sends of its samples when they are dealt anew by length before a step (arXiv
// 2402.02447; sim/samples/presort.h), as Samsung's MLPerf BERT packs it: for each sample, at full
// length, the tokens, what is to be said of each, which are there (the mask), of BERT the segment;
// and a label. A number takes 2 bytes where the vocabulary lets it. BERT with 16 samples of 512:
// (4 x 16 x 512 + 16) x 2 B = 65.6 KB.
#pragma once

#include <cstdint>

#include "sim/base/data_type.h"
#include "sim/model/model.h"
#include "sim/plan/parallelism.h"

namespace quintet {

struct SampleFormat {
  std::int64_t rows = 1;           // tokens, targets, mask, segments
  std::int64_t length = 1;         // of a sample at full length
  DataType type = DataType::fp32;  // only its size counts
  std::int64_t numbers_of_a_sample() const { return rows * length + 1; }
  bool operator==(const SampleFormat&) const = default;
};
SampleFormat sample_format(const Model& model, int sequence_length);

// The sum over all samples that a rank has in a step.
Bytes sample_bytes(const Model& model, const Parallelism& parallelism);

}  // namespace quintet
