#include "sim/validate/express.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/cost/kernel_time.h"
#include "sim/validate/row_model.h"
#include "sim/validate/row_words.h"

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
    remarks_.push_back(std::string(what) + " not stated: " + std::to_string(otherwise));
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
      return refuse(std::to_string(*row_.gpus) +
                    " GPUs are not filled by tensor x pipeline = " + std::to_string(others));
    to.data = *row_.gpus / others;
    const std::optional<bool> sequence = sequence_parallel_of(row_.seq_parallel);
    to.sequence_parallel = to.tensor > 1 && sequence.value_or(false);
  }

  void set_batches() {
    Parallelism& to = plan_.parallelism;
    if (!row_.seq) return refuse("the sequence length is not published");
    if (!row_.gbs) return refuse("the global batch is not published");
    to.sequence_length = *row_.seq;
    to.micro_batch = known(row_.mbs, 1, "micro-batch");
    if (to.micro_batch < 1 || to.data < 1) return refuse("the micro-batch is zero");
    const int together = to.data * to.micro_batch;
    if (*row_.gbs % together != 0 || *row_.gbs < together)
      return refuse("a global batch of " + std::to_string(*row_.gbs) +
                    " is not whole micro-batches of " + std::to_string(to.micro_batch) + " on " +
                    std::to_string(to.data) + " replicas");
    to.micro_batches = *row_.gbs / together;
  }

  // Layers that do not divide: the first and the last chunk, which also hold the embedding and the
  // head, have one less each (Megatron-Core's account-for-embedding options), then the others.
  void set_stages() {
    Parallelism& to = plan_.parallelism;
    int chunks_per_stage = 1;
    if (!row_.vpp.empty() && to.pipeline > 1) {
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
    to.sharding = said(sharding_of(row_.sharding), stack_.sharding, "sharding", row_.sharding);
    if (to.data == 1) to.sharding = Sharding::none;
    to.attention =
        said(attention_of(row_.attention).choice, stack_.attention, "attention", row_.attention);
    if (row_.precision.find("FP4") != std::string::npos ||
        row_.precision.find("fp4") != std::string::npos)
      refuse("4-bit floating point");
    to.compute_type =
        said(precision_of(row_.precision), DataType::bf16, "precision", row_.precision);
    to.gradient_type = stack_.gradient_type;
    if (to.gradient_type != DataType::fp32)
      to.gradient_type = to.compute_type == DataType::fp16 ? DataType::fp16 : DataType::bf16;
    // "MP PURE": weights, gradients and their sums in the compute type.
    if (row_.sharding.find("MP PURE") != std::string::npos) to.gradient_type = to.compute_type;
    to.master_weights = stack_.master_weights;
    to.optimizer = stack_.optimizer;
    to.clipping = stack_.clipping;
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

void slow_down_attention(Expression& made) {
  made.compile.fusion.packed_attention = true;
  for (AttentionCosts& costs : made.costs.attention) {
    costs.forward_efficiency *= first_flash_rate;
    costs.backward_efficiency *= first_flash_rate;
  }
}

// Rows name some cards in few letters.
std::string gpu_name(const std::string& text) {
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
  if (const std::string gap = missing_for(made.plan.parallelism.compute_type, *costs); !gap.empty())
    return Unexpressed{"no costs of " + gap + " for " + row.gpu, name};
  made.topology = machine->topology;
  made.gpus = *row.gpus;
  made.costs = with_stack(*costs, stack->costs);
  made.compile = stack->compile;
  made.compile.fusion.tensor_overlap = stack->overlap_tensor;
  const AttentionWords attention = attention_of(row.attention);
  made.compile.fusion.masked_softmax =
      attention.fused_softmax.value_or(made.compile.fusion.masked_softmax);
  made.compile.fusion.norm = attention.fused_norm.value_or(made.compile.fusion.norm);
  if (attention.first_flash) slow_down_attention(made);
  return made;
}

}  // namespace quintet
