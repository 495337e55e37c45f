#include "sim/explain/breakdown_report.h"

#include <algorithm>
#include <array>

#include "sim/json/json_value.h"

#include "sim/explain/shown_times.h"

namespace quintet {
namespace {

constexpr std::size_t groups = static_cast<std::size_t>(ComputeGroup::profiled_stage) + 1;

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string cell(Duration part, Duration whole, int decimals) {
  return fixed(milliseconds(part), decimals) + " ms " +
         padded(hundredths(share_of(part, whole)), 5) + " %";
}

std::string difference_cell(Duration first, Duration second, Duration first_step, int decimals) {
  return signed_fixed(milliseconds(second - first), decimals) + " ms " +
         padded(signed_fixed(100 * share_of(second - first, first_step), 1), 6) + " %";
}

std::vector<BreakdownRow> compute_rows(const RankBreakdown& breakdown) {
  std::array<Duration, groups> times{};
  for (const OperatorTime& time : breakdown.operators)
    times[static_cast<std::size_t>(group_of(time.work, time.phase))] += time.time;
  std::vector<BreakdownRow> rows{{"compute", 0, breakdown.compute}};
  for (std::size_t group = 0; group < groups; ++group)
    rows.push_back({std::string(name_of(static_cast<ComputeGroup>(group))), 1, times[group]});
  return rows;
}

std::vector<BreakdownRow> exposed_rows(const RankBreakdown& breakdown) {
  std::vector<BreakdownRow> rows{{"exposed communication", 0, {}}};
  for (std::size_t axis = 0; axis < axis_count; ++axis) {
    rows.front().time += breakdown.exposed[axis];
    rows.push_back({std::string(name_of(static_cast<Axis>(axis))), 1, breakdown.exposed[axis]});
  }
  return rows;
}

JsonValue by_axis(const std::array<Duration, axis_count>& times) {
  JsonValue json = JsonValue::object();
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    json[std::string(name_of(static_cast<Axis>(axis)))] = times[axis].picoseconds;
  return json;
}

JsonValue json_of(const Named<RankBreakdown>& plan) {
  const RankBreakdown& breakdown = plan.value;
  JsonValue operators = JsonValue::array();
  for (const OperatorTime& time : breakdown.operators)
    operators.push_back({{"operator", name_of(time.work)},
                         {"phase", name_of(time.phase)},
                         {"time", time.time.picoseconds}});
  return {{"name", plan.name},
          {"rank", breakdown.rank.value},
          {"ranks", breakdown.ranks},
          {"stage", breakdown.stage},
          {"step", breakdown.step.picoseconds},
          {"compute", breakdown.compute.picoseconds},
          {"operators", operators},
          {"exposed", by_axis(breakdown.exposed)},
          {"total_communication", by_axis(breakdown.total_communication)},
          {"bubble", breakdown.bubble.picoseconds},
          {"waiting", breakdown.waiting.picoseconds},
          {"copy", breakdown.copy.picoseconds},
          {"host", breakdown.host.picoseconds},
          {"idle", breakdown.idle.picoseconds}};
}

}  // namespace

ComputeGroup group_of(OperatorKind kind, Phase phase) {
  if (phase == Phase::recompute) return ComputeGroup::recompute;
  switch (kind) {
    case OperatorKind::qkv_projection:
    case OperatorKind::rotary:
    case OperatorKind::attention:
    case OperatorKind::attention_output:
      return ComputeGroup::attention;
    case OperatorKind::mlp_up:
    case OperatorKind::mlp_activation:
    case OperatorKind::mlp_down:
      return ComputeGroup::mlp;
    case OperatorKind::norm:
    case OperatorKind::qk_norm:
    case OperatorKind::residual:
      return ComputeGroup::norm_residual;
    case OperatorKind::embedding:
    case OperatorKind::head:
    case OperatorKind::cross_entropy:
      return ComputeGroup::embedding_head;
    case OperatorKind::gradient_scale:
    case OperatorKind::gradient_norm:
    case OperatorKind::gradient_clip:
    case OperatorKind::gradient_add:
    case OperatorKind::optimizer_update:
    case OperatorKind::cast:
      return ComputeGroup::gradients_optimizer;
    case OperatorKind::presort:
    case OperatorKind::compress:
    case OperatorKind::decompress:
      return ComputeGroup::exchange;
    case OperatorKind::product:
      return ComputeGroup::products;
    case OperatorKind::kernel:
      return ComputeGroup::other_kernels;
    case OperatorKind::stage_total:
      return ComputeGroup::profiled_stage;
  }
  return ComputeGroup::profiled_stage;
}

std::string_view name_of(ComputeGroup group) {
  switch (group) {
    case ComputeGroup::attention:
      return "attention";
    case ComputeGroup::mlp:
      return "MLP";
    case ComputeGroup::norm_residual:
      return "norm, residual";
    case ComputeGroup::embedding_head:
      return "embedding, head, loss";
    case ComputeGroup::recompute:
      return "recompute";
    case ComputeGroup::gradients_optimizer:
      return "gradients, optimizer";
    case ComputeGroup::exchange:
      return "presort, compression";
    case ComputeGroup::products:
      return "products";
    case ComputeGroup::other_kernels:
      return "other kernels";
    case ComputeGroup::profiled_stage:
      return "profiled stage";
  }
  return "unknown";
}

std::vector<BreakdownRow> rows_of(const RankBreakdown& breakdown) {
  std::vector<BreakdownRow> rows = compute_rows(breakdown);
  for (BreakdownRow& row : exposed_rows(breakdown)) rows.push_back(std::move(row));
  rows.push_back({"pipeline bubble", 0, breakdown.bubble});
  rows.push_back({"waiting for peers", 0, breakdown.waiting});
  rows.push_back({"copy", 0, breakdown.copy});
  rows.push_back({"host", 0, breakdown.host});
  rows.push_back({"idle", 0, breakdown.idle});
  rows.push_back({"step", 0, breakdown.step});
  return rows;
}

std::vector<RowDifference> row_differences(const RankBreakdown& before,
                                           const RankBreakdown& after) {
  const std::vector<BreakdownRow> first = rows_of(before), second = rows_of(after);
  std::vector<RowDifference> rows;
  for (std::size_t row = 0; row < first.size(); ++row)
    rows.push_back({first[row].name, first[row].level, first[row].time, second[row].time});
  return rows;
}

std::vector<TextRow> breakdown_rows(std::span<const Named<RankBreakdown>> plans) {
  if (plans.empty()) return {};
  TextRow header{""};
  std::vector<std::vector<BreakdownRow>> columns;
  Duration longest;
  for (const auto& plan : plans) {
    header.push_back(plan.name);
    columns.push_back(rows_of(plan.value));
    longest = std::max(longest, plan.value.step);
  }
  if (plans.size() == 2) header.push_back("difference");
  const int decimals = decimals_for(milliseconds(longest));

  std::vector<TextRow> table{header};
  for (std::size_t row = 0; row < columns.front().size(); ++row) {
    const bool says_something =
        row + 1 == columns.front().size() ||
        std::any_of(columns.begin(), columns.end(),
                    [row](const auto& column) { return column[row].time != Duration{}; });
    if (!says_something) continue;
    const BreakdownRow& first = columns.front()[row];
    TextRow line{std::string(2 * static_cast<std::size_t>(first.level), ' ') + first.name};
    for (std::size_t plan = 0; plan < plans.size(); ++plan)
      line.push_back(cell(columns[plan][row].time, plans[plan].value.step, decimals));
    if (plans.size() == 2)
      line.push_back(
          difference_cell(first.time, columns[1][row].time, plans[0].value.step, decimals));
    table.push_back(line);
  }
  return table;
}

std::string breakdown_table(std::span<const Named<RankBreakdown>> plans) {
  return aligned(breakdown_rows(plans));
}

std::string breakdown_json(std::span<const Named<RankBreakdown>> plans) {
  JsonValue json{{"schema_version", 1}, {"unit", "ps"}};
  json["plans"] = JsonValue::array();
  for (const auto& plan : plans) json["plans"].push_back(json_of(plan));
  return json.dump(2) + "\n";
}

}  // namespace quintet
