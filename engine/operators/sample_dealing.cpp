#include "engine/operators/sample_dealing.h"

#include <cassert>
#include <cstring>

#include "sim/samples/presort.h"

namespace quintet::engine {

namespace {

// Rows of a sample's numbers.
constexpr std::size_t tokens_row = 0, targets_row = 1, mask_row = 2, types_row = 3;
// Numbers of two bytes have no sign: what may be no_target is kept one higher.
static_assert(no_target == -1);

void append(Batch& batch, const std::vector<TokenId>& tokens, const std::vector<TokenId>& targets,
            const std::vector<std::int32_t>& types, std::int32_t label) {
  batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
  batch.tokens.insert(batch.tokens.end(), tokens.begin(), tokens.end());
  batch.targets.insert(batch.targets.end(), targets.begin(), targets.end());
  batch.types.insert(batch.types.end(), types.begin(), types.end());
  for (std::int32_t place = 0; place < static_cast<std::int32_t>(tokens.size()); ++place)
    batch.positions.push_back(place);
  if (label != no_target) batch.labels.push_back(label);
}

}  // namespace

std::size_t SampleDealing::first_number(std::size_t sample) const {
  return sample * static_cast<std::size_t>(group_.format.numbers_of_a_sample());
}

std::int32_t SampleDealing::number(std::size_t at) const {
  const std::byte* const from = all_.bytes().data();
  if (size_of(group_.format.type) == Bytes{4}) {
    std::int32_t value = 0;
    std::memcpy(&value, from + 4 * at, sizeof value);
    return value;
  }
  std::uint16_t value = 0;
  std::memcpy(&value, from + 2 * at, sizeof value);
  return value;
}

void SampleDealing::set_number(std::size_t at, std::int32_t value) {
  std::byte* const to = all_.bytes().data();
  if (size_of(group_.format.type) == Bytes{4}) {
    std::memcpy(to + 4 * at, &value, sizeof value);
    return;
  }
  assert(value >= 0 && value <= 0xffff);
  const auto small = static_cast<std::uint16_t>(value);
  std::memcpy(to + 2 * at, &small, sizeof small);
}

void SampleDealing::write(const Batch& batch, std::size_t inside, std::size_t sample) {
  const auto begin = static_cast<std::size_t>(batch.starts[inside]);
  const auto end = static_cast<std::size_t>(batch.starts[inside + 1]);
  const auto longest = static_cast<std::size_t>(group_.format.length);
  const std::size_t first = first_number(sample);
  assert(end - begin <= longest);
  for (std::size_t token = begin; token < end; ++token) {
    const std::size_t at = first + (token - begin);
    set_number(at + tokens_row * longest, batch.tokens[token]);
    set_number(at + targets_row * longest, batch.targets[token] + 1);
    set_number(at + mask_row * longest, 1);
    if (group_.format.rows > static_cast<std::int64_t>(types_row))
      set_number(at + types_row * longest, batch.types[token]);
  }
  const std::int32_t label = batch.labels.empty() ? no_target : batch.labels[inside];
  set_number(first_number(sample + 1) - 1, label + 1);
}

Buffer& SampleDealing::pack(const std::vector<Batch>& mine) {
  batches_.clear();
  each_ = 0;
  for (const Batch& batch : mine) {
    assert(batch.starts.size() > static_cast<std::size_t>(batch.sequences));
    each_ += static_cast<std::size_t>(batch.sequences);
    batches_.push_back(
        {batch.first_sequence, batch.sequences, batch.length, {}, {}, {}, {}, {}, {}});
  }
  const std::size_t all = each_ * static_cast<std::size_t>(group_.ranks);
  const auto count = static_cast<Index>(first_number(all));
  if (all_.count() != count) all_ = Buffer(count, group_.format.type);
  std::memset(all_.bytes().data(), 0, all_.bytes().size());
  std::size_t sample = each_ * static_cast<std::size_t>(group_.position);
  for (const Batch& batch : mine)
    for (std::size_t inside = 0; inside < static_cast<std::size_t>(batch.sequences); ++inside)
      write(batch, inside, sample++);
  return all_;
}

int SampleDealing::length_of(std::size_t sample) const {
  const auto longest = static_cast<std::size_t>(group_.format.length);
  const std::size_t mask = first_number(sample) + mask_row * longest;
  int length = 0;
  for (std::size_t place = 0; place < longest && number(mask + place) != 0; ++place) ++length;
  return length;
}

SampleDealing::Sample SampleDealing::read(std::size_t sample) const {
  const auto longest = static_cast<std::size_t>(group_.format.length);
  const std::size_t first = first_number(sample);
  Sample found;
  const auto length = static_cast<std::size_t>(length_of(sample));
  for (std::size_t at = first; at < first + length; ++at) {
    found.tokens.push_back(number(at + tokens_row * longest));
    found.targets.push_back(number(at + targets_row * longest) - 1);
    if (group_.format.rows > static_cast<std::int64_t>(types_row))
      found.types.push_back(number(at + types_row * longest));
  }
  found.label = number(first_number(sample + 1) - 1) - 1;
  return found;
}

const std::vector<Batch>& SampleDealing::deal() {
  std::vector<int> lengths(each_ * static_cast<std::size_t>(group_.ranks));
  for (std::size_t sample = 0; sample < lengths.size(); ++sample)
    lengths[sample] = length_of(sample);
  const auto dealt = snaked(lengths, static_cast<std::size_t>(group_.ranks));
  auto next = dealt[static_cast<std::size_t>(group_.position)].begin();
  for (Batch& batch : batches_) {
    for (int inside = 0; inside < batch.sequences; ++inside) {
      const Sample sample = read(*next++);
      append(batch, sample.tokens, sample.targets, sample.types, sample.label);
    }
    batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
  }
  return batches_;
}

}  // namespace quintet::engine
