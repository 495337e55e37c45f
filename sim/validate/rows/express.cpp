#include "sim/validate/rows/express.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "sim/cost/kernel_time.h"
#include "sim/model/parameters.h"
#include "sim/validate/rows/row_model.h"
#include "sim/validate/rows/row_words.h"
#include "sim/validate/rows/stage_modules.h"

namespace quintet {

namespace {

// Fills a plan from a row, and keeps the first reason why that cannot be done.
class PlanFromRow {
 public:
  PlanFromRow(const PublishedRow& row, const SoftwareStack& stack, const Model& model,
              std::vector<std::string>& remarks)
      : row_(row), stack_(stack), model_(model), remarks_(remarks) {
    plan_.name = row.id;
    set_degrees();
    set_batches();
    set_stages();
    set_numbers();
    set_communication();
  }

  const std::string& reason() const { return reason_; }
  const Plan& plan() const { return plan_; }

 private:
  void refuse(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

  int known(std::optional<int> cell, int otherwise, const char* what) {
    if (cell) return *cell;
    remarks_.push_back(fmt::format("{} not stated: {}", what, otherwise));
    return otherwise;
  }

  void set_degrees() {
    Parallelism& to = plan_.parallelism;
    if (row_.cp.value_or(1) > 1) refuse("context parallelism");
    if (row_.ep.value_or(1) > 1) refuse("expert parallelism");
    if (!row_.gpus || *row_.gpus < 1) return refuse("the number of GPUs is not published");
    to.tensor = known(row_.tp, 1, "tensor parallelism");
    to.pipeline = known(row_.pp, 1, "pipeline parallelism");
    if (to.tensor < 1 || to.pipeline < 1) return refuse("a degree of parallelism is zero");
    const int others = to.tensor * to.pipeline;
    if (*row_.gpus % others != 0)
      return refuse(
          fmt::format("{} GPUs are not filled by tensor x pipeline = {}", *row_.gpus, others));
    to.data = *row_.gpus / others;
    const std::optional<bool> sequence = sequence_parallel_of(row_.seq_parallel);
    to.sequence_parallel = to.tensor > 1 && sequence.value_or(false);
  }

  void set_batches() {
    Parallelism& to = plan_.parallelism;
    if (!row_.seq) return refuse("the sequence length is not published");
    if (!row_.gbs) return refuse("the global batch is not published");
    to.sequence_length = *row_.seq;
    to.micro_batch = known(row_.mbs, usual_micro_batch(), "micro-batch");
    if (to.micro_batch < 1 || to.data < 1) return refuse("the micro-batch is zero");
    const int together = to.data * to.micro_batch;
    if (*row_.gbs % together != 0 || *row_.gbs < together)
      return refuse(
          fmt::format("a global batch of {} is not whole micro-batches of {} on {} replicas",
                      *row_.gbs, to.micro_batch, to.data));
    to.micro_batches = *row_.gbs / together;
  }

  int usual_micro_batch() const {
    const Parallelism& to = plan_.parallelism;
    if (stack_.whole_batch_without_pipeline && to.pipeline == 1 && to.data > 0)
      return std::max(1, *row_.gbs / to.data);
    int batch = 1;
    const double parameters = static_cast<double>(total_parameters(model_));
    while (2 * batch * parameters <= stack_.micro_batch_parameters) batch *= 2;
    return batch;
  }

  // Layers that do not divide: the first and the last chunk, which also hold the embedding and the
  // head, have one less each (Megatron-Core's account-for-embedding options), then the others.
  void set_stages() {
    Parallelism& to = plan_.parallelism;
    int chunks_per_stage = 1;
    if (row_.vpp.starts_with("interleaved") && to.pipeline > 1) {
      chunks_per_stage = 2;
      remarks_.push_back("virtual stages not stated: 2");
    } else if (!row_.vpp.empty() && to.pipeline > 1) {
      const char* const end = row_.vpp.data() + row_.vpp.size();
      const auto [stopped, code] = std::from_chars(row_.vpp.data(), end, chunks_per_stage);
      if (code != std::errc{} || stopped != end || chunks_per_stage < 1)
        return refuse("virtual stages \"" + row_.vpp + "\"");
    }
    if (chunks_per_stage > 1 && to.micro_batches % to.pipeline != 0) {
      remarks_.push_back("micro-batches do not divide over the pipeline: not interleaved");
      chunks_per_stage = 1;
    }
    if (chunks_per_stage > 1) {
      to.schedule = PipelineSchedule::interleaved;
      to.virtual_stages = chunks_per_stage;
    }
    const int chunks = to.pipeline * chunks_per_stage;
    if (chunks > model_.layers) return refuse("more stages than layers");
    const std::vector<int> split = stage_layers_of(row_.notes);
    if (static_cast<int>(split.size()) == chunks &&
        std::accumulate(split.begin(), split.end(), 0) == model_.layers) {
      to.stage_layers = split;
      return;
    }
    if (stack_.stage_cut != StageCut::layers && chunks == to.pipeline) {
      to.stage_layers = layers_of_stages(model_, stack_.stage_cut, to.pipeline);
      if (std::count(to.stage_layers.begin(), to.stage_layers.end(), 0) > 0)
        refuse("a stage without layers");
      return;
    }
    if (model_.layers % chunks == 0) return;
    const int most = (model_.layers + chunks - 1) / chunks;
    to.stage_layers.assign(static_cast<std::size_t>(chunks), most);
    int surplus = chunks * most - model_.layers;
    for (int taken = 0; surplus > 0; ++taken, --surplus) {
      const int chunk = taken % 2 == 0 ? chunks - 1 - taken / 2 : taken / 2;
      --to.stage_layers[static_cast<std::size_t>(chunk)];
    }
  }

  template <class Choice>
  Choice said(const std::optional<Choice>& words, Choice otherwise, const char* what,
              const std::string& text) {
    if (words) return *words;
    remarks_.push_back(std::string(what) + " \"" + text + "\": the framework's default");
    return otherwise;
  }

  void set_numbers() {
    Parallelism& to = plan_.parallelism;
    to.recompute =
        said(recompute_of(row_.recompute), stack_.recompute, "recompute", row_.recompute);
    if (to.recompute == Recompute::selective && stack_.selective == SelectiveRecompute::layers)
      recompute_some_layers();
    to.sharding = said(sharding_of(row_.sharding), stack_.sharding, "sharding", row_.sharding);
    // Shards in a host, replicas between hosts.
    const int host = row_.gpus_per_node.value_or(8);
    if (row_.sharding.find("HSDP") != std::string::npos && to.data > host && to.data % host == 0)
      to.sharding_group = host;
    if (to.data == 1) to.sharding = Sharding::none;
    to.attention =
        said(attention_of(row_.attention).choice, stack_.attention, "attention", row_.attention);
    if (row_.precision.find("FP4") != std::string::npos ||
        row_.precision.find("fp4") != std::string::npos)
      refuse("4-bit floating point");
    to.compute_type =
        said(precision_of(row_.precision), DataType::bf16, "precision", row_.precision);
    to.compute_type = stack_.compute_type.value_or(to.compute_type);
    to.gradient_type = stack_.gradient_type;
    if (to.gradient_type != DataType::fp32)
      to.gradient_type = to.compute_type == DataType::fp16 ? DataType::fp16 : DataType::bf16;
    // "MP PURE": weights, gradients and their sums in the compute type.
    if (row_.sharding.find("MP PURE") != std::string::npos) to.gradient_type = to.compute_type;
    to.master_weights = stack_.master_weights;
    to.optimizer = stack_.optimizer;
    to.clipping = stack_.clipping;
  }

  // Hardware FLOPs over model FLOPs tell how many: recomputing all adds a third.
  void recompute_some_layers() {
    Parallelism& to = plan_.parallelism;
    to.recompute = Recompute::full;
    if (!row_.mfu_pct || !row_.hfu_pct) return;
    const double share = std::clamp(3 * (*row_.hfu_pct / *row_.mfu_pct - 1), 0.0, 1.0);
    to.recompute_layers = static_cast<int>(std::lround(share * model_.layers));
    if (to.recompute_layers == 0) to.recompute = Recompute::none;
    remarks_.push_back(fmt::format("layers recomputed, by HFU over MFU: {}", to.recompute_layers));
  }

  void set_communication() {
    plan_.ccl.overlap_gradients = stack_.overlap_gradients;
    plan_.ccl.overlap_parameters = stack_.overlap_parameters;
    plan_.ccl.bucket = stack_.bucket;
  }

  const PublishedRow& row_;
  const SoftwareStack& stack_;
  const Model& model_;
  std::vector<std::string>& remarks_;
  Plan plan_;
  std::string reason_;
};

const CostTable* costs_of(const std::vector<CostTable>& tables, const std::string& gpu) {
  const std::string name = gpu.substr(0, gpu.find(" ("));
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const CostTable& table) { return table.gpu == name; });
  return found == tables.end() ? nullptr : &*found;
}

// FlashAttention 1 on A100, head size 128, forward and backward: 0.41 to 0.45 of FlashAttention 2's
// rate at 2k to 16k keys (figure of github Dao-AILab/flash-attention, arXiv 2307.08691).
constexpr double first_flash_rate = 0.44;

// FlashAttention 2 on H100, of the rate of FlashAttention 3 and cuDNN that the tables of Hopper
// have: forward 0.54 to 0.58 at 2k to 16k keys, backward 299 of 541 TFLOP/s at 8k (kernel rows of
// arXiv 2407.08608 and github NVIDIA/cudnn-frontend; head size 128, causal).
constexpr double second_flash_rate_on_hopper = 0.55;

void scale_attention(Expression& made, double rate) {
  for (AttentionCosts& costs : made.costs.attention) {
    costs.forward_efficiency *= rate;
    costs.backward_efficiency *= rate;
  }
}

void set_kernels(Expression& made, const PublishedRow& row) {
  const AttentionWords attention = attention_of(row.attention);
  Fusion& fusion = made.compile.fusion;
  fusion.masked_softmax = attention.fused_softmax.value_or(fusion.masked_softmax);
  fusion.norm = attention.fused_norm.value_or(fusion.norm);
  if (eager(row.notes)) fusion.norm = fusion.rotary = fusion.bias_activation = false;
  fusion.packed_attention = attention.first_flash;
  if (attention.first_flash) scale_attention(made, first_flash_rate);
  const bool hopper = made.costs.gpu.starts_with("H") || made.costs.gpu.starts_with("GH");
  if (attention.second_flash && hopper) scale_attention(made, second_flash_rate_on_hopper);
}

// Rows name some cards in few letters.
std::string gpu_name(const std::string& text) {
  if (text.starts_with("V100-SXM3-32GB")) return "V100-SXM-32GB";  // the same chip, 1.60 GHz
  if (text == "H100") return "H100-SXM-80GB";
  if (text == "B200") return "B200-SXM-180GB";
  if (text == "GB200") return "GB200-SXM-186GB";
  if (text.starts_with("NVIDIA Ampere")) return "A100-SXM-80GB";
  return text;
}

}  // namespace

