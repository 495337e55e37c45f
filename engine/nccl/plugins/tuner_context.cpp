#include "engine/nccl/plugins/tuner_context.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace quintet::nccl_plugin {

namespace {

constexpr const char* algorithm_words[] = {
    "tree", "ring", "collnet-direct", "collnet-chain", "nvls", "nvls-tree", "pat"};
constexpr const char* protocol_words[] = {"ll", "ll128", "simple"};
constexpr std::size_t most_tables = 4096;  // per communicator; a step repeats its sizes

}  // namespace

TunerContext::TunerContext(std::uint64_t id, std::size_t ranks, std::size_t nodes, Logger log)
    : id_(id), ranks_(ranks), nodes_(nodes), log_(log), table_(std::getenv("QUINTET_NCCL_TABLE")) {
  read_rules(std::getenv("QUINTET_NCCL_RULES"));
}

void TunerContext::read_rules(const char* path) {
  if (path == nullptr) return;
  const std::string kept = "; NCCL's own choice is left alone";
  std::ifstream in(path, std::ios::binary);
  if (!in) return warn(tuner_name, log_, std::string(path) + ": cannot be read" + kept);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Result<TunerRules> rules = engine::parse_rules(text, path);
  if (!rules) return warn(tuner_name, log_, rules.error().text() + kept);
  rules_ = *std::move(rules);
}

std::string TunerContext::heading(const char* content) const {
  return std::string("{\"content\": \"") + content +
         "\", \"communicator\": " + quoted(rules_.communicator) + ", \"id\": " + in_hex(id_) +
         ", \"ranks\": " + std::to_string(ranks_) + ", \"nodes\": " + std::to_string(nodes_);
}

namespace {

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  return std::isfinite(number) ? text : "null";
}

template <std::size_t rows, std::size_t columns>
std::string rows_text(const double (&table)[rows][columns]) {
  std::string text = "[";
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      text += (column > 0 ? ", " : row > 0 ? "], [" : "[") + number_text(table[row][column]);
  return text + "]]";
}

}  // namespace

void TunerContext::note_constants(const TunerConstants& constants) {
  if (!table_.is_open()) return;
  table_.add(heading("constants") + ", \"unit\": \"us, GB/s\"" +
             ", \"base_latencies\": " + rows_text(constants.base_latencies) +
             ", \"nvlink_latencies\": " + rows_text(constants.link_latencies[0]) +
             ", \"pci_latencies\": " + rows_text(constants.link_latencies[1]) +
             ", \"network_latencies\": " + rows_text(constants.link_latencies[2]) +
             ", \"ll_bandwidths\": " + rows_text(constants.ll_bandwidths) +
             ", \"ring_ll128\": " + rows_text(constants.ring_ll128_channel_bandwidths) +
             ", \"tree_ll128\": " + rows_text(constants.tree_ll128_channel_bandwidths) +
             ", \"tree\": " + rows_text(constants.tree_channel_bandwidths) +
             ", \"nvls_tree\": " + rows_text(constants.nvls_tree_channel_bandwidths) + "}");
}

namespace {

// What NCCL's table says before it is touched; only what is available.
std::string times_text(const Times& times) {
  std::string text;
  for (int row = 0; row < times.rows(); ++row) {
    std::string of_row;
    for (int column = 0; column < times.columns(); ++column)
      if (times.at(row, column) >= 0)
        of_row += (of_row.empty() ? "" : ", ") + quoted(protocol_words[column]) + ": " +
                  number_text(static_cast<double>(times.at(row, column)));
    if (!of_row.empty())
      text += (text.empty() ? "" : ", ") + quoted(algorithm_words[row]) + ": {" + of_row + "}";
  }
  return "{" + text + "}";
}

template <class Value>
std::string word_of(const std::optional<Value>& value) {
  return value ? quoted(name_of(*value)) : "null";
}

std::string rule_text(const TunerRule* rule) {
  if (rule == nullptr) return "null";
  return "{\"algorithm\": " + word_of(rule->algorithm) +
         ", \"protocol\": " + word_of(rule->protocol) +
         ", \"channels\": " + (rule->channels ? std::to_string(*rule->channels) : "null") + "}";
}

}  // namespace

void TunerContext::note(const Asked& asked, const Times& times, const TunerRule* rule) {
  if (!table_.is_open() || noted_.size() >= most_tables || !noted_.insert(asked).second) return;
  table_.add(heading("times") + ", \"kind\": " + quoted(name_of(asked.kind)) + ", \"bytes\": " +
             std::to_string(asked.bytes) + ", \"operations\": " + std::to_string(asked.operations) +
             ", \"registered\": " + (asked.registered != 0 ? "true" : "false") +
             ", \"unit\": \"us\", \"times\": " + times_text(times) +
             ", \"rule\": " + rule_text(rule) + "}");
}

void TunerContext::cannot(const Asked& asked, const TunerRule& rule) {
  if (!warned_of_.insert(&rule).second) return;
  warn(tuner_name, log_,
       "communicator \"" + rules_.communicator + "\": NCCL cannot do " +
           std::string(name_of(asked.kind)) + " of " + std::to_string(asked.bytes) + " bytes by " +
           rule_text(&rule) + " here; its own choice is left alone");
}

namespace {

bool fits(const TunerRule& rule, int row, int column) {
  return (!rule.algorithm || engine::nccl_algorithm(*rule.algorithm) == row) &&
         (!rule.protocol || engine::nccl_protocol(*rule.protocol) == column);
}

}  // namespace

// Everything else is made unavailable; the times that are left stay NCCL's, so that its estimates
// (ncclGroupSimulateEnd) go on meaning something.
void TunerContext::choose(const Asked& asked, const Times& times, int& channels) {
  const std::scoped_lock lock(mutex_);
  const TunerRule* const rule = engine::rule_for(rules_, asked.kind, asked.bytes);
  note(asked, times, rule);
  if (rule == nullptr) return;
  int left = 0;
  for (int row = 0; row < times.rows(); ++row)
    for (int column = 0; column < times.columns(); ++column)
      left += times.at(row, column) >= 0 && fits(*rule, row, column) ? 1 : 0;
  if (left == 0) return cannot(asked, *rule);
  for (int row = 0; row < times.rows(); ++row)
    for (int column = 0; column < times.columns(); ++column)
      if (!fits(*rule, row, column)) times.at(row, column) = not_available;
  if (rule->channels) channels = *rule->channels;
}

}  // namespace quintet::nccl_plugin
