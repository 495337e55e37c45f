#include "sim/validate/rows/mlperf_bert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "sim/base/csv.h"
#include "sim/base/quantile.h"

namespace quintet {

namespace {

constexpr int longest = 512;      // tokens
constexpr int most_at_once = 64;  // sequences whose activations the submitters' GPUs hold
constexpr int gpus_of_host = 8;
constexpr std::string_view header = "round,submitter,system,division,nodes,gpus,accelerator,";

// A row's cells by the header's names.
class Cells {
 public:
  Cells(const CsvRow& names, const CsvRow& row, const std::string& file)
      : names_(names.cells), row_(row), file_(file) {}

  std::string text(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    const auto index = static_cast<std::size_t>(found - names_.begin());
    return index < row_.cells.size() ? row_.cells[index] : "";
  }
  std::optional<double> number(std::string_view name) const { return csv_number(text(name)); }
  std::string place() const { return fmt::format("{}: line {}", file_, row_.line); }
  int line() const { return row_.line; }

 private:
  const std::vector<std::string>& names_;
  const CsvRow& row_;
  const std::string& file_;
};

using SystemKey = std::tuple<std::string, std::string, std::string>;

SystemKey key_of(const Cells& cells) {
  return {cells.text("round"), cells.text("submitter"), cells.text("system")};
}

// Seconds per sample between evaluations, of each system: the median over its runs.
Result<std::map<SystemKey, double>> paces(const std::string& text) {
  const std::string file = "bert_mlperf_runs.csv";
  const Result<std::vector<CsvRow>> rows = parse_csv(text, file);
  if (!rows) return rows.error();
  std::map<SystemKey, std::vector<double>> found;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const Cells cells(rows->front(), (*rows)[i], file);
    const auto gap = cells.number("median_eval_gap_s"), samples = cells.number("train_samples"),
               evaluations = cells.number("n_evals");
    if (cells.text("status") != "success" || !gap || !samples || !evaluations) continue;
    if (*gap > 0 && *samples > 0 && *evaluations >= 2)
      found[key_of(cells)].push_back(*gap * *evaluations / *samples);
  }
  std::map<SystemKey, double> medians;
  for (auto& [key, values] : found) medians[key] = upper_median(std::move(values));
  return medians;
}

// The card as the cost tables name it. Hosts of other sizes than the machines' are not theirs.
std::string gpu_of(const Cells& cells, int gpus, int hosts) {
  const std::string said = cells.text("accelerator");
  const auto has = [&](const char* word) { return said.find(word) != std::string::npos; };
  std::string name = has("H100") ? "H100" : "A100";
  name += has("SXM") ? "-SXM" : "-PCIe";
  name += has("40GB") ? "-40GB" : "-80GB";
  if (hosts > 1 && gpus != hosts * gpus_of_host)
    name += fmt::format(" in hosts of {}", gpus / hosts);
  return name;
}

Dealing dealing_of(const std::string& submitter) {
  return submitter == "Samsung" ? Dealing::stratified_local_presort : Dealing::global_presort;
}

// The fewest parts of equal size that a GPU's memory holds.
int accumulation_of(int sequences) {
  int parts = 1;
  while (sequences % parts != 0 || sequences / parts > most_at_once) ++parts;
  return parts;
}

void set_input(PublishedRow& row, int sequences, int hosts, const MlperfBert& given) {
  const int parts = accumulation_of(sequences);
  const int at_once = sequences / parts;
  EqualSequences equal{at_once, longest};
  const Dealing dealing = dealing_of(row.source);
  const int per_host = std::max(1, *row.gpus / std::max(1, hosts));
  const DealtBatch dealt = dealt_batch(given.lengths, *row.gpus, at_once, per_host, dealing);
  if (given.input == Input::packed)
    equal = equal_sequences(dealt.slowest_tokens, attention_length(given.lengths));
  row.seq = equal.length;
  row.mbs = equal.count;
  row.gbs = equal.count * parts * *row.gpus;
  row.notes = fmt::format(
      "{} sequences at once of {} tokens in the mean, {} on the slowest rank, {} padded", at_once,
      std::lround(dealt.mean_tokens), std::lround(dealt.slowest_tokens), at_once * longest);
}

void set_shape(PublishedRow& row) {
  row.model = "BERT-large";
  row.arch = "bert";
  row.layers = 24;
  row.hidden = 1024;
  row.heads = row.kv_heads = 16;
  row.ffn = 4096;
  row.vocab = 30528;  // padded to a multiple of 8
}

std::optional<double> step_of(const Cells& cells, double batch,
                              const std::map<SystemKey, double>& known) {
  if (const auto pace = known.find(key_of(cells)); pace != known.end()) return pace->second * batch;
  const auto rate = cells.number("samples_per_s_whole_run");
  if (!rate || *rate <= 0) return std::nullopt;
  return batch / *rate;
}

Result<PublishedRow> row_of(const Cells& cells, const MlperfBert& given,
                            const std::map<SystemKey, double>& known) {
  const auto gpus = cells.number("gpus"), hosts = cells.number("nodes"),
             batch = cells.number("global_batch");
  constexpr double most = 1e6;
  if (!gpus || !hosts || !batch || *gpus < 1 || *hosts < 1 || *batch < *gpus ||
      std::max({*gpus, *hosts, *batch}) > most)
    return Error{cells.place(), "expected nodes, gpus and a global_batch of at least one per GPU"};
  PublishedRow row;
  row.file = given.file;
  row.line = cells.line();
  row.id = cells.text("round") + " " + cells.text("submitter") + " " + cells.text("system");
  row.framework = "MLPerf BERT, " + cells.text("submitter");
  row.gpus = static_cast<int>(*gpus);
  row.tp = row.pp = 1;
  const bool eight_bits = cells.text("accelerator").find("H100") != std::string::npos;
  row.precision = eight_bits ? "fp8" : "fp16";
  row.recompute = "none";
  row.gpu = gpu_of(cells, *row.gpus, static_cast<int>(*hosts));
  row.source = cells.text("submitter");
  // NVIDIA's optimizer is shared by the GPUs of a host; between hosts its gradients are
  // all-reduced, for which an unshared one stands. Samsung's hosts have half of the usual NICs.
  if (*hosts > 1) row.sharding = "none";
  if (row.source == "Samsung") row.network = "4x HDR";
  set_shape(row);
  set_input(row, static_cast<int>(*batch / *gpus), static_cast<int>(*hosts), given);
  row.step_time_s = step_of(cells, *batch, known);
  return row;
}

}  // namespace

bool is_mlperf_bert(const std::string& text) {
  return text.starts_with(header);
}

Result<std::vector<PublishedRow>> mlperf_bert_rows(const MlperfBert& given) {
  const Result<std::vector<CsvRow>> rows = parse_csv(given.summary, given.file);
  if (!rows) return rows.error();
  std::map<SystemKey, double> known;
  if (given.runs) {
    auto found = paces(*given.runs);
    if (!found) return found.error();
    known = std::move(*found);
  }
  std::vector<PublishedRow> made;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    Result<PublishedRow> row = row_of(Cells(rows->front(), (*rows)[i], given.file), given, known);
    if (!row) return row.error();
    made.push_back(std::move(*row));
  }
  return made;
}

}  // namespace quintet
