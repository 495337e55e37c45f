#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/frameworks/megatron.h"

namespace quintet::megatron {
namespace {

// Default of Megatron Core where gradients leave during backward, in parameters.
double usual_bucket(int data) {
  return std::max(40e6, 1e6 * data);
}

class Reader {
 public:
  Reader(const Arguments& given, const ImportNeeds& needs, ImportedPlan& into)
      : given_(given), needs_(needs), into_(into), parallelism_(into.plan.parallelism) {}

  std::optional<Error> read() {
    if (auto error = degrees()) return error;
    if (auto error = sharding()) return error;
    if (auto error = stages()) return error;
    if (auto error = batch()) return error;
    recomputation();
    number_types();
    update();
    communication();
    return std::nullopt;
  }

 private:
  bool has(std::string_view name) const { return given_.has(name); }
  void leave_out(std::string_view name, std::string why) {
    const GivenArgument* const argument = given_.given(name);
    const std::string what =
        argument->name + (argument->value.empty() ? "" : " " + shown(argument->value));
    into_.not_understood.push_back({argument->line, what, std::move(why)});
  }
  Error at(std::string_view name, std::string what) const {
    return {given_.place(name), std::move(what)};
  }

  std::optional<int> ranks() const {
    if (needs_.ranks) return needs_.ranks;
    std::int64_t all = 1;
    for (const auto& [one, other] :
         {std::pair{"--nproc_per_node", "--nproc-per-node"}, std::pair{"--nnodes", "--nnodes"}}) {
      const ArgumentRow number{"", ArgumentType::integer};
      const std::string text = given_.text(has(one) ? one : other, "");
      if (quintet::refusal(number, text)) return std::nullopt;
      all *= std::stoi(text);
    }
    if (all < 1 || all > 1'000'000'000) return std::nullopt;
    return static_cast<int>(all);
  }

  std::optional<Error> degrees() {
    parallelism_.tensor = given_.integer("--tensor-model-parallel-size", 1);
    parallelism_.context = given_.integer("--context-parallel-size", 1);
    parallelism_.pipeline = given_.integer("--pipeline-model-parallel-size", 1);
    const std::optional<int> all = ranks();
    if (!all)
      return Error{given_.file(),
                   "does not say how many ranks there are (--nproc_per_node, --nnodes); give "
                   "--ranks"};
    const std::int64_t model = std::int64_t{parallelism_.tensor} * parallelism_.context;
    if (model > *all || model * parallelism_.pipeline > *all ||
        *all % (model * parallelism_.pipeline) != 0)
      return at(
          "--tensor-model-parallel-size",
          fmt::format("{} ranks cannot be dealt to tensor x context x pipeline parallelism "
                      "of {} x {} x {}",
                      *all, parallelism_.tensor, parallelism_.context, parallelism_.pipeline));
    parallelism_.data = static_cast<int>(*all / (model * parallelism_.pipeline));
    if (given_.integer("--expert-model-parallel-size", 1) > 1)
      leave_out("--expert-model-parallel-size", "no mixture of experts is modelled");
    using enum Axis;
    if (has("--use-tp-pp-dp-mapping"))
      parallelism_.order = {tensor, context, expert, pipeline, data};
    parallelism_.sequence_parallel = has("--sequence-parallel") && parallelism_.tensor > 1;
    if (has("--sequence-parallel") && parallelism_.tensor == 1)
      leave_out("--sequence-parallel", "is switched off without tensor parallelism");
    return std::nullopt;
  }

  std::optional<Error> sharding() {
    parallelism_.sharding = sharding_given();
    const int copies = given_.integer("--num-distributed-optimizer-instances", 1);
    if (copies == 1) return std::nullopt;
    if (parallelism_.data % copies != 0)
      return at(
          "--num-distributed-optimizer-instances",
          fmt::format("{} replicas cannot be dealt to {} instances", parallelism_.data, copies));
    parallelism_.sharding_group = parallelism_.data / copies;
    return std::nullopt;
  }

  Sharding sharding_given() const {
    if (has("--use-torch-fsdp2"))
      return has("--torch-fsdp2-no-reshard-after-forward") ? Sharding::gradients
                                                           : Sharding::parameters;
    if (!has("--use-megatron-fsdp"))
      return has("--use-distributed-optimizer") ? Sharding::optimizer : Sharding::none;
    const std::string strategy = given_.text("--data-parallel-sharding-strategy", "no_shard");
    if (strategy == "optim") return Sharding::optimizer;
    if (strategy == "optim_grads") return Sharding::gradients;
    return strategy == "optim_grads_params" ? Sharding::parameters : Sharding::none;
  }

  std::optional<Error> stages() {
    parallelism_.virtual_stages = given_.integer("--num-virtual-stages-per-pipeline-rank", 1);
    if (const auto error = layers_per_stage()) return error;
    if (const auto error = layout()) return error;
    if (const auto error = uneven_stages()) return error;
    if (parallelism_.virtual_stages > 1) parallelism_.schedule = PipelineSchedule::interleaved;
    return std::nullopt;
  }

  int model_layers() const { return given_.integer("--num-layers", needs_.layers.value_or(0)); }

  std::optional<Error> layers_per_stage() {
    constexpr std::string_view name = "--num-layers-per-virtual-pipeline-stage";
    if (!has(name)) return std::nullopt;
    if (model_layers() < 1) return at(name, "--num-layers is needed for it, or --model");
    const int layers = model_layers() + (has("--account-for-embedding-in-pipeline-split") ? 1 : 0) +
                       (has("--account-for-loss-in-pipeline-split") ? 1 : 0);
    const std::int64_t round = std::int64_t{parallelism_.pipeline} * given_.integer(name, 1);
    if (layers % round != 0)
      return at(name, fmt::format("{} layers cannot be dealt to {} stages in pieces of {}", layers,
                                  parallelism_.pipeline, given_.integer(name, 1)));
    parallelism_.virtual_stages = static_cast<int>(layers / round);
    return std::nullopt;
  }

  std::optional<Error> layout() {
    constexpr std::string_view name = "--pipeline-model-parallel-layout";
    if (!has(name)) return std::nullopt;
    Result<std::vector<int>> layers = layers_of_layout(given_.text(name, ""));
    if (!layers) return at(name, fmt::format("{}: {}", name, layers.error().what));
    const int pieces = static_cast<int>(layers->size());
    if (pieces % parallelism_.pipeline != 0)
      return at(name, fmt::format("{} has {} pieces, which cannot be dealt to {} stages", name,
                                  pieces, parallelism_.pipeline));
    parallelism_.virtual_stages = pieces / parallelism_.pipeline;
    parallelism_.stage_layers = std::move(*layers);
    return std::nullopt;
  }

  std::optional<Error> uneven_stages() {
    UnevenStages uneven;
    std::string_view name;
    for (const auto& [argument, number] :
         {std::pair{"--decoder-first-pipeline-num-layers", &uneven.first},
          std::pair{"--decoder-last-pipeline-num-layers", &uneven.last}}) {
      if (!has(argument)) continue;
      name = argument;
      *number = given_.integer(argument, 1);
    }
    for (const auto& [argument, is_so] :
         {std::pair{"--account-for-embedding-in-pipeline-split", &uneven.embedding},
          std::pair{"--account-for-loss-in-pipeline-split", &uneven.loss}}) {
      if (!has(argument)) continue;
      name = argument;
      *is_so = true;
    }
    if (name.empty() || parallelism_.pipeline == 1) return std::nullopt;
    if (model_layers() < 1) return at(name, "--num-layers is needed for it, or --model");
    std::vector<int> layers =
        dealt_layers(model_layers(), parallelism_.pipeline, parallelism_.virtual_stages, uneven);
    if (layers.empty())
      return at(name,
                fmt::format("{}: {} layers cannot be dealt so to {} stages of {} pieces", name,
                            model_layers(), parallelism_.pipeline, parallelism_.virtual_stages));
    const bool even =
        std::all_of(layers.begin(), layers.end(), [&](int each) { return each == layers.front(); });
    if (!even) parallelism_.stage_layers = std::move(layers);
    return std::nullopt;
  }

  std::optional<Error> batch() {
    parallelism_.sequence_length = given_.integer("--seq-length", 0);
    parallelism_.micro_batch = given_.integer("--micro-batch-size", 1);
    const std::int64_t round = std::int64_t{parallelism_.micro_batch} * parallelism_.data;
    const std::int64_t batch =
        has("--global-batch-size") ? given_.integer("--global-batch-size", 1) : round;
    if (batch % round != 0)
      return at("--global-batch-size",
                fmt::format("--global-batch-size {} is no multiple of {} replicas x micro-batches "
                            "of {}",
                            batch, parallelism_.data, parallelism_.micro_batch));
    parallelism_.micro_batches = static_cast<int>(batch / round);
    return std::nullopt;
  }

  void recomputation() {
    const std::string granularity = given_.text("--recompute-granularity", "");
    if (has("--recompute-activations") || granularity == "selective")
      parallelism_.recompute = Recompute::selective;
    if (granularity == "full") {
      parallelism_.recompute = Recompute::full;
      if (given_.text("--recompute-method", "") == "block")
        parallelism_.recompute_layers = given_.integer("--recompute-num-layers", 1);
      else if (given_.integer("--recompute-num-layers", 1) > 1)
        leave_out("--recompute-num-layers", "a plan keeps the input of every layer");
    }
    const std::string attention = given_.text("--attention-backend", "auto");
    if (attention == "unfused" || attention == "local")
      parallelism_.attention = AttentionChoice::unfused;
    const std::string scope = given_.text("--cuda-graph-scope", "full");
    if (given_.text("--cuda-graph-impl", "none") == "none") return;
    if (scope == "full_iteration")
      into_.plan.host_net.launch = Launch::graphs;
    else
      leave_out("--cuda-graph-impl", "a plan's graphs are of the whole step (full_iteration)");
  }

  void number_types() {
    const bool bf16 = has("--bf16"), fp16 = has("--fp16");
    parallelism_.compute_type = bf16 ? DataType::bf16 : fp16 ? DataType::fp16 : DataType::fp32;
    parallelism_.gradient_type = DataType::fp32;
    if (bf16 && has("--grad-reduce-in-bf16")) parallelism_.gradient_type = DataType::bf16;
    if (fp16 && !has("--accumulate-allreduce-grads-in-fp32"))
      parallelism_.gradient_type = DataType::fp16;
    parallelism_.loss_scaling = fp16;
    if (has("--loss-scale") && given_.real("--loss-scale", 1) != 1)
      leave_out("--loss-scale", "a plan has no scale that stays the same");
    if (has("--fp8-format")) float8();
  }

  void float8() {
    parallelism_.compute_type = DataType::fp8;
    if (given_.text("--fp8-format", "") == "e4m3")
      leave_out("--fp8-format", "a plan's gradients are in e5m2 (hybrid)");
    const std::string recipe = given_.text("--fp8-recipe", "delayed");
    Float8Recipe& float8 = parallelism_.float8;
    if (recipe == "tensorwise") float8.scaling = Float8Scaling::current;
    if (recipe == "blockwise") float8.scaling = Float8Scaling::block;
    if (recipe == "mxfp8" || recipe == "custom")
      leave_out("--fp8-recipe", "a plan has delayed, tensorwise and blockwise");
    if (recipe != "delayed") return;
    const bool largest = given_.text("--fp8-amax-compute-algo", "most_recent") == "max";
    float8.history = largest ? given_.integer("--fp8-amax-history-len", 1) : 1;
    float8.margin = given_.integer("--fp8-margin", 0);
  }

  void update() {
    const std::string optimizer = given_.text("--optimizer", "adam");
    if (optimizer == "sgd") parallelism_.optimizer = Optimizer::sgd;
    if (optimizer == "muon" || optimizer == "dist_muon")
      leave_out("--optimizer", "a plan has adamw, lamb and sgd");
    if (given_.real("--clip-grad", 1.0) == 0) parallelism_.clipping = Clipping::none;
    if (has("--optimizer-cpu-offload"))
      leave_out("--optimizer-cpu-offload",
                "the processors update; a plan's offload brings the state to the GPU");
    for (const std::string_view name : {"--exp-avg-dtype", "--exp-avg-sq-dtype"})
      if (given_.text(name, "fp32") != "fp32")
        leave_out(name, "a plan's moments are both fp32 or both bf16");
  }

  void communication() {
    Ccl& ccl = into_.plan.ccl;
    ccl.overlap_gradients = has("--overlap-grad-reduce");
    ccl.overlap_tensor = has("--tp-comm-overlap");
    // Says nothing where nothing is sharded: as a plan has it that does not say it.
    ccl.overlap_parameters =
        parallelism_.sharding == Sharding::none || has("--overlap-param-gather");
    if (has("--use-torch-fsdp2")) ccl.overlap_gradients = ccl.overlap_parameters = true;
    const double size = size_of(parallelism_.gradient_type).value;
    if (!ccl.overlap_gradients || has("--use-megatron-fsdp") || has("--use-torch-fsdp2")) return;
    if (has("--ddp-bucket-size"))
      ccl.bucket = Bytes{size * given_.integer("--ddp-bucket-size", 1)};
    else if (!has("--ddp-num-buckets"))
      ccl.bucket = Bytes{size * usual_bucket(parallelism_.data)};
    else if (given_.integer("--ddp-num-buckets", 1) > 1)
      leave_out("--ddp-num-buckets", "a plan says how large a bucket is");
  }

  const Arguments& given_;
  const ImportNeeds& needs_;
  ImportedPlan& into_;
  Parallelism& parallelism_;
};

}  // namespace

std::optional<Error> understand(const Arguments& given, const ImportNeeds& needs,
                                ImportedPlan& into) {
  return Reader(given, needs, into).read();
}

}  // namespace quintet::megatron
