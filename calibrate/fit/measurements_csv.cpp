#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "calibrate/fit/measurement_files.h"
#include "calibrate/fit/swept_words.h"
#include "sim/base/csv.h"
#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"

namespace quintet::calibrate {
namespace {

class Header {
 public:
  explicit Header(const CsvRow& row) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) columns_.emplace(row.cells[i], i);
  }
  bool has(const std::string& name) const { return columns_.contains(name); }
  bool has_all(std::span<const char* const> names) const {
    for (const char* const name : names)
      if (!has(name)) return false;
    return true;
  }
  std::optional<std::size_t> at(const std::string& name) const {
    const auto found = columns_.find(name);
    return found == columns_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, std::size_t> columns_;
};

// A row by its columns' names; the first thing wrong with it is kept.
class Cells {
 public:
  Cells(const Header& header, const CsvRow& row, const std::string& file)
      : header_(header), row_(row), file_(file) {}

  std::string text(const char* column) const {
    const auto at = header_.at(column);
    return at && *at < row_.cells.size() ? row_.cells[*at] : std::string();
  }
  bool empty(const char* column) const { return text(column).empty(); }
  double number(const char* column, double least) {
    const std::string cell = text(column);
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool whole = error == std::errc{} && end == cell.data() + cell.size();
    if (!whole || !std::isfinite(value) || value < least || value > 1e18)
      fail(column, "a number of " + shown_number(least) + " or more");
    return value;
  }
  double positive(const char* column) {
    const double value = number(column, 0);
    if (!error_ && value <= 0) fail(column, "a number above 0");
    return value;
  }
  int count_or(const char* column, int fallback, int least) {
    if (empty(column)) return fallback;
    const double value = number(column, least);
    if (!error_ && (value != std::floor(value) || value > 1e8)) fail(column, "a whole number");
    return error_ ? fallback : static_cast<int>(value);
  }
  // Its first word: "fp8 (1x128 scales)" is fp8. Nothing of types that no formula here has.
  std::optional<DataType> type(const char* column) const {
    const std::string word = text(column);
    const Result<DataType> found = parse_data_type(word.substr(0, word.find(' ')));
    return found ? std::optional(*found) : std::nullopt;
  }
  bool truth(const char* column) {
    const std::string word = text(column);
    if (word == "True" || word == "true" || word == "1") return true;
    if (word != "False" && word != "false" && word != "0") fail(column, "True or False");
    return false;
  }
  void fail(const char* column, const std::string& expected) {
    if (error_) return;
    error_ = Error{fmt::format("{}: line {}, column {}", file_, row_.line, column),
                   "expected " + expected + ", found " + in_quotes(text(column))};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  static std::string shown_number(double value) {
    return std::to_string(static_cast<long long>(value));
  }
  const Header& header_;
  const CsvRow& row_;
  const std::string& file_;
  std::optional<Error> error_;
};

void take_collective(Cells& cells, const std::string& file, Measurements& into) {
  if (cells.empty("bytes") || cells.empty("time_us")) return;
  CollectiveSample sample;
  const auto kind = swept_named(cells.text("collective"));
  if (!kind) return;  // what no plan has: gathers, exchanges of their own
  sample.kind = *kind;
  sample.ranks = cells.count_or("ranks", 0, 1);
  sample.hosts = cells.count_or("nodes", 1, 1);
  sample.size = {cells.number("bytes", 0)};
  sample.time = {cells.number("time_us", 0) * 1e-6};
  sample.gpu = cells.text("gpu");
  sample.system = cells.text("system");
  sample.network = cells.text("interconnect");
  sample.algorithm = cells.text("algo");
  sample.protocol = cells.text("protocol");
  sample.source = file;
  if (sample.ranks >= 2 && sample.size.value > 0 && sample.time.value > 0)
    into.collectives.push_back(sample);
}

void take_gemm(Cells& cells, const std::string& file, Measurements& into) {
  if (cells.empty("time_us") || cells.empty("m") || cells.empty("n") || cells.empty("k")) return;
  const auto type = cells.type("dtype");
  if (!type || !cells.empty("groups")) return;
  GemmSample sample{*type,
                    cells.number("m", 1),
                    cells.number("n", 1),
                    cells.number("k", 1),
                    Seconds{cells.positive("time_us") * 1e-6},
                    cells.text("gpu"),
                    cells.text("library"),
                    file};
  into.gemms.push_back(sample);
}

void take_attention(Cells& cells, const std::string& file, Measurements& into) {
  if (cells.empty("tflops") || !cells.empty("sliding_window")) return;
  if (!cells.empty("head_dim_v") && cells.text("head_dim_v") != cells.text("head_dim")) return;
  const auto type = cells.type("dtype");
  if (!type) return;
  AttentionSample sample;
  const std::string pass = cells.text("pass");
  if (pass != "fwd" && pass != "bwd" && pass != "fwd+bwd")
    cells.fail("pass", "fwd, bwd or fwd+bwd");
  sample.pass = pass == "fwd"   ? AttentionPass::forward
                : pass == "bwd" ? AttentionPass::backward
                                : AttentionPass::both;
  sample.type = *type;
  sample.causal = cells.truth("causal");
  sample.sequences = cells.number("batch", 1);
  sample.heads = cells.number("heads", 1);
  sample.length = cells.number("seq", 1);
  sample.head_dim = cells.number("head_dim", 1);
  sample.gpu = cells.text("gpu");
  sample.kernel = cells.text("kernel");
  sample.source = file;
  const double work = 4 * sample.sequences * sample.heads * sample.length * sample.length *
                      sample.head_dim * (sample.causal ? 0.5 : 1);
  const double times = pass == "fwd" ? 1 : pass == "bwd" ? 2.5 : 3.5;
  sample.time = {work * times / (cells.positive("tflops") * 1e12)};
  into.attentions.push_back(sample);
}

// Tensors of the forward kernels that read their inputs and write their output once.
int tensors_of(const std::string& operation) {
  constexpr std::array<std::pair<const char*, int>, 3> known{
      {{"input_layernorm", 2}, {"mlp_act", 3}, {"add", 3}}};
  for (const auto& [word, tensors] : known)
    if (operation == word) return tensors;
  return 0;
}

void take_memory(Cells& cells, const std::string& file, Measurements& into) {
  const std::string operation = cells.text("op");
  if (cells.empty("time_ms") || cells.empty("rows") || cells.empty("cols") ||
      tensors_of(operation) == 0)
    return;
  const auto type = cells.type("dtype");
  if (!type) return;
  MemorySample sample{operation,
                      cells.text("pass") == "bwd",
                      cells.number("rows", 1),
                      cells.number("cols", 1),
                      tensors_of(operation),
                      *type,
                      Seconds{cells.positive("time_ms") * 1e-3},
                      cells.text("gpu"),
                      cells.text("backend"),
                      file};
  // Phi-2's kernels are others (LayerNorm, plain GELU, two additions) under the same names.
  if (cells.text("notes").find("phi-2") == std::string::npos) into.memories.push_back(sample);
}

constexpr std::array<const char*, 4> collective_columns{"collective", "bytes", "time_us", "ranks"};
constexpr std::array<const char*, 6> gemm_columns{"m", "n", "k", "time_us", "gpu", "dtype"};
constexpr std::array<const char*, 9> attention_columns{
    "pass", "causal", "batch", "seq", "heads", "head_dim", "tflops", "gpu", "kernel"};
constexpr std::array<const char*, 6> memory_columns{"op",      "rows", "cols",
                                                    "time_ms", "gpu",  "dtype"};
constexpr std::array<const char*, 3> vidur_columns{"num_workers", "devices_per_node", "size"};

using Take = void (*)(Cells&, const std::string&, Measurements&);

Take take_of(const Header& header) {
  if (header.has_all(collective_columns)) return take_collective;
  if (header.has_all(gemm_columns)) return take_gemm;
  if (header.has_all(attention_columns)) return take_attention;
  if (header.has_all(memory_columns)) return take_memory;
  return nullptr;
}

// Vidur has a row for every rank: the slowest's median counts.
Result<Measurements> vidur(const std::vector<CsvRow>& rows, const std::string& file, Swept kind,
                           const char* time_column) {
  const Header header(rows.front());
  std::map<std::tuple<int, int, double>, double> slowest;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    Cells cells(header, rows[i], file);
    const int ranks = cells.count_or("num_workers", 0, 2);
    const int per_host = cells.count_or("devices_per_node", 1, 1);
    const double size = cells.positive("size"), time = cells.positive(time_column);
    if (cells.error()) return *cells.error();
    double& known = slowest[{std::max(1, ranks / per_host), ranks, size}];
    known = std::max(known, time * 1e-3);
  }
  Measurements measurements;
  for (const auto& [key, time] : slowest)
    measurements.collectives.push_back({.kind = kind,
                                        .hosts = std::get<0>(key),
                                        .ranks = std::get<1>(key),
                                        .size = {std::get<2>(key)},
                                        .time = {time},
                                        .source = file});
  return measurements;
}

std::optional<Error> named_twice(const CsvRow& head, const std::string& file) {
  for (auto cell = head.cells.begin(); cell != head.cells.end(); ++cell)
    if (!cell->empty() && std::find(head.cells.begin(), cell, *cell) != cell)
      return Error{fmt::format("{}: line {}", file, head.line),
                   "column " + in_quotes(*cell) + " is named twice; keep one"};
  return std::nullopt;
}

// A line that is longer or shorter than the header says something else than it seems to.
std::optional<Error> misshapen(const std::vector<CsvRow>& rows, const std::string& file) {
  const std::size_t columns = rows.front().cells.size();
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i].cells.size() != columns)
      return Error{fmt::format("{}: line {}", file, rows[i].line),
                   fmt::format("has {} cells, the header has {}", rows[i].cells.size(), columns)};
  return std::nullopt;
}

}  // namespace

