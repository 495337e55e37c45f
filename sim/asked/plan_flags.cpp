#include "sim/asked/plan_flags.h"

#include <algorithm>

#include "sim/base/shown_text.h"

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
    {"--tensor,--tp", "tensor", "N",
     "Ranks over which each layer is split; a list such as 2,4,8, of this and of all below, "
     "compares"},
    {"--pipeline,--pp", "pipeline", "N", "Stages of the pipeline"},
    {"--data,--dp", "data", "N", "Replicas of the model; default: as many as fill the machine"},
    {"--context,--cp", "context", "N",
     "Ranks over which sequences are split; not modelled yet, only 1"},
    {"--expert,--ep", "expert", "N",
     "Ranks over which experts are spread; not modelled yet, only 1"},
    {"--sequence,--seq,--sequence-length", "sequence_length", "N", "Tokens of a sequence"},
    {"--global-batch,--gbs", "global_batch", "N", "Sequences per step, of all replicas"},
    {"--micro-batch,--mbs", "micro_batch", "N", "Sequences in a micro-batch"},
    {"--micro-batches", "micro_batches", "N",
     "Micro-batches per replica and step, instead of --global-batch"},
    {"--schedule", "schedule", "WORD",
     "Order of the pipeline: 1f1b, gpipe, interleaved, zb-h1, zb-h2 or warm-up"},
    {"--virtual-stages,--vpp", "virtual_stages", "N",
     "Pieces of the model per stage, with --schedule interleaved"},
    {"--sharding", "sharding", "WORD",
     "What replicas keep one share of each: none, optimizer, gradients or parameters"},
    {"--zero", "sharding", "STAGE",
     "--sharding by the number of its ZeRO stage: 0, 1, 2 or 3 (FSDP)", "zero"},
    {"--sharding-group", "sharding_group", "N",
     "Ranks that share one copy (HSDP); default: all replicas"},
    {"--recompute", "recompute", "WORD",
     "What backward computes again, to save memory: none, selective (attention) or full"},
    {"--recompute-layers", "recompute_layers", "N",
     "With --recompute full: only so many layers of a stage"},
    {"--attention", "attention", "WORD", "Kernel of attention: flash or unfused"},
    {"--precision", "compute_type", "TYPE",
     "Number type of products and activations: bf16, fp16, fp8 or fp32"},
    {"--gradient-precision", "gradient_type", "TYPE",
     "Number type in which gradients are summed and reduced"},
    {"--optimizer", "optimizer", "WORD", "What updates the weights: adamw, lamb or sgd"},
    {"--clipping", "clipping", "WORD",
     "When gradients are clipped: after-reduction, before-reduction, per-bucket or none"},
    {"--sequence-parallel,--sp", "sequence_parallel", "",
     "Split norms along the sequence over the tensor ranks; --sp=false,true compares", "", true},
}};

std::string first_name(const PlanFlag& flag) {
  const std::string_view names = flag.names;
  return std::string(names.substr(0, names.find(',')));
}

bool is_stage(const std::string& value) {
  return value.size() == 1 && value[0] >= '0' && value[0] <= '3';
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
      if (*flags[i].prefix && !is_stage(value))
        return Error{setting.option + value,
                     "expected a stage, 0, 1, 2 or 3, found " + in_quotes(value)};
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
