// A published training step as its source gives it: a row of an e2e_*.csv. Cells that are empty
// are unknown. Nothing is interpreted here but numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

enum class RowStatus { ok, out_of_memory, error };

struct PublishedRow {
  std::string file;  // as given, for messages
  int line = 0;
  std::string id, source, confidence, kind;
  RowStatus status = RowStatus::ok;
  std::string framework, date, model, arch;
  std::optional<double> params_b;  // billions
  std::optional<int> layers, hidden, heads, kv_heads, ffn, vocab, seq, experts, topk;
  std::string gpu;
  std::optional<int> gpus, gpus_per_node;
  std::string network;
  std::optional<int> tp, pp, dp, cp, ep;
  std::string vpp;  // a number, empty, or words
  std::optional<int> mbs, gbs;
  std::string recompute, seq_parallel, sharding, precision, attention;
  std::optional<double> step_time_s, tokens_per_s_per_gpu, samples_per_s, tflops_per_gpu, mfu_pct,
      hfu_pct, peak_mem_gib;
  std::string flops_convention, notes;
};

// The header must name every column, in any order. Errors name file, line and column.
Result<std::vector<PublishedRow>> parse_rows(const std::string& text, const std::string& file);

// Measured step time: as printed, else from the tokens or samples per second.
std::optional<double> measured_step(const PublishedRow& row);

}  // namespace quintet
