// Samples of unequal length, dealt anew by length before a step (arXiv 2402.02447): what a rank
// sends of its own, and what is its own when all have been gathered. Program:
// sim/parallelism/exchange_bodies.h. In the host's memory.
#pragma once

#include <vector>

#include "engine/device/buffer.h"
#include "engine/files/data/batch.h"
#include "sim/plan/sample_format.h"

namespace quintet::engine {

struct SampleGroup {
  SampleFormat format;
  int position = 0, ranks = 1;  // of this rank among those that deal
};

class SampleDealing {
 public:
  explicit SampleDealing(const SampleGroup& group) : group_(group) {}

  // A buffer for all, with this rank's samples at its place. Batches of one document per sequence (others that follow are left out);
  // every rank's hold as many in all.
  Buffer& pack(const std::vector<Batch>& mine);
  // The same buffer, to be filled with what was gathered elsewhere.
  Buffer& gathered() { return all_; }
  // This rank's samples of what was gathered, longest first, in batches as those that were packed.
  // They stay until the next.
  const std::vector<Batch>& deal();

 private:
  struct Sample {
    std::vector<TokenId> tokens, targets;
    std::vector<std::int32_t> types;
    std::int32_t label = no_target;
  };
  std::size_t first_number(std::size_t sample) const;
  void write(const Batch& batch, std::size_t inside, std::size_t sample);
  Sample read(std::size_t sample) const;
  int length_of(std::size_t sample) const;
  std::int32_t number(std::size_t at) const;
  void set_number(std::size_t at, std::int32_t value);

  SampleGroup group_;
  std::size_t each_ = 0;  // samples of a rank
  Buffer all_;
  std::vector<Batch> batches_;
};

}  // namespace quintet::engine
