#include "sim/frameworks/framework.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "sim/frameworks/deepspeed.h"
#include "sim/frameworks/megatron.h"
#include "sim/frameworks/nemo.h"
#include "sim/frameworks/torchtitan.h"
#include "sim/plan/plan_difference.h"

namespace quintet {
namespace {

// Every field in which what was written reads differently.
std::vector<Unsaid> found_unsaid(const FrameworkRow& framework, const Plan& plan,
                                 const std::string& text, const Model& model) {
  const Result<ImportedPlan> again = framework.read(
      text, "what was written",
      {world_size(plan.parallelism), model.layers, plan.parallelism.sequence_length});
  assert(again.has_value());
  std::vector<Unsaid> all;
  for (const FieldDifference& each : differences(plan, again->plan))
    all.push_back({each.path, each.one.empty() ? "-" : each.one,
                   each.other.empty() ? "-" : each.other, framework.reason(plan, each.path)});
  return all;
}

// A remark per field at the end of a file that takes "#".
std::string with_comments(const std::string& written, const std::vector<Unsaid>& unsaid) {
  std::string text = written;
  if (!unsaid.empty()) text += "\n# Of the plan this does not say:\n";
  for (const Unsaid& each : unsaid)
    text += fmt::format("# {} {} (here {}): {}\n", each.field, shown(each.value, 80),
                        shown(each.said, 80), each.reason);
  return text;
}

}  // namespace

std::span<const FrameworkRow> frameworks() {
  static const std::array rows{
      FrameworkRow{"megatron", "a shell script for Megatron-LM's pretrain_gpt.py",
                   megatron::arguments(), megatron::written, megatron::read, megatron::reason,
                   with_comments},
      FrameworkRow{"torchtitan", "a TOML file for torchtitan", torchtitan::arguments(),
                   torchtitan::written, torchtitan::read, torchtitan::reason, with_comments},
      FrameworkRow{"deepspeed", "a JSON file for DeepSpeed (ds_config)", deepspeed::arguments(),
                   deepspeed::written, deepspeed::read, deepspeed::reason, deepspeed::with_remarks},
      FrameworkRow{"nemo", "a Python file for NeMo (Megatron-Bridge)", nemo::arguments(),
                   nemo::written, nemo::read, nemo::reason, with_comments}};
  return rows;
}

const FrameworkRow* framework_of(std::string_view name) {
  const auto all = frameworks();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& row) { return row.name == name; });
  return found == all.end() ? nullptr : &*found;
}

ExportedPlan exported(const FrameworkRow& framework, const Plan& plan, const Model& model,
                      const Topology& topology) {
  ExportedPlan made{framework.written(plan, model, topology), {}};
  made.unsaid = found_unsaid(framework, plan, made.text, model);
  made.text = framework.with_remarks(made.text, made.unsaid);
  return made;
}

Result<ImportedPlan> imported(const FrameworkRow& framework, const std::string& text,
                              const std::string& where, const ImportNeeds& needs) {
  return framework.read(text, where, needs);
}

std::string unsaid_text(const std::vector<Unsaid>& unsaid) {
  if (unsaid.empty()) return "";
  std::vector<TextRow> table{{"field", "plan", "there", "reason"}};
  for (const Unsaid& each : unsaid)
    table.push_back({each.field, shown(each.value), shown(each.said), each.reason});
  return "Of the plan this could not be said:\n" + aligned(table);
}

std::string not_understood_text(const std::string& where, const std::vector<NotUnderstood>& list) {
  if (list.empty()) return "";
  std::vector<TextRow> table;
  for (const NotUnderstood& each : list)
    table.push_back({each.line > 0 ? fmt::format("{}:{}", where, each.line)
                                   : fmt::format("{} (default)", where),
                     each.what, each.why});
  return "This is no part of the plan:\n" + aligned(table);
}

}  // namespace quintet
