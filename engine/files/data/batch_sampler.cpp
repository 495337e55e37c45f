#include "engine/files/data/batch_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "engine/files/storage/counter_random.h"

namespace quintet {
namespace {

int length_of(const RowSource& rows) {
  return std::visit([](const auto& source) { return source.length(); }, rows);
}

void append_positions(Batch& batch, const TokenRow& row) {
  const auto length = static_cast<std::int32_t>(row.tokens.size());
  const auto offset = static_cast<std::int32_t>(batch.tokens.size());
  for (std::size_t i = 0; i < row.document_starts.size(); ++i) {
    const std::int32_t start = row.document_starts[i];
    const std::int32_t end =
        i + 1 < row.document_starts.size() ? row.document_starts[i + 1] : length;
    batch.starts.push_back(offset + start);
    for (std::int32_t position = 0; position < end - start; ++position)
      batch.positions.push_back(position);
  }
}

void append(Batch& batch, const TokenRow& row) {
  append_positions(batch, row);
  batch.tokens.insert(batch.tokens.end(), row.tokens.begin(), row.tokens.end());
  batch.targets.insert(batch.targets.end(), row.targets.begin(), row.targets.end());
  batch.types.insert(batch.types.end(), row.types.begin(), row.types.end());
  if (row.label != no_target) batch.labels.push_back(row.label);
}

}  // namespace

Result<Strata> strata_of(const WholeDocuments& documents, const std::vector<int>& longest,
                         const std::vector<int>& counts) {
  assert(longest.size() == counts.size() && longest.back() >= documents.length());
  Strata strata{std::vector<std::vector<std::int64_t>>(longest.size()), counts};
  for (std::int64_t index = 0; index < documents.count(); ++index) {
    const auto bin = std::lower_bound(longest.begin(), longest.end(), documents.length_of(index));
    strata.rows[static_cast<std::size_t>(bin - longest.begin())].push_back(index);
  }
  for (std::size_t bin = 0; bin < longest.size(); ++bin)
    if (counts[bin] > 0 && strata.rows[bin].empty())
      return Error{
          "data", fmt::format("holds no document of {} to {} tokens, of which "
                              "parallelism.samples.counts[{}] asks for {}",
                              bin == 0 ? 2 : longest[bin - 1] + 1, longest[bin], bin, counts[bin])};
  return strata;
}

BatchSampler::BatchSampler(RowSource rows, SamplerState state, RowOrder order)
    : rows_(std::move(rows)), state_(state), order_(order) {
  assert(state.next_sequence >= 0);
}

std::int64_t BatchSampler::rows_per_epoch() const {
  return std::visit([](const auto& source) { return source.count(); }, rows_);
}

std::int64_t BatchSampler::row_of_sequence(std::int64_t sequence) const {
  if (strata_) return row_of_stratum(sequence);
  const std::int64_t rows = rows_per_epoch();
  const std::int64_t epoch = sequence / rows, index = sequence % rows;
  if (order_ == RowOrder::as_in_the_file) return index;
  return static_cast<std::int64_t>(shuffled({state_.seed, static_cast<std::uint64_t>(epoch)},
                                            static_cast<std::uint64_t>(index),
                                            static_cast<std::uint64_t>(rows)));
}

// Sequences of a micro-batch come bin by bin; each takes its bin's next row.
std::int64_t BatchSampler::row_of_stratum(std::int64_t sequence) const {
  const std::int64_t each = std::accumulate(strata_->counts.begin(), strata_->counts.end(), 0);
  std::int64_t inside = sequence % each;
  std::size_t bin = 0;
  while (inside >= strata_->counts[bin]) inside -= strata_->counts[bin++];
  const std::vector<std::int64_t>& rows = strata_->rows[bin];
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::int64_t number = sequence / each * strata_->counts[bin] + inside;
  if (order_ == RowOrder::as_in_the_file) return rows[static_cast<std::size_t>(number % count)];
  // A stream for each bin and epoch.
  const auto stream = static_cast<std::uint64_t>(number / count) * strata_->rows.size() + bin;
  return rows[static_cast<std::size_t>(shuffled({state_.seed, stream},
                                                static_cast<std::uint64_t>(number % count),
                                                static_cast<std::uint64_t>(count)))];
}

Result<TokenRow> BatchSampler::row(std::int64_t index) const {
  return std::visit([&](const auto& source) { return source.row(index); }, rows_);
}

Result<TokenRow> BatchSampler::sequence(std::int64_t number) const {
  Result<TokenRow> found = row(row_of_sequence(number));
  if (!found || !bert_) return found;
  if (bert_->sentences == BertTasks::Sentences::pairs) {
    const Result<TokenRow> other = row(other_row(bert_->masking.seed, number, rows_per_epoch()));
    if (!other) return other;
    pair_sentences(*found, *other, bert_->masking.seed, number);
  }
  mask_tokens(*found, bert_->masking, number);
  return found;
}

Result<Batch> BatchSampler::batch(const BatchPart& part) const {
  assert(part.micro_batch >= 0 && part.micro_batch < part.micro_batches && part.sequences > 0);
  const std::int64_t before =
      (std::int64_t{part.data_rank} * part.micro_batches + part.micro_batch) * part.sequences;
  Batch batch{.first_sequence = state_.next_sequence + before,
              .sequences = part.sequences,
              .length = length_of(rows_)};
  for (int i = 0; i < part.sequences; ++i) {
    const Result<TokenRow> row = sequence(batch.first_sequence + i);
    if (!row) return row.error();
    append(batch, *row);
  }
  batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
  return batch;
}

}  // namespace quintet
