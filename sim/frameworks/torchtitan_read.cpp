#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/frameworks/torchtitan.h"

namespace quintet::torchtitan {
namespace {

// Buckets of torchtitan's apply_ddp: bucket_cap_mb=100, of 2^20 bytes each.
constexpr Bytes replicated_bucket{100.0 * 1024 * 1024};

std::string lower(std::string text) {
  for (char& letter : text)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return text;
}

class Reader {
 public:
  Reader(const Arguments& given, const TomlValues& values, const ImportNeeds& needs,
         ImportedPlan& into)
      : given_(given),
        values_(values),
        needs_(needs),
        into_(into),
        parallelism_(into.plan.parallelism) {}

  std::optional<Error> read() {
    if (auto error = degrees()) return error;
    if (auto error = replicas()) return error;
    schedule();
    if (auto error = pieces()) return error;
    if (auto error = batch()) return error;
    number_types();
    work();
    return std::nullopt;
  }

 private:
  void leave_out(std::string_view name, std::string_view usual, std::string why) {
    const GivenArgument* const argument = given_.given(name);
    const std::string value = argument == nullptr ? std::string(usual) : argument->value;
    into_.not_understood.push_back({argument == nullptr ? 0 : argument->line,
                                    fmt::format("{} = {}", name, shown(value)), std::move(why)});
  }
  Error at(std::string_view name, std::string_view what) const {
    return {given_.place(name), fmt::format("{} {}", name, what)};
  }
  std::optional<Error> refuse_small(std::string_view name, int usual, int least) const {
    const int number = given_.integer(name, usual);
    if (number >= least) return std::nullopt;
    return at(name, fmt::format("is to be {} or more, not {}", least, number));
  }

  std::optional<Error> degrees() {
    for (const auto& [name, field] :
         {std::pair{"parallelism.tensor_parallel_degree", &Parallelism::tensor},
          std::pair{"parallelism.context_parallel_degree", &Parallelism::context},
          std::pair{"parallelism.pipeline_parallel_degree", &Parallelism::pipeline}}) {
      if (auto error = refuse_small(name, 1, 1)) return error;
      parallelism_.*field = given_.integer(name, 1);
    }
    if (given_.integer("parallelism.expert_parallel_degree", 1) > 1)
      leave_out("parallelism.expert_parallel_degree", "1", "no mixture of experts is modelled");
    parallelism_.sequence_parallel = parallelism_.tensor > 1;
    return std::nullopt;
  }

  // Ranks that one replica of the replicate degree has for its shards.
  Result<int> shards(int copies) const {
    constexpr std::string_view name = "parallelism.data_parallel_shard_degree";
    const int given = given_.integer(name, -1);
    if (given == 0 || given < -1) return at(name, "is to be -1, or 1 or more");
    const std::int64_t model = std::int64_t{parallelism_.tensor} * parallelism_.context;
    if (model > 1'000'000'000 || model * parallelism_.pipeline > 1'000'000'000)
      return at(name, "stands beside degrees that multiply to more than 1000000000 ranks");
    const std::int64_t others = model * parallelism_.pipeline * copies;
    if (given == -1 && !needs_.ranks)
      return at(name, "is -1, the ranks that are left over; give --ranks");
    if (given == -1 && *needs_.ranks % others != 0)
      return at(name, fmt::format("is -1, but {} ranks cannot be dealt to the other degrees' {}",
                                  *needs_.ranks, others));
    if (given != -1 && needs_.ranks && *needs_.ranks != others * given)
      return at(name, fmt::format("and the other degrees are of {} ranks, not of {}",
                                  others * given, *needs_.ranks));
    return given == -1 ? static_cast<int>(*needs_.ranks / others) : given;
  }