Expressed express(const PublishedRow& row, const Shelf& shelf) {
  const SoftwareStack* const stack = stack_of(shelf.stacks, row.framework);
  const std::string name = stack ? stack->name : "";
  if (const std::string why = beyond(row.arch, row.model, row.gpu); !why.empty())
    return Unexpressed{why, name};
  if (trains_adapters(row.notes))
    return Unexpressed{"low-rank adapters: most weights are frozen", name};
  if (!stack) return Unexpressed{"unknown framework \"" + row.framework + "\"", ""};
  const std::string gpu = gpu_name(row.gpu);
  const CostTable* const costs = costs_of(shelf.costs, gpu);
  if (!costs) return Unexpressed{"no cost table for " + row.gpu, name};
  const PublishedMachine* const machine = machine_of(shelf.machines, gpu, row.network);
  if (!machine) return Unexpressed{"no machine for " + row.gpu, name};
  Expression made;
  made.stack = name;
  const auto model = row_model(row, *stack, made.remarks);
  if (const auto* why = std::get_if<std::string>(&model)) return Unexpressed{*why, name};
  made.model = std::get<Model>(model);
  const PlanFromRow plan(row, *stack, made.model, made.remarks);
  if (!plan.reason().empty()) return Unexpressed{plan.reason(), name};
  made.plan = plan.plan();
  made.plan.network.routing = machine->routing;
  const bool flash = made.plan.parallelism.attention == AttentionChoice::flash;
  const std::string gap = missing_for(made.plan.parallelism.compute_type, *costs,
                                      flash ? AttentionKernel::flash : AttentionKernel::unfused);
  if (!gap.empty()) return Unexpressed{"no costs of " + gap + " for " + row.gpu, name};
  made.topology = machine->topology;
  made.gpus = *row.gpus;
  made.costs = with_stack(*costs, stack->costs);
  made.compile = stack->compile;
  made.compile.fusion.tensor_overlap = stack->overlap_tensor;
  set_kernels(made, row);
  return made;
}

}  // namespace quintet
