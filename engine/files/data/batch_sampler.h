// Which rows a step trains on. Sequences are numbered from the beginning of training; number n is
// the same row, masked in the same way, whatever the ranks: a step's batch is a consecutive range
// of numbers, and every data-parallel rank takes its consecutive part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "engine/files/data/batch.h"
#include "engine/files/data/masking.h"
#include "engine/files/data/packing.h"
#include "engine/files/data/token_windows.h"
#include "sim/base/result.h"

namespace quintet {

using RowSource = std::variant<TokenWindows, PackedDocuments>;

enum class RowOrder { as_in_the_file, shuffled };  // shuffled: anew in every epoch

// All that a checkpoint has to keep.
struct SamplerState {
  std::uint64_t seed = 0;
  std::int64_t next_sequence = 0;
  bool operator==(const SamplerState&) const = default;
};

// Which part of a step's batch a micro-batch of a rank is.
struct BatchPart {
  int data_rank = 0;
  int micro_batch = 0;
  int micro_batches = 1;  // per rank and step
  int sequences = 1;      // per micro-batch
};

struct BertTasks {
  Masking masking;
  enum class Sentences { single, pairs } sentences = Sentences::single;
};

class BatchSampler {
 public:
  BatchSampler(RowSource rows, SamplerState state, RowOrder order);

  void set_bert_tasks(BertTasks tasks) { bert_ = std::move(tasks); }

  Result<Batch> batch(const BatchPart& part) const;
  // To the next step: past `sequences` of all ranks together.
  void advance(std::int64_t sequences) { state_.next_sequence += sequences; }
  const SamplerState& state() const { return state_; }

  std::int64_t rows_per_epoch() const;
  std::int64_t row_of_sequence(std::int64_t sequence) const;

 private:
  Result<TokenRow> row(std::int64_t index) const;
  Result<TokenRow> sequence(std::int64_t number) const;

  RowSource rows_;
  SamplerState state_;
  RowOrder order_;
  std::optional<BertTasks> bert_;
};

}  // namespace quintet