  std::optional<Error> replicas() {
    constexpr std::string_view name = "parallelism.data_parallel_replicate_degree";
    if (auto error = refuse_small(name, 1, 1)) return error;
    const int copies = given_.integer(name, 1);
    const Result<int> split = shards(copies);
    if (!split) return split.error();
    const bool alone = parallelism_.tensor == 1 && parallelism_.pipeline == 1;
    if (copies > 1 && *split == 1 && !alone)
      return at(name, "without shards (DDP) excludes tensor and pipeline parallelism");
    if (std::int64_t{copies} * *split > 1'000'000'000) return at(name, "is too large");
    parallelism_.data = copies * *split;
    if (*split > 1 && copies > 1) parallelism_.sharding_group = *split;
    const std::string reshard = given_.text("parallelism.fsdp_reshard_after_forward", "default");
    const bool again = reshard == "always" || (reshard == "default" && parallelism_.pipeline == 1);
    if (*split > 1) parallelism_.sharding = again ? Sharding::parameters : Sharding::gradients;
    if (*split == 1 && copies > 1) into_.plan.ccl.bucket = replicated_bucket;
    mixed_precision_ = alone || *split > 1 || parallelism_.context > 1;
    return std::nullopt;
  }

  void schedule() {
    constexpr std::string_view name = "parallelism.pipeline_parallel_schedule";
    if (parallelism_.pipeline == 1) return;
    const std::string given = lower(given_.text(name, "1F1B"));
    if (given == "gpipe")
      parallelism_.schedule = PipelineSchedule::gpipe;
    else if (given == "interleaved1f1b")
      parallelism_.schedule = PipelineSchedule::interleaved;
    else if (given != "1f1b")
      leave_out(name, "", "a plan has 1F1B, GPipe and Interleaved1F1B");
  }

  std::optional<Error> pieces() {
    if (!values_.model_parts.empty()) return parts();
    if (parallelism_.pipeline == 1) return std::nullopt;
    for (const auto& [name, usual] :
         {std::pair{"parallelism.pipeline_parallel_first_stage_less_layers", 1},
          std::pair{"parallelism.pipeline_parallel_last_stage_less_layers", 1}})
      if (auto error = refuse_small(name, usual, 0)) return error;
    const int first = given_.integer("parallelism.pipeline_parallel_first_stage_less_layers", 1);
    const int last = given_.integer("parallelism.pipeline_parallel_last_stage_less_layers", 1);
    constexpr std::string_view per_stage = "parallelism.pipeline_parallel_layers_per_stage";
    const bool interleaved = parallelism_.schedule == PipelineSchedule::interleaved;
    std::int64_t count = std::int64_t{parallelism_.pipeline} * (interleaved ? 2 : 1);
    if (!needs_.layers) {
      if (given_.has(per_stage))
        return at(per_stage, "asks for the layers of the model; give --model");
      if (first + last > 0)
        return Error{given_.file(), "deals layers by the model's number of them; give --model"};
    } else if (given_.has(per_stage)) {
      if (auto error = refuse_small(per_stage, 1, 1)) return error;
      const std::int64_t each = given_.integer(per_stage, 1);
      count = (std::int64_t{*needs_.layers} + first + last + each - 1) / each;
    }
    if (count % parallelism_.pipeline != 0)
      return at(per_stage, fmt::format("makes {} pieces, which cannot be dealt to {} stages", count,
                                       parallelism_.pipeline));
    return deal(count, first, last);
  }

  std::optional<Error> deal(std::int64_t count, int first, int last) {
    if (auto error = take_pieces(count)) return error;
    if (!needs_.layers) return std::nullopt;
    std::vector<int> layers;
    if (count <= *needs_.layers)
      layers = dealt_layers(static_cast<int>(count), *needs_.layers, first, last);
    if (layers.empty())
      return Error{given_.file(), fmt::format("{} layers cannot be dealt to {} pieces, the first "
                                              "{} and the last {} fewer",
                                              *needs_.layers, count, first, last)};
    if (std::any_of(layers.begin(), layers.end(), [&](int each) { return each != layers[0]; }))
      parallelism_.stage_layers = std::move(layers);
    return std::nullopt;
  }

  std::optional<Error> take_pieces(std::int64_t count) {
    parallelism_.virtual_stages = static_cast<int>(count / parallelism_.pipeline);
    const bool several = parallelism_.virtual_stages > 1;
    if (several != (parallelism_.schedule == PipelineSchedule::interleaved))
      return at("parallelism.pipeline_parallel_schedule",
                fmt::format("is not for {} pieces on {} stages", count, parallelism_.pipeline));
    return std::nullopt;
  }

  std::optional<Error> parts() {
    const std::int64_t count = static_cast<std::int64_t>(values_.model_parts.size());
    if (count % parallelism_.pipeline != 0)
      return Error{
          fmt::format("{}:{}", given_.file(), values_.model_parts_line),
          fmt::format("{} model parts cannot be dealt to {} stages", count, parallelism_.pipeline)};
    if (auto error = take_pieces(count)) return error;
    for (const std::vector<std::string>& names : values_.model_parts)
      parallelism_.stage_layers.push_back(
          static_cast<int>(std::count_if(names.begin(), names.end(), [](const std::string& name) {
            return name.starts_with("layers.");
          })));
    return std::nullopt;
  }

  std::optional<Error> batch() {
    constexpr std::string_view local_name = "training.local_batch_size";
    constexpr std::string_view part_name = "parallelism.pipeline_parallel_microbatch_size";
    constexpr std::string_view global_name = "training.global_batch_size";
    for (const std::string_view name : {local_name, part_name})
      if (auto error = refuse_small(name, 1, 1)) return error;
    if (auto error = refuse_small("training.seq_len", 2048, 1)) return error;
    parallelism_.sequence_length = given_.integer("training.seq_len", 2048);
    const int local = given_.integer(local_name, 8), part = given_.integer(part_name, 1);
    const bool stages = parallelism_.pipeline > 1;
    if (stages && local % part != 0)
      return at(local_name, fmt::format("{} is no multiple of micro-batches of {}", local, part));
    parallelism_.micro_batch = stages ? part : local;
    parallelism_.micro_batches = local / parallelism_.micro_batch;
    const int global = given_.integer(global_name, -1);
    const std::int64_t round = std::int64_t{local} * parallelism_.data;
    if (global < 0) return std::nullopt;
    if (global == 0 || global % round != 0)
      return at(global_name, fmt::format("{} is no multiple of the replicas' {}", global, round));
    if (global > round && stages)
      leave_out(global_name, "", "a plan does not empty its pipeline within a step");
    parallelism_.micro_batches *= static_cast<int>(global / round);
    return std::nullopt;
  }

  void number_types() {
    const bool bf16 = given_.text("training.mixed_precision_param", "bfloat16") == "bfloat16";
    parallelism_.compute_type = bf16 && mixed_precision_ ? DataType::bf16 : DataType::fp32;
    const std::string converters = given_.text("model.converters", "");
    if (converters.empty()) return;
    if (converters != "float8") return leave_out("model.converters", "", "a plan has float8");
    parallelism_.compute_type = DataType::fp8;
    parallelism_.float8.scaling = Float8Scaling::current;
    if (given_.text("float8.recipe_name", "tensorwise") != "tensorwise")
      leave_out("float8.recipe_name", "", "a plan's own scales are of whole tensors or blocks");
  }

  void work() {
    const std::string mode = given_.text("activation_checkpoint.mode", "selective");
    if (mode == "full") parallelism_.recompute = Recompute::full;
    if (mode == "selective")
      leave_out("activation_checkpoint.mode", mode,
                "it recomputes every n-th layer or chosen operators, a plan's attention's core");
    const std::string optimizer = given_.text("optimizer.name", "AdamW");
    if (optimizer != "AdamW" && optimizer != "Adam")
      leave_out("optimizer.name", "", "torchtitan has Adam and AdamW");
    if (given_.has("training.enable_cpu_offload"))
      leave_out("training.enable_cpu_offload", "", "it keeps parameters in the host's memory, too");
    into_.plan.ccl.overlap_tensor = given_.has("parallelism.enable_async_tensor_parallel") &&
                                    given_.has("training.compile") && parallelism_.tensor > 1;
  }

  const Arguments& given_;
  const TomlValues& values_;
  const ImportNeeds& needs_;
  ImportedPlan& into_;
  Parallelism& parallelism_;
  bool mixed_precision_ = true;
};

}  // namespace

Result<ImportedPlan> read(const std::string& text, const std::string& where,
                          const ImportNeeds& needs) {
  const Result<TomlValues> values = read_toml(text, where);
  if (!values) return values.error();
  ImportedPlan imported;
  imported.not_understood = values->not_understood;
  const Arguments given(where, values->given);
  if (auto error = Reader(given, *values, needs, imported).read()) return *error;
  std::stable_sort(imported.not_understood.begin(), imported.not_understood.end(),
                   [](const auto& one, const auto& other) { return one.line < other.line; });
  return imported;
}

}  // namespace quintet::torchtitan
