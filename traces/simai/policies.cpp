// In which order the rows of each policy are walked, and what waits for what: as
// Workload::iterate_* of ASTRA-sim and SimAI do (astra-sim/workload/Workload.cc), of one pass.
#include <fmt/format.h>

#include <algorithm>

#include "traces/simai/schedule.h"

namespace quintet::simai {

namespace {

enum class PassKind { forward, input_gradient, weight_gradient };

// None: ASTRA-sim does no such collective.
std::optional<StageGroup> group_of(Policy policy, PassKind pass, GroupKind suffix, bool is_first) {
  if (suffix == GroupKind::expert) return StageGroup::expert;
  if (suffix == GroupKind::expert_data) return StageGroup::expert_data;
  const bool is_weight = pass == PassKind::weight_gradient;
  switch (policy) {
    case Policy::hybrid_transformer:
    case Policy::hybrid_transformer_recomputing:
    case Policy::hybrid_data_model:
    case Policy::hybrid_model_data:
    case Policy::hybrid_customized:
      return is_weight ? StageGroup::data : StageGroup::tensor;
    case Policy::data:
    case Policy::micro:
      return is_weight ? std::optional(StageGroup::all) : std::nullopt;
    case Policy::hybrid_dlrm:
    case Policy::hybrid_dlrm_enhanced:
      return is_weight || is_first ? std::optional(StageGroup::all) : std::nullopt;
    case Policy::model:
    case Policy::distributed_inference:
      return is_weight ? std::nullopt : std::optional(StageGroup::all);
  }
  return {};
}

class Walk {
 public:
  Walk(const LayerText& layers, const StageShape& shape) : layers_(layers), builder_(shape) {
    mark_micro_batches();
  }

  std::optional<std::string> run();
  Schedule take() { return builder_.take(); }

 private:
  const Row& row(int index) const { return layers_.rows[static_cast<std::size_t>(index)]; }
  int rows() const { return static_cast<int>(layers_.rows.size()); }

  void mark_micro_batches();
  void about(int index) { builder_.about(index, micro_batches_[static_cast<std::size_t>(index)]); }
  std::int32_t collective(int index, const Pass& pass, PassKind kind, const char* what);
  void forward(int index, Phase phase = Phase::forward);
  std::int32_t input_gradient(int index);
  void weight_gradient(int index, bool communicates = true);
  bool is_marked(const std::vector<int>& rows, int index) const {
    return std::find(rows.begin(), rows.end(), index) != rows.end();
  }
  std::optional<std::string> recompute(int index);
  std::optional<std::string> transformer();
  void hybrid(bool sums_weights);
  void data();
  void dlrm();
  void micro();

