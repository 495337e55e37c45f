#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/base/shown_text.h"
#include "sim/frameworks/megatron.h"
#include "sim/frameworks/nemo.h"

namespace quintet::nemo {
namespace {

using Said = std::map<std::string, std::string>;

// "--a 1 --b 'x|y'" as names with their values.
Said arguments_of(const std::vector<std::string>& lines) {
  Said all;
  for (const std::string& line : lines) {
    std::string name;
    std::size_t next = 0;
    while (next < line.size()) {
      const std::size_t end = std::min(line.find(' ', next), line.size());
      std::string word = line.substr(next, end - next);
      next = end + 1;
      word.erase(std::remove(word.begin(), word.end(), '\''), word.end());
      if (word.starts_with("--")) {
        name = word;
        all[name] = "";
      } else {
        all[name] = word;
      }
    }
  }
  return all;
}

std::string in_python(Literal literal, const std::string& value) {
  switch (literal) {
    case Literal::number:
      return value;
    case Literal::flag:
      return "True";
    case Literal::negated:
      return "False";
    case Literal::quoted:
      return "\"" + value + "\"";
    case Literal::quoted_list:
      return "[\"" + value + "\"]";
    case Literal::backend:
      return "AttnBackend." + value;
  }
  return value;
}

std::string set_fields(const Said& said) {
  std::string text;
  for (const FieldRow& row : fields()) {
    const auto found = said.find(std::string(row.argument));
    const std::string value =
        found != said.end() ? in_python(row.literal, found->second) : std::string(row.usual);
    if (!value.empty()) text += fmt::format("cfg.{} = {}\n", row.path, value);
  }
  return text;
}

std::string number_types(const Said& said) {
  const bool bf16 = said.contains("--bf16"), fp16 = said.contains("--fp16");
  const char* const type = bf16 ? "torch.bfloat16" : fp16 ? "torch.half" : "torch.float32";
  const bool whole = bf16 ? !said.contains("--grad-reduce-in-bf16")
                          : !fp16 || said.contains("--accumulate-allreduce-grads-in-fp32");
  std::string text = fmt::format(
      "cfg.mixed_precision = MixedPrecisionConfig()\ncfg.mixed_precision.{} = True\n"
      "cfg.mixed_precision.params_dtype = {}\ncfg.mixed_precision.pipeline_dtype = {}\n"
      "cfg.mixed_precision.grad_reduce_in_fp32 = {}\n",
      bf16   ? "bf16"
      : fp16 ? "fp16"
             : "fp32",
      type, type, whole ? "True" : "False");
  if (!said.contains("--fp8-format")) return text;
  text += fmt::format("cfg.mixed_precision.fp8 = \"{}\"\ncfg.mixed_precision.fp8_recipe = \"{}\"\n",
                      said.at("--fp8-format"), said.at("--fp8-recipe"));
  if (!said.contains("--fp8-amax-history-len")) return text;
  return text + fmt::format(
                    "cfg.mixed_precision.fp8_amax_history_len = {}\n"
                    "cfg.mixed_precision.fp8_amax_compute_algo = \"{}\"\n"
                    "cfg.mixed_precision.fp8_margin = {}\n",
                    said.at("--fp8-amax-history-len"), said.at("--fp8-amax-compute-algo"),
                    said.at("--fp8-margin"));
}

std::string variables(const Plan& plan, const Topology& topology) {
  std::string text;
  if (megatron::wants_one_connection(plan.parallelism, topology))
    text += "os.environ[\"CUDA_DEVICE_MAX_CONNECTIONS\"] = \"1\"\n";
  const std::vector<EnvironmentVariable> all = nccl_environment(plan);
  if (!all.empty()) text += "# They hold for the whole process: for all axes alike.\n";
  for (const EnvironmentVariable& each : all)
    text += fmt::format("os.environ[\"{}\"] = \"{}\"\n", each.name, each.value);
  return text;
}

}  // namespace

std::string written(const Plan& plan, const Model& model, const Topology& topology) {
  const int hosts = std::max(1, static_cast<int>(topology.hosts.size()));
  const int ranks = world_size(plan.parallelism);
  Said said = arguments_of(megatron::said(plan, model));
  // ConfigContainer.validate refuses the two together.
  if (said.contains("--use-megatron-fsdp")) said.erase("--use-tp-pp-dp-mapping");
  return fmt::format(
             "# {}: {} on {}, in words of NeMo (Megatron-Bridge).\n"
             "# RECIPE names the function of megatron.bridge.recipes that makes such a model; its "
             "number of\n# layers and its widths are set below. On each host:\n"
             "#   RECIPE=... torchrun --nproc_per_node {} --nnodes {} --node_rank $NODE_RANK "
             "--master_addr ... THIS.py\n"
             "import os\n\n{}"
             "import torch\n\n"
             "import megatron.bridge.recipes as recipes\n"
             "from megatron.bridge.training.gpt_step import forward_step\n"
             "from megatron.bridge.training.mixed_precision import MixedPrecisionConfig\n"
             "from megatron.bridge.training.pretrain import pretrain\n"
             "from megatron.core.transformer.enums import AttnBackend\n\n"
             "RANKS = {}\n"
             "assert int(os.environ[\"WORLD_SIZE\"]) == RANKS\n\n"
             "cfg = getattr(recipes, os.environ[\"RECIPE\"])()\n",
             shown(plan.name, 100), shown(model.name, 100), shown(topology.name, 100),
             ranks / hosts, hosts, variables(plan, topology), ranks) +
         set_fields(said) + "cfg.comm_overlap = None\n" + number_types(said) +
         "\npretrain(config=cfg, forward_step_func=forward_step)\n";
}

std::string reason(const Plan& plan, std::string_view field) {
  const bool fsdp = plan.parallelism.sharding == Sharding::gradients ||
                    plan.parallelism.sharding == Sharding::parameters;
  if (field == "parallelism.order" && fsdp)
    return "dist.use_tp_pp_dp_mapping excludes Megatron FSDP";
  if (field == "ccl.bucket" && !fsdp && plan.ccl.overlap_gradients)
    return "ddp.bucket_size is a whole number of parameters, and one bucket is not said";
  const std::string of_megatron = in_fields(megatron::reason(plan, field));
  return of_megatron == "it has no argument for it" ? "it has no field for it" : of_megatron;
}

}  // namespace quintet::nemo
