// DeepSpeed's configuration, the JSON file that deepspeed.initialize takes (ds_config).
//
// Keys, types, ranges, defaults and what excludes what: github.com/deepspeedai/DeepSpeed,
// deepspeed/runtime: config.py at commit 3a890ec5 (batch sizes, optimizer, clipping, pipeline),
// zero/config.py at cbf3d661 and zero/offload_config.py at 1978617c (bucket sizes are elements),
// precision_config.py at 61a29f94, tensor_parallel/config.py at 1b267b6b, constants.py at ac2f3a34,
// activation_checkpointing/config.py at 077e6740 (of microsoft/DeepSpeed); engine.py at b555aa53
// (types of gradients, which optimizer wraps which, what autotp excludes), pipe/engine.py at
// e787c163, pipe/module.py at f8729644, pipe/topology.py at 2eafdd39 (of microsoft/DeepSpeed), and
// bf16_optimizer.py at aa3a6393 (which sums after backward).
//
// What DeepSpeed takes from the command line and the model's code stands under the key "quintet",
// which DeepSpeed passes over, as it does with every outer key that it does not know: ranks,
// sequence_length, topology (the dimensions of PipeModelDataParallelTopology), environment, and, to
// read, launch, pipeline_module and not_said.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/frameworks/argument.h"
#include "sim/frameworks/framework.h"
#include "sim/frameworks/nccl_environment.h"

namespace quintet::deepspeed {

// Names are paths in the file: "zero_optimization.stage".
std::span<const ArgumentRow> arguments();

struct JsonValues {
  std::vector<GivenArgument> given;
  std::vector<EnvironmentVariable> environment;  // of quintet.environment
  std::vector<NotUnderstood> not_understood;
};

// Fails with "where:line" at a value of another type or choice, and at what is no JSON.
Result<JsonValues> read_json(const std::string& text, const std::string& where);

// What DeepSpeed asserts, as far as it concerns a plan; none: nothing.
std::optional<Error> refusal(const Arguments& given);

// Elements that leave at one time where no bucket size holds (MEMORY_OPT_ALLREDUCE_SIZE), and the
// default of reduce_bucket_size.
inline constexpr double usual_elements = 5e8;

// bf16 with fp32 gradients at stage 1 goes to BF16_Optimizer, which sums whole gradients after
// backward, in buffers of a fixed size; so does stage 0.
bool sums_after_backward(Sharding sharding, DataType compute, DataType gradients);

std::string written(const Plan& plan, const Model& model, const Topology& topology);
Result<ImportedPlan> read(const std::string& text, const std::string& where,
                          const ImportNeeds& needs);
std::string reason(const Plan& plan, std::string_view field);
std::string with_remarks(const std::string& text, const std::vector<Unsaid>& unsaid);

}  // namespace quintet::deepspeed
