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
#include "engine/files/data/whole_documents.h"
#include "sim/base/result.h"

namespace quintet {

using RowSource = std::variant<TokenWindows, PackedDocuments, WholeDocuments>;

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

// Every micro-batch takes so many rows of each bin, bin by bin (stratified sampling, arXiv
// 2402.02447). Each bin is gone through for itself, in an order anew in every epoch of its own.
struct Strata {
  std::vector<std::vector<std::int64_t>> rows;  // of each bin; some where its count is not 0
  std::vector<int> counts;
};
// Bins of documents by their length, `longest` of each ascending, the last that of the data. The
// error names a bin that is asked for and empty.
Result<Strata> strata_of(const WholeDocuments& documents, const std::vector<int>& longest,
                         const std::vector<int>& counts);

class BatchSampler {
 public:
  BatchSampler(RowSource rows, SamplerState state, RowOrder order);

  // Batches have as many sequences as the strata's counts from here on.
  void set_strata(Strata strata) { strata_ = std::move(strata); }
  void set_bert_tasks(BertTasks tasks) { bert_ = std::move(tasks); }

  Result<Batch> batch(const BatchPart& part) const;
  // To the next step: past `sequences` of all ranks together.
  void advance(std::int64_t sequences) { state_.next_sequence += sequences; }
  const SamplerState& state() const { return state_; }

  // Whether every row has a target at each of its tokens, before any are masked.
  bool all_count() const { return std::holds_alternative<TokenWindows>(rows_); }
  std::int64_t rows_per_epoch() const;
  std::int64_t row_of_sequence(std::int64_t sequence) const;

 private:
  std::int64_t row_of_stratum(std::int64_t sequence) const;
  Result<TokenRow> row(std::int64_t index) const;
  Result<TokenRow> sequence(std::int64_t number) const;

  RowSource rows_;
  SamplerState state_;
  RowOrder order_;
  std::optional<Strata> strata_;
  std::optional<BertTasks> bert_;
};

}  // namespace quintet
