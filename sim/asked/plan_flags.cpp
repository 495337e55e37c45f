#include "sim/asked/plan_flags.h"

#include <algorithm>

namespace quintet {
namespace {

struct PlanFlag {
  const char* names;
  const char* field;  // of parallelism
  const char* type;
  const char* does;
  const char* prefix = "";  // of the value: "--zero 1" is sharding "zero1"
  bool bare = false;        // true without a value
};

constexpr std::array<PlanFlag, plan_flag_count> flags{{
    {"--tensor,--tp", "tensor", "N", "Ranks over which each layer is split; lists are compared"},
    {"--pipeline,--pp", "pipeline", "N", "Stages"},
    {"--data,--dp", "data", "N", "Replicas; default: as many as fill the machine"},
    {"--context,--cp", "context", "N", "Ranks over which sequences are split"},
    {"--expert,--ep", "expert", "N", "Ranks over which experts are spread"},
    {"--sequence,--seq,--sequence-length", "sequence_length", "N", "Tokens of a sequence"},
    {"--global-batch,--gbs", "global_batch", "N", "Sequences per step"},
    {"--micro-batch,--mbs", "micro_batch", "N", "Sequences in a micro-batch"},
    {"--micro-batches", "micro_batches", "N", "Per replica and step, instead of --global-batch"},
    {"--schedule", "schedule", "WORD", "Of the pipeline: 1f1b, gpipe, interleaved, zb-h1, ..."},
    {"--virtual-stages,--vpp", "virtual_stages", "N", "Pieces of the model per stage"},
    {"--sharding", "sharding", "WORD",
     "What replicas share: none, optimizer, gradients, parameters"},
    {"--zero", "sharding", "STAGE", "The same as ZeRO's stage: 0, 1, 2 or 3 (FSDP)", "zero"},
    {"--sharding-group", "sharding_group", "N", "Ranks that share one copy (HSDP)"},
    {"--recompute", "recompute", "WORD", "In backward: none, selective or full"},
    {"--recompute-layers", "recompute_layers", "N", "Of full: so many layers of a stage"},
    {"--attention", "attention", "WORD", "Kernel: flash or unfused"},
    {"--precision", "compute_type", "TYPE", "Of products and activations: bf16, fp16, fp8, fp32"},
    {"--gradient-precision", "gradient_type", "TYPE", "In which gradients are summed and reduced"},
    {"--optimizer", "optimizer", "WORD", "adamw, lamb or sgd"},
    {"--clipping", "clipping", "WORD", "Of gradients: after-reduction, none, ..."},
    {"--sequence-parallel,--sp", "sequence_parallel", "",
     "Split norms along the sequence, too; =false,true compares", "", true},
}};

std::string first_name(const PlanFlag& flag) {
  const std::string_view names = flag.names;
  return std::string(names.substr(0, names.find(',')));
}

}  // namespace

Options plan_flag_options(PlanFlags& into) {
  Options options;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    Option option{flags[i].names, &into.values[i], flags[i].does, flags[i].type};
    option.bare = flags[i].bare;
    options.push_back(option);
  }
  options.push_back(set_option(into.set));
  return options;
}

Result<AskedFields> asked_fields(const PlanFlags& given) {
  AskedFields all;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (given.values[i].empty()) continue;
    AskedField setting{AskedFile::plan, std::string("parallelism.") + flags[i].field,
                       listed(given.values[i]), first_name(flags[i]) + " "};
    for (std::string& value : setting.values) {
      if (value.empty())
        return Error{setting.option + given.values[i], "expected a value behind each comma"};
      value.insert(0, flags[i].prefix);
    }
    all.push_back(std::move(setting));
  }
  Result<AskedFields> set = asked_fields(given.set);
  if (!set) return set;
  all.insert(all.end(), set->begin(), set->end());
  return all;
}

bool says_of_plan(const AskedFields& settings) {
  return std::any_of(settings.begin(), settings.end(),
                     [](const AskedField& setting) { return setting.file == AskedFile::plan; });
}

}  // namespace quintet
