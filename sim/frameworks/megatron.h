// Megatron-LM's pretrain_gpt.py and torchrun, as a shell script.
//
// Arguments, their types, choices, defaults and checks: github.com/NVIDIA/Megatron-LM,
// megatron/training/arguments.py at commit 000c4ac24f61159c138b0975def722c65245983c; the unit and
// default of --ddp-bucket-size: megatron/core/distributed/distributed_data_parallel_config.py at
// commit 001199898c4badd01eaf0785c212d8ed7ce83042; how stages are dealt unevenly:
// megatron/core/transformer/transformer_config.py at 002526d8 and transformer_layer.py
// (get_transformer_layer_offset); that graphs of the whole step exclude recomputation:
// TransformerConfig.__post_init__ of the time of --cuda-graph-scope.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/frameworks/argument.h"
#include "sim/frameworks/framework.h"

namespace quintet::megatron {

std::span<const ArgumentRow> arguments();

// What validate_args refuses, as far as it concerns a plan; none: nothing. `connections` is the
// value of CUDA_DEVICE_MAX_CONNECTIONS, empty where the script does not set it.
std::optional<Error> refusal(const Arguments& given, const std::string& connections);

// Whether communication waits for what was launched before it by CUDA_DEVICE_MAX_CONNECTIONS=1.
bool wants_one_connection(const Parallelism& parallelism, const Topology& topology);

// A plan's arguments, one or several to a line; and what arguments that refusal() let pass say.
// NeMo's configuration goes through both, since the core below it is the same.
std::vector<std::string> said(const Plan& plan, const Model& model);
std::optional<Error> understand(const Arguments& given, const ImportNeeds& needs,
                                ImportedPlan& into);

std::string written(const Plan& plan, const Model& model, const Topology& topology);
Result<ImportedPlan> read(const std::string& text, const std::string& where,
                          const ImportNeeds& needs);
std::string reason(const Plan& plan, std::string_view field);

// Layers per virtual stage of --pipeline-model-parallel-layout, "Et*3|(tt|)*29,m|L"; an error says
// what is wrong with it, without a place.
Result<std::vector<int>> layers_of_layout(std::string_view layout);
std::string layout_of(const std::vector<int>& layers);

// What makes stages uneven without a layout.
struct UnevenStages {
  std::optional<int> first, last;        // layers of the first and the last stage, of all pieces
  bool embedding = false, loss = false;  // each counts as a layer of its stage
};

// Layers of each piece in the model's order; empty: they cannot be dealt so.
std::vector<int> dealt_layers(int layers, int stages, int pieces, const UnevenStages& uneven);

}  // namespace quintet::megatron
