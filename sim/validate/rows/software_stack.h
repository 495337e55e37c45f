// What a training framework of an era does by default: a value read from traces/stacks/*.json.
// A row's own words go before these.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"
#include "sim/validate/rows/stage_modules.h"

namespace quintet {

// What the framework adds to, or sets in, a machine's cost table. Absent: the table's own.
struct StackCosts {
  std::optional<Seconds> eager;       // CPU time to issue one kernel
  std::optional<Seconds> collective;  // CPU time to issue one communication call
  std::optional<Seconds> step;        // of a step's CPU time, while the GPU has nothing to do
  std::optional<Bytes> framework_memory;
  std::optional<Bytes> communicator_memory;
  std::optional<double> fragmentation;
  std::optional<double> attention_rate;  // of its flash kernel, the table's being 1
  std::optional<double> norm_factor;  // on the time of norm kernels: the framework's own are slower
  bool operator==(const StackCosts&) const = default;
};

// What a row means that says "selective": all but attention's core is kept (arXiv 2205.05198); or
// every other product and attention; or whole layers, some of which recompute all.
enum class SelectiveRecompute { attention_core, alternate_products, layers };

struct SoftwareStack {
  std::string name;
  std::vector<std::string> frameworks;  // texts that a row's framework contains
  std::string source;
  CompileOptions compile;
  double dropout = 0.0;
  double attention_dropout = 0.0;
  bool dropout_at_zero_rate = false;  // its kernels run and its masks are kept all the same
  bool tied_embeddings = false;       // of GPT models
  std::vector<std::string> headless;  // models whose name contains one of these have no head
  Sharding sharding = Sharding::none;
  Recompute recompute = Recompute::none;
  SelectiveRecompute selective = SelectiveRecompute::attention_core;
  std::optional<DataType> compute_type;  // goes before the row's: its source does not state one
  // A micro-batch that a row does not state: the largest power of two that, times the model's
  // parameters, is at most this; 0: one sequence.
  double micro_batch_parameters = 0;
  // Such a row without pipeline takes a replica's batch as one: nothing but memory speaks for less.
  bool whole_batch_without_pipeline = false;
  StageCut stage_cut = StageCut::layers;  // where a row does not say what stages have
  AttentionChoice attention = AttentionChoice::flash;
  DataType gradient_type = DataType::fp32;
  bool master_weights = true;
  Optimizer optimizer = Optimizer::adamw;
  Clipping clipping = Clipping::after_reduction;
  bool overlap_gradients = false;
  bool overlap_parameters = false;
  bool overlap_tensor = false;
  Bytes bucket{0};
  StackCosts costs;
  int free_parameters = 0;  // numbers here that were fitted to end-to-end rows
};

// Refuses unknown keys and parts without a source.
Result<SoftwareStack> parse_stack(const std::string& text, const std::string& where);
Result<SoftwareStack> read_stack(const std::filesystem::path& file);
// Every *.json of the directory, by name.
Result<std::vector<std::filesystem::path>> stack_files(const std::filesystem::path& directory);
Result<std::vector<SoftwareStack>> read_stacks(const std::filesystem::path& directory);

// The stack with the longest text that `framework` contains; null: none has one.
const SoftwareStack* stack_of(const std::vector<SoftwareStack>& stacks,
                              const std::string& framework);

// What the stack says in place of the table's values, and its factors on the table's rates.
CostTable with_stack(CostTable costs, const StackCosts& stack);

}  // namespace quintet
