#include "sim/samples/length_histogram.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "sim/base/csv.h"
#include "sim/base/shown_text.h"

namespace quintet {

namespace {

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

double share_between(const LengthHistogram& lengths, int from, int to) {
  const auto all = static_cast<int>(lengths.share.size());
  return std::accumulate(lengths.share.begin() + std::clamp(from, 0, all),
                         lengths.share.begin() + std::clamp(to, 0, all), 0.0);
}

LengthHistogram cut_to(const LengthHistogram& lengths, int longest) {
  const auto most = static_cast<std::size_t>(longest);
  if (lengths.share.size() <= most) return lengths;
  LengthHistogram cut{std::vector<double>(most, 0.0)};
  for (std::size_t length = 1; length <= lengths.share.size(); ++length) {
    const double share = lengths.share[length - 1];
    cut.share[most - 1] += share * static_cast<double>(length / most);
    if (length % most != 0) cut.share[length % most - 1] += share;
  }
  const double all = std::accumulate(cut.share.begin(), cut.share.end(), 0.0);
  for (double& share : cut.share) share /= all;
  return cut;
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
      return Error{
          fmt::format("{}: line {}", file, row.line),
          "expected a length of 1 to 1048576 tokens and how many sequences have it, found " +
              in_quotes(fmt::format("{}", fmt::join(row.cells, ",")))};
    const auto index = static_cast<std::size_t>(*length) - 1;
    if (lengths.share.size() <= index) lengths.share.resize(index + 1, 0.0);
    lengths.share[index] += *count;
  }
  const double all = std::accumulate(lengths.share.begin(), lengths.share.end(), 0.0);
  if (all <= 0)
    return Error{file, "no sequence is counted; expected lines of a length and how many have it"};
  for (double& share : lengths.share) share /= all;
  return lengths;
}

}  // namespace quintet