  const LayerText& layers_;
  ScheduleBuilder builder_;
  std::vector<std::int32_t> micro_batches_;
};

// AICB begins each micro-batch with the embedding.
void Walk::mark_micro_batches() {
  micro_batches_.assign(layers_.rows.size(), -1);
  const auto begins = [](const Row& of) { return of.name == "embedding_layer"; };
  const auto count = std::count_if(layers_.rows.begin(), layers_.rows.end(), begins);
  if (count != layers_.header.accumulation) return;
  std::int32_t at = -1;
  for (std::size_t i = 0; i < micro_batches_.size(); ++i)
    micro_batches_[i] = at += begins(layers_.rows[i]) ? 1 : 0;
}

// The last of them, as one follows the other; -1: none.
std::int32_t Walk::collective(int index, const Pass& pass, PassKind kind, const char* what) {
  const auto group = group_of(row(index).policy, kind, pass.collective.group, index == 0);
  if (!group) return -1;
  std::int32_t step = -1;
  for (const CollectiveKind of : pass.collective.kinds)
    step = builder_.collective(fmt::format("{} {}", row(index).name, what), of, *group,
                               pass.collective.size, step);
  return step;
}

void Walk::forward(int index, Phase phase) {
  about(index);
  const Row& of = row(index);
  const char* what = phase == Phase::forward ? "forward" : "recomputed";
  builder_.compute(fmt::format("{} {}", of.name, what), phase, of.forward.time);
  builder_.wait(collective(index, of.forward, PassKind::forward, what));
}

// Nobody waits for its collective yet.
std::int32_t Walk::input_gradient(int index) {
  about(index);
  const Row& of = row(index);
  builder_.compute(of.name + " input gradient", Phase::input_gradient, of.input_gradient.time);
  return collective(index, of.input_gradient, PassKind::input_gradient, "input gradient");
}

void Walk::weight_gradient(int index, bool communicates) {
  about(index);
  const Row& of = row(index);
  builder_.compute(of.name + " weight gradient", Phase::weight_gradient, of.weight_gradient.time);
  if (!communicates || of.weight_gradient.collective.kinds.empty()) return;
  const std::int32_t step =
      collective(index, of.weight_gradient, PassKind::weight_gradient, "weight gradient");
  builder_.update(of.name + " update", of.update, step);
}

std::optional<std::string> Walk::recompute(int index) {
  if (!is_marked(layers_.header.initiates, index)) return {};
  int from = index;
  while (from >= 0 && !is_marked(layers_.header.checkpoints, from)) --from;
  if (from < 0)
    return fmt::format(
        "checkpoint_initiates: row {} has no checkpoint at or before it; add one to "
        "checkpoints",
        index);
  for (int at = from; at < index; ++at) forward(at, Phase::recompute);
  return {};
}

std::optional<std::string> Walk::transformer() {
  for (int i = 0; i < rows(); ++i) forward(i);
  for (int i = rows() - 1; i >= 0; --i) {
    if (auto wrong = recompute(i)) return wrong;
    builder_.wait(input_gradient(i));
    weight_gradient(i);
  }
  return {};
}

void Walk::hybrid(bool sums_weights) {
  for (int i = 0; i < rows(); ++i) forward(i);
  for (int i = rows() - 1; i >= 0; --i) {
    const std::int32_t sum = i > 0 ? input_gradient(i) : -1;
    if (i == 0)
      builder_.compute(row(i).name + " input gradient", Phase::input_gradient,
                       row(i).input_gradient.time);
    weight_gradient(i, sums_weights);
    builder_.wait(sum);
  }
}

void Walk::data() {
  for (int i = 0; i < rows(); ++i) forward(i);
  for (int i = rows() - 1; i >= 0; --i) {
    weight_gradient(i);
    if (i > 0) input_gradient(i);
  }
}

void Walk::dlrm() {
  const int last_bottom = layers_.header.last_bottom;
  std::int32_t first = -1, back = -1;
  for (int i = 0; i < rows(); ++i) {
    about(i);
    builder_.compute(row(i).name + " forward", Phase::forward, row(i).forward.time);
    const std::vector<CollectiveKind>& kinds = row(i).forward.collective.kinds;
    if (kinds == std::vector{CollectiveKind::all_to_all}) {
      const std::int32_t step = collective(i, row(i).forward, PassKind::forward, "forward");
      if (i == 0) first = step;
    } else if (i == last_bottom) {
      builder_.wait(first);
    }
  }
  for (int i = rows() - 1; i >= 0; --i) {
    weight_gradient(i);
    if (i == 0) break;
    about(i);
    builder_.compute(row(i).name + " input gradient", Phase::input_gradient,
                     row(i).input_gradient.time);
    if (i != last_bottom + 1) continue;
    about(0);
    back = collective(0, row(0).input_gradient, PassKind::input_gradient, "input gradient");
  }
  builder_.wait(back);
}

void Walk::micro() {
  for (int i = 0; i < rows(); ++i) {
    about(i);
    builder_.compute(row(i).name, Phase::weight_gradient, row(i).weight_gradient.time);
    builder_.wait(collective(i, row(i).weight_gradient, PassKind::weight_gradient, "of the test"));
  }
}

std::optional<std::string> Walk::run() {
  switch (layers_.header.policy) {
    case Policy::hybrid_transformer:
    case Policy::hybrid_transformer_recomputing:
      return transformer();
    case Policy::hybrid_customized:
    case Policy::hybrid_data_model:
    case Policy::hybrid_model_data:
      return hybrid(true), std::nullopt;
    case Policy::model:
      return hybrid(false), std::nullopt;
    case Policy::data:
      return data(), std::nullopt;
    case Policy::hybrid_dlrm:
    case Policy::hybrid_dlrm_enhanced:
      return dlrm(), std::nullopt;
    case Policy::micro:
      return micro(), std::nullopt;
    case Policy::distributed_inference:
      for (int i = 0; i < rows(); ++i) forward(i);
      return {};
  }
  return {};
}

// Groups of these are dimensions of ASTRA-sim's network.
std::optional<std::string> untold_groups(const LayerText& layers) {
  for (const Row& row : layers.rows) {
    if (row.policy == Policy::hybrid_model_data)
      return "HYBRID_MODEL_DATA: its groups are dimensions of ASTRA-sim's network, which the text "
             "does not tell; write it as HYBRID_TRANSFORMER with model_parallel_NPU_group";
    if (row.policy == Policy::hybrid_data_model && !layers.header.says_tensor)
      return "HYBRID_DATA_MODEL: its groups are dimensions of ASTRA-sim's network; add "
             "model_parallel_NPU_group: and the number of GPUs of the first to the header";
  }
  return {};
}

}  // namespace

Result<Schedule> schedule_of(const LayerText& layers, const StageShape& shape,
                             const std::string& where) {
  if (const auto wrong = untold_groups(layers)) return Error{where, *wrong};
  constexpr std::size_t most_recomputed = 1'000'000;
  if (layers.header.initiates.size() * layers.rows.size() > most_recomputed)
    return Error{where,
                 "recomputes more rows than any job does; expected fewer checkpoint_initiates"};
  Walk walk(layers, shape);
  if (const auto wrong = walk.run()) return Error{where, *wrong};
  return walk.take();
}

}  // namespace quintet::simai
