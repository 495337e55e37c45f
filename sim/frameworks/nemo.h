// NeMo's training with Megatron-Bridge: a Python file that takes a recipe's ConfigContainer and
// sets its fields, "cfg.model.tensor_model_parallel_size = 8", as Megatron-Bridge's own guides do.
//
// Fields, types and what excludes what: github.com/NVIDIA-NeMo/Megatron-Bridge,
// src/megatron/bridge/training: config.py at commit 4feb11f8, mixed_precision.py at d9f7643b,
// comm_overlap.py at aae82005; how a recipe is found and started: scripts/training/run_recipe.py at
// 03b04509. What these inherit from Megatron Core: github.com/NVIDIA/Megatron-LM, megatron/core:
// transformer/transformer_config.py at 002526d8, model_parallel_config.py at 02aa3ee4,
// optimizer/optimizer_config.py at 0075637c, distributed/distributed_data_parallel_config.py at
// 00119989.
//
// The core is Megatron-LM's, so that a field is one of its arguments, and what is understood of
// them holds here; messages name fields.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/frameworks/argument.h"
#include "sim/frameworks/framework.h"
#include "sim/frameworks/nccl_environment.h"

namespace quintet::nemo {

// How a field's value is written.
enum class Literal {
  number,
  flag,         // True and False
  negated,      // False where Megatron-LM's argument is given
  quoted,       // "uniform"
  quoted_list,  // ["full_iteration"]
  backend,      // AttnBackend.flash
};

struct FieldRow {
  std::string_view path;      // "model.seq_length"
  std::string_view argument;  // of Megatron-LM: "--seq-length"
  Literal literal = Literal::number;
  std::string_view usual = {};  // what is written where the argument is not; empty: nothing
};

std::span<const FieldRow> fields();
// The same as arguments, and those of mixed_precision and comm_overlap, which mean several.
std::span<const ArgumentRow> arguments();

// A message in which fields stand for Megatron-LM's arguments.
std::string in_fields(std::string_view message);

// A field that is set: "model.seq_length", "4096". Text has no quotes, None is "None"; `computed`
// is no literal.
struct Assignment {
  std::string path, value;
  int line = 0;
  bool computed = false;
  bool operator==(const Assignment&) const = default;
};

struct PythonText {
  std::vector<Assignment> assignments;           // to cfg and what is in it, calls spelt out
  std::vector<EnvironmentVariable> environment;  // of os.environ
  int ranks = 0;                                 // RANKS = 16; 0: not said
};

// Of a Python text: assignments of literals, torch.bfloat16, AttnBackend.flash, lists of such and
// calls with them, "CommOverlapConfig(tp_comm_overlap=True)", which set a field each. Nothing is
// run. Fails with "where:line" at a quote or bracket without an end.
Result<PythonText> read_python(const std::string& text, const std::string& where);

std::string written(const Plan& plan, const Model& model, const Topology& topology);
Result<ImportedPlan> read(const std::string& text, const std::string& where,
                          const ImportNeeds& needs);
std::string reason(const Plan& plan, std::string_view field);

}  // namespace quintet::nemo
