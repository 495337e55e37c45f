#include "sim/validate/rows/packed_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <random>

#include "sim/base/csv.h"

namespace quintet {

namespace {

constexpr int strata = 4;

// Draws lengths from a part of the histogram. Not std::discrete_distribution, whose numbers differ
// between standard libraries.
class Drawer {
 public:
  Drawer(const LengthHistogram& lengths, std::size_t from, std::size_t to) : first_(from) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) up_to_.push_back(sum += lengths.share[i]);
  }

  double weight() const { return up_to_.empty() ? 0.0 : up_to_.back(); }

  int draw(std::mt19937_64& random) const {
    const double at = static_cast<double>(random() >> 11) * 0x1p-53 * weight();
    const auto found = std::upper_bound(up_to_.begin(), up_to_.end(), at);
    const auto index = std::min<std::ptrdiff_t>(found - up_to_.begin(),
                                                static_cast<std::ptrdiff_t>(up_to_.size()) - 1);
    return static_cast<int>(first_) + static_cast<int>(index) + 1;
  }

 private:
  std::size_t first_;
  std::vector<double> up_to_;
};

struct Quota {
  Drawer drawer;
  int count;
};

// How many sequences of a rank come from where: all from everywhere, or a rounded share of each
// quarter of the lengths, the largest remainders first.
std::vector<Quota> quotas(const LengthHistogram& lengths, int sequences, Dealing dealing) {
  const std::size_t longest = lengths.share.size();
  if (dealing != Dealing::stratified && dealing != Dealing::stratified_local_presort)
    return {{Drawer(lengths, 0, longest), sequences}};
  std::vector<Quota> found;
  std::vector<double> left;
  int given = 0;
  for (std::size_t i = 0; i < strata; ++i) {
    Drawer drawer(lengths, longest * i / strata, longest * (i + 1) / strata);
    const double wanted = drawer.weight() * sequences;
    found.push_back({std::move(drawer), static_cast<int>(wanted)});
    left.push_back(wanted - std::floor(wanted));
    given += found.back().count;
  }
  for (; given < sequences; ++given) {
    const auto most = std::max_element(left.begin(), left.end()) - left.begin();
    ++found[static_cast<std::size_t>(most)].count;
    left[static_cast<std::size_t>(most)] = -1;
  }
  return found;
}

// Onto the last `ranks` entries of `tokens`: sorted lengths go out in rows, every other one
// backwards.
void deal(std::vector<int>& drawn, std::size_t ranks, std::vector<double>& tokens) {
  std::sort(drawn.begin(), drawn.end(), std::greater<>());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::size_t place = i % ranks;
    const bool back = (i / ranks) % 2 == 1;
    tokens[tokens.size() - ranks + (back ? ranks - 1 - place : place)] += drawn[i];
  }
}

std::vector<double> one_step(const std::vector<Quota>& from, int ranks, int group,
                             std::mt19937_64& random) {
  std::vector<double> tokens;
  for (int first = 0; first < ranks; first += group) {
    const int members = std::min(group, ranks - first);
    std::vector<int> drawn;
    for (int rank = 0; rank < members; ++rank)
      for (const Quota& quota : from)
        for (int i = 0; i < quota.count; ++i) drawn.push_back(quota.drawer.draw(random));
    tokens.resize(tokens.size() + static_cast<std::size_t>(members), 0.0);
    deal(drawn, static_cast<std::size_t>(members), tokens);
  }
  return tokens;
}

int ranks_that_share(Dealing dealing, int ranks, int per_host) {
  switch (dealing) {
    case Dealing::random:
    case Dealing::stratified:
      return 1;
    case Dealing::local_presort:
    case Dealing::stratified_local_presort:
      return std::min(ranks, per_host);
    case Dealing::global_presort:
      return ranks;
  }
  return 1;
}

double moment(const LengthHistogram& lengths, double power) {
  double sum = 0;
  for (std::size_t i = 0; i < lengths.share.size(); ++i)
    sum += lengths.share[i] * std::pow(static_cast<double>(i + 1), power);
  return sum;
}

std::optional<double> number_of(const std::string& cell) {
  const std::optional<double> value = csv_number(cell);
  return value && *value >= 0 && *value <= 1e15 ? value : std::nullopt;
}

}  // namespace

double mean_length(const LengthHistogram& lengths) {
  return moment(lengths, 1);
}

double attention_length(const LengthHistogram& lengths) {
  return moment(lengths, 2) / moment(lengths, 1);
}

Result<LengthHistogram> parse_length_histogram(const std::string& text, const std::string& file) {
  const Result<std::vector<CsvRow>> rows = parse_csv(text, file);
  if (!rows) return rows.error();
  constexpr double longest = 1 << 20;
  LengthHistogram lengths;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const CsvRow& row = (*rows)[i];
    const std::optional<double> length =
        row.cells.size() == 2 ? number_of(row.cells[0]) : std::nullopt;
    const std::optional<double> count =
        row.cells.size() == 2 ? number_of(row.cells[1]) : std::nullopt;
    if (!length || !count || *length < 1 || *length > longest || *length != std::floor(*length))
      return Error{fmt::format("{}: line {}", file, row.line),
                   "expected a length of 1 to 1048576 tokens and how many sequences have it"};
    const auto index = static_cast<std::size_t>(*length) - 1;
    if (lengths.share.size() <= index) lengths.share.resize(index + 1, 0.0);
    lengths.share[index] += *count;
  }
  const double all = std::accumulate(lengths.share.begin(), lengths.share.end(), 0.0);
  if (all <= 0) return Error{file, "no sequence is counted"};
  for (double& share : lengths.share) share /= all;
  return lengths;
}

DealtBatch dealt_batch(const LengthHistogram& lengths, int ranks, int sequences, int per_host,
                       Dealing dealing) {
  assert(ranks >= 1 && sequences >= 1 && per_host >= 1 && !lengths.share.empty());
  constexpr double drawn_in_all = 2e6;  // leaves the mean of the largest within half a percent
  const int steps = static_cast<int>(
      std::clamp(drawn_in_all / (static_cast<double>(ranks) * sequences), 20.0, 2000.0));
  const std::vector<Quota> from = quotas(lengths, sequences, dealing);
  const int group = ranks_that_share(dealing, ranks, per_host);
  std::mt19937_64 random(1);
  DealtBatch batch{mean_length(lengths) * sequences, 0};
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> tokens = one_step(from, ranks, group, random);
    batch.slowest_tokens += *std::max_element(tokens.begin(), tokens.end()) / steps;
  }
  return batch;
}

EqualSequences equal_sequences(double tokens, double attention_length) {
  const int count = std::max(1, static_cast<int>(std::lround(tokens / attention_length)));
  return {count, std::max(1, static_cast<int>(std::lround(tokens / count)))};
}

}  // namespace quintet
