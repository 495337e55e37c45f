#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/frameworks/deepspeed.h"

namespace quintet::deepspeed {
namespace {

constexpr std::string_view stage_key = "zero_optimization.stage";

std::string lower_case(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

// "fp32", "float32", "torch.float32", "float" and so on; refusal() let no other pass.
DataType element_type(std::string_view word) {
  if (word.find("bf") != std::string_view::npos) return DataType::bf16;
  const bool half = word == "half" || word.find("16") != std::string_view::npos;
  return half ? DataType::fp16 : DataType::fp32;
}

class ConfigReader {
 public:
  ConfigReader(const Arguments& given, const ImportNeeds& needs, ImportedPlan& into)
      : given_(given), needs_(needs), into_(into), parallelism_(into.plan.parallelism) {}

  std::optional<Error> read() {
    if (auto error = degrees()) return error;
    if (auto error = sharding()) return error;
    if (auto error = batch()) return error;
    if (auto error = number_types()) return error;
    if (auto error = update()) return error;
    recomputation();
    communication();
    what_no_plan_has();
    return std::nullopt;
  }

 private:
  bool has(std::string_view name) const { return given_.has(name); }
  Error at(std::string_view name, std::string what) const {
    return {given_.place(name), std::move(what)};
  }
  // Of a value that is not given: line 0, with what holds then.
  void leave_out(std::string_view name, std::string_view usual, std::string why) {
    const GivenArgument* const argument = given_.given(name);
    const std::string value = argument == nullptr       ? std::string(usual)
                              : argument->value.empty() ? "true"
                                                        : argument->value;
    into_.not_understood.push_back({argument == nullptr ? 0 : argument->line,
                                    fmt::format("{} = {}", name, shown(value)), std::move(why)});
  }

  std::optional<int> ranks() const {
    if (needs_.ranks || !has("quintet.ranks")) return needs_.ranks;
    return given_.integer("quintet.ranks", 1);
  }

  std::optional<Error> degrees() {
    parallelism_.pipeline =
        given_.integer("quintet.topology.pipe", given_.integer("pipeline.stages", 1));
    const int automatic = std::max(1, given_.integer("tensor_parallel.autotp_size", 0));
    parallelism_.tensor = given_.integer("quintet.topology.model", automatic);
    parallelism_.context = given_.integer("sequence_parallel_size", 1);
    const std::optional<int> all = ranks();
    if (!all) return Error{given_.file(), "does not say how many ranks there are; give --ranks"};
    const double others =
        static_cast<double>(parallelism_.tensor) * parallelism_.context * parallelism_.pipeline;
    if (others > *all || *all % static_cast<int>(others) != 0)
      return Error{
          given_.file(),
          fmt::format("{} ranks cannot be dealt to tensor x sequence x pipeline "
                      "parallelism of {} x {} x {}",
                      *all, parallelism_.tensor, parallelism_.context, parallelism_.pipeline)};
    parallelism_.data = *all / static_cast<int>(others);
    const int data = given_.integer("quintet.topology.data", parallelism_.data);
    if (data != parallelism_.data)
      return at("quintet.topology.data",
                fmt::format("quintet.topology.data is {}, but {} ranks make {} replicas", data,
                            *all, parallelism_.data));
    const int length = needs_.sequence_length.value_or(0);
    parallelism_.sequence_length = given_.integer("quintet.sequence_length", length);
    if (parallelism_.sequence_length > 0) return std::nullopt;
    return Error{given_.file(), "does not say how long sequences are; give --sequence"};
  }

  std::optional<Error> sharding() {
    constexpr std::array stages{Sharding::none, Sharding::optimizer, Sharding::gradients,
                                Sharding::parameters};
    parallelism_.sharding = stages[static_cast<std::size_t>(given_.integer(stage_key, 0))];
    constexpr std::string_view name = "zero_optimization.mics_shard_size";
    const int group = given_.integer(name, -1);
    if (group < 1 || parallelism_.sharding != Sharding::parameters) return std::nullopt;
    if (parallelism_.data % group != 0)
      return at(name, fmt::format("{} replicas cannot be dealt to groups of {}", parallelism_.data,
                                  group));
    parallelism_.sharding_group = group == parallelism_.data ? 0 : group;
    return std::nullopt;
  }

  // DeepSpeedConfig's _set_batch_related_parameters and _batch_assertion.
  std::optional<Error> batch() {
    constexpr std::string_view all = "train_batch_size", micro = "train_micro_batch_size_per_gpu",
                               steps = "gradient_accumulation_steps";
    if (!has(all) && !has(micro))
      return Error{given_.file(), fmt::format("{} or {} is required", all, micro)};
    const std::int64_t data = parallelism_.data;
    std::int64_t each = given_.integer(micro, 0), count = given_.integer(steps, 0);
    std::int64_t total = given_.integer(all, 0);
    if (count == 0) count = has(all) && has(micro) ? total / each / data : 1;
    if (each == 0) each = total / data / count;
    if (total == 0 && each * count <= std::numeric_limits<int>::max()) total = each * count * data;
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    const bool too_many = each * count > most / data;
    if (each < 1 || count < 1 || too_many || total != each * count * data)
      return at(has(all) ? all : micro,
                fmt::format("{} is to be micro-batch x accumulation steps x replicas; found {}, "
                            "{}, {} and {}",
                            all, total, each, count, data));
    parallelism_.micro_batch = static_cast<int>(each);
    parallelism_.micro_batches = static_cast<int>(count);
    return std::nullopt;
  }

  std::optional<Error> number_types() {
    const bool bf16 = has("bf16.enabled") || has("bfloat16.enabled"), fp16 = has("fp16.enabled");
    const DataType model = bf16 ? DataType::bf16 : fp16 ? DataType::fp16 : DataType::fp32;
    const char* const word = bf16 ? "bf16" : fp16 ? "fp16" : "fp32";
    parallelism_.compute_type = model;
    constexpr std::string_view summed = "data_types.grad_accum_dtype",
                               sent = "communication_data_type";
    parallelism_.gradient_type = element_type(given_.text(summed, word));
    if (parallelism_.sharding == Sharding::none && parallelism_.gradient_type != model)
      return at(summed, fmt::format("{} other than {} needs zero_optimization.stage 1 or more",
                                    summed, word));
    if (element_type(lower_case(given_.text(sent, word))) != parallelism_.gradient_type)
      leave_out(sent, word, "a plan sums and sends gradients in one type");
    parallelism_.loss_scaling = fp16 && given_.real("fp16.loss_scale", 0) == 0;
    if (fp16 && !parallelism_.loss_scaling)
      leave_out("fp16.loss_scale", "", "a plan has no scale that stays the same");
    const bool shared = parallelism_.sharding != Sharding::none;
    parallelism_.master_weights = !(shared && has("bf16.bf16_master_weights_and_grads"));
    if (shared && has("bf16.bf16_optimizer_states")) parallelism_.moment_type = DataType::bf16;
    return std::nullopt;
  }

  std::optional<Error> update() {
    constexpr std::string_view name = "optimizer.type";
    const std::string type = lower_case(given_.text(name, ""));
    if (type == "lamb") {
      parallelism_.optimizer = Optimizer::lamb;
      if (given_.real("fp16.loss_scale", 0) != 0)
        return at(name, "optimizer.type Lamb needs fp16.loss_scale 0");
    } else if (type == "sgd") {
      parallelism_.optimizer = Optimizer::sgd;
    } else if (type != "adam" && type != "adamw") {
      leave_out(name, "of the model's code", "a plan has adamw, lamb and sgd; adamw is taken");
    }
    if (given_.real("gradient_clipping", 0) == 0) parallelism_.clipping = Clipping::none;
    return std::nullopt;
  }

  void recomputation() {
    constexpr std::string_view interval = "pipeline.activation_checkpoint_interval";
    constexpr std::string_view count = "activation_checkpointing.number_checkpoints";
    const int layers = given_.integer(interval, 0);
    const bool stages = parallelism_.pipeline > 1;
    if (stages ? layers > 0 : given_.integer(count, 0) > 0)
      parallelism_.recompute = Recompute::full;
    if (stages && layers > 1) leave_out(interval, "", "a plan keeps the input of every layer");
  }

  void communication() {
    Ccl& ccl = into_.plan.ccl;
    const Sharding sharding = parallelism_.sharding;
    const bool whole =
        sums_after_backward(sharding, parallelism_.compute_type, parallelism_.gradient_type);
    const bool usual = sharding == Sharding::parameters;
    ccl.overlap_gradients =
        !whole && parallelism_.pipeline == 1 &&
        given_.text("zero_optimization.overlap_comm", usual ? "true" : "false") == "true";
    // Stages 1 and 2 gather parameters at the end of each step; at 0 nothing is sharded.
    ccl.overlap_parameters =
        sharding == Sharding::none ||
        (usual && given_.real("zero_optimization.stage3_prefetch_bucket_size", 5e7) > 0);
    const double elements =
        whole ? usual_elements
              : given_.real("zero_optimization.reduce_bucket_size", usual_elements);
    ccl.bucket = Bytes{elements * size_of(parallelism_.gradient_type).value};
  }

  void what_no_plan_has() {
    for (const std::string_view name :
         {"zero_optimization.offload_optimizer.device", "zero_optimization.offload_param.device"})
      if (given_.text(name, "none") != "none")
        leave_out(name, "", "the processors update, or parameters wait in the host's memory");
    if (given_.integer("zero_optimization.zero_hpz_partition_size", 1) > 1)
      leave_out("zero_optimization.zero_hpz_partition_size", "",
                "a plan keeps no second copy of parameters");
    for (const std::string_view name :
         {"zero_optimization.zero_quantized_weights", "zero_optimization.zero_quantized_gradients"})
      if (has(name)) leave_out(name, "", "a plan sends what it shards unquantized");
    for (const std::string_view name : {"activation_checkpointing.partition_activations",
                                        "activation_checkpointing.cpu_checkpointing"})
      if (has(name)) leave_out(name, "", "a plan keeps activations whole");
    if (has("fp16.fp16_master_weights_and_grads"))
      leave_out("fp16.fp16_master_weights_and_grads", "", "a plan's master weights are fp32");
    if (has("tensor_parallel.overlap_comm"))
      leave_out("tensor_parallel.overlap_comm", "",
                "a plan cuts a collective in pieces, this sends an all-reduce beside a GEMM");
    if (has("graph_harvesting"))
      leave_out("graph_harvesting", "", "a plan's graphs are of the whole step");
    if (parallelism_.context > 1)
      leave_out("sequence_parallel_size", "", "its ranks exchange heads, a plan's keys and values");
  }

  const Arguments& given_;
  const ImportNeeds& needs_;
  ImportedPlan& into_;
  Parallelism& parallelism_;
};

std::optional<Error> take_variables(const std::vector<EnvironmentVariable>& variables,
                                    const std::string& where, ImportedPlan& into) {
  for (const EnvironmentVariable& each : variables) {
    const Result<bool> taken = take_nccl_variable(each, into.plan);
    if (!taken) return Error{where, "quintet.environment." + taken.error().what};
    if (!*taken)
      into.not_understood.push_back(
          {0, shown(each.name + "=" + each.value, 80), "a plan has no field for it"});
  }
  return std::nullopt;
}

}  // namespace

Result<ImportedPlan> read(const std::string& text, const std::string& where,
                          const ImportNeeds& needs) {
  Result<JsonValues> values = read_json(text, where);
  if (!values) return values.error();
  ImportedPlan imported;
  imported.not_understood = std::move(values->not_understood);
  const Arguments given(where, std::move(values->given));
  if (auto error = refusal(given)) return *error;
  if (auto error = ConfigReader(given, needs, imported).read()) return *error;
  if (auto error = take_variables(values->environment, where, imported)) return *error;
  std::stable_sort(imported.not_understood.begin(), imported.not_understood.end(),
                   [](const auto& one, const auto& other) { return one.line < other.line; });
  return imported;
}

}  // namespace quintet::deepspeed