Result<Measurements> parse_measurements_csv(const std::string& text, const std::string& file) {
  const Result<std::vector<CsvRow>> rows = parse_csv(text, file);
  if (!rows) return rows.error();
  if (rows->empty()) return Error{file, "is empty; expected a header line that names columns"};
  const Header header(rows->front());
  if (const auto wrong = named_twice(rows->front(), file)) return *wrong;
  if (header.has_all(vidur_columns)) {
    if (header.has("time_stats.all_reduce.median"))
      return vidur(*rows, file, Swept::all_reduce, "time_stats.all_reduce.median");
    if (header.has("time_stats.send_recv.median"))
      return vidur(*rows, file, Swept::send_receive, "time_stats.send_recv.median");
  }
  const Take take = take_of(header);
  if (take == nullptr)
    return Error{
        fmt::format("{}: line {}", file, rows->front().line),
        "its columns are of no known table; accepted are bytes, time_us, collective, ranks "
        "(collectives), m, n, k, time_us, gpu, dtype (GEMMs), pass, causal, batch, seq, "
        "heads, head_dim, tflops, gpu, kernel (attention), op, rows, cols, time_ms, gpu, "
        "dtype (kernels that memory bounds), Vidur's network tables"};
  if (const auto wrong = misshapen(*rows, file)) return *wrong;
  Measurements measurements;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    Cells cells(header, (*rows)[i], file);
    take(cells, file, measurements);
    if (cells.error()) return *cells.error();
  }
  return measurements;
}

}  // namespace quintet::calibrate
