#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "sim/answer/answer.h"
#include "sim/answer/numbers_text.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "sim/base/text_table.h"
#include "sim/command/commands.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/jobs/job_file.h"
#include "sim/json/json_value.h"
#include "sim/model/model_file.h"
#include "sim/model/parameters.h"
#include "sim/plan/plan_file.h"
#include "sim/samples/length_histogram.h"
#include "sim/topology/faults/fault_file.h"
#include "sim/topology/file/topology_file.h"
#include "sim/training_run/loss_curves.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"
#include "sim/validate/rows/software_stack.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

struct ListArguments {
  std::string kind;
  bool json = false, folder = false;
};

std::string devices_text(const Topology& machine) {
  const std::string device = machine.gpu_specs.empty() ? "CPU" : machine.gpu_specs.front().name;
  const std::size_t hosts = machine.hosts.size();
  return fmt::format("{} {} in {} host{}", rank_slots(machine).size(), device, hosts,
                     hosts == 1 ? "" : "s");
}

const char* text_of(ModelFamily family) {
  switch (family) {
    case ModelFamily::gpt2:
      return "GPT-2";
    case ModelFamily::bert:
      return "BERT";
    case ModelFamily::llama:
      return "Llama";
    case ModelFamily::mistral:
      return "Mistral";
    case ModelFamily::qwen2:
      return "Qwen 2";
    case ModelFamily::qwen3:
      return "Qwen 3";
  }
  return "";
}

Result<std::string> line_of_model(const fs::path& file) {
  const Result<Model> model = read_model(file);
  if (!model) return model.error();
  return fmt::format("{}, {} parameters, {} layers of width {}", text_of(model->family),
                     in_words(static_cast<double>(total_parameters(*model))), model->layers,
                     model->hidden);
}

Result<std::string> line_of_topology(const fs::path& file) {
  const Result<Topology> machine = read_topology(file);
  if (!machine) return machine.error();
  return devices_text(*machine) + ": " +
         (machine->description.empty() ? machine->name : machine->description);
}

Result<std::string> line_of_plan(const fs::path& file) {
  const Result<Plan> plan = read_plan(file);
  if (!plan) return plan.error();
  const std::string method = method_text(plan->parallelism);
  return fmt::format("{}, sequences of {} token{}{}", layout_text(plan->parallelism),
                     grouped(plan->parallelism.sequence_length),
                     plan->parallelism.sequence_length == 1 ? "" : "s",
                     method.empty() ? "" : "; " + method);
}

Result<std::string> line_of_costs(const fs::path& file) {
  const Result<CostTable> table = read_cost_table(file);
  if (!table) return table.error();
  return table->name;
}

Result<std::string> line_of_stack(const fs::path& file) {
  const Result<SoftwareStack> stack = read_stack(file);
  if (!stack) return stack.error();
  return stack->name;
}

Result<std::string> line_of_faults(const fs::path& file) {
  const Result<FaultPlan> faults = read_faults(file);
  if (!faults) return faults.error();
  return faults->name;
}

Result<std::string> line_of_losses(const fs::path& file) {
  const Result<LossCurves> curves = read_loss_curves(file);
  if (!curves) return curves.error();
  return fmt::format("{}, {} curves", curves->name, curves->curves.size());
}

Result<std::string> line_of_jobs(const fs::path& file) {
  const Result<JobFile> jobs = read_jobs(file);
  if (!jobs) return jobs.error();
  return jobs->name;
}

Result<std::string> line_of_lengths(const fs::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  const Result<LengthHistogram> lengths = parse_length_histogram(*text, file.string());
  if (!lengths) return lengths.error();
  return fmt::format(
      "lengths of samples, for a plan's parallelism.samples: {} tokens at most, {} "
      "in the mean",
      grouped(static_cast<double>(lengths->share.size())), fixed(mean_length(*lengths), 1));
}

struct Shelf {
  const char* word;
  FileKind kind;
  Result<std::string> (*line)(const fs::path& file);
};
constexpr std::array shelves{Shelf{"models", FileKind::model, line_of_model},
                             Shelf{"topologies", FileKind::topology, line_of_topology},
                             Shelf{"plans", FileKind::plan, line_of_plan},
                             Shelf{"costs", FileKind::costs, line_of_costs},
                             Shelf{"stacks", FileKind::stack, line_of_stack},
                             Shelf{"faults", FileKind::faults, line_of_faults},
                             Shelf{"lengths", FileKind::lengths, line_of_lengths},
                             Shelf{"losses", FileKind::losses, line_of_losses},
                             Shelf{"jobs", FileKind::jobs, line_of_jobs}};
constexpr const char* shelf_words[] = {"models", "topologies", "plans",  "costs", "stacks",
                                       "faults", "lengths",    "losses", "jobs"};

struct Listed {
  std::string name, is;
  fs::path file;
};

Result<std::vector<Listed>> listed(const Shelf& shelf) {
  std::vector<Listed> all;
  for (const std::string& name : shipped_names(shelf.kind)) {
    const Result<fs::path> file = find_shipped(shelf.kind, name);
    if (!file) return file.error();
    const Result<std::string> line = shelf.line(*file);
    if (!line) return line.error();
    all.push_back({name, *line, *file});
  }
  return all;
}

std::string text_of(const Shelf& shelf, const std::vector<Listed>& all, bool titled) {
  constexpr std::size_t widest = 110;
  std::size_t width = 0;
  for (const Listed& each : all) width = std::max(width, each.name.size());
  std::string text = titled ? std::string(shelf.word) + "\n" : "";
  for (const Listed& each : all)
    text +=
        fmt::format("{}{:<{}}  {}\n", titled ? "  " : "", each.name, width, shown(each.is, widest));
  return text + (titled ? "\n" : "");
}

JsonValue json_of(const std::vector<Listed>& all) {
  JsonValue list = JsonValue::array();
  for (const Listed& each : all)
    list.push_back({{"name", each.name}, {"is", each.is}, {"file", each.file.string()}});
  return list;
}

ExitCode list(const ListArguments& arguments) {
  if (arguments.folder) return std::printf("%s\n", data_directory().c_str()), ExitCode::done;
  JsonValue json{{"schema_version", 1}};
  std::string text;
  for (const Shelf& shelf : shelves) {
    if (!arguments.kind.empty() && arguments.kind != shelf.word) continue;
    const Result<std::vector<Listed>> all = listed(shelf);
    if (!all) return complain(all.error());
    json[shelf.word] = json_of(*all);
    text += text_of(shelf, *all, arguments.kind.empty());
  }
  if (arguments.kind.empty()) text.pop_back();  // the blank line behind the last
  std::fputs(arguments.json ? (json.dump(2) + "\n").c_str() : text.c_str(), stdout);
  return ExitCode::done;
}

Options options(ListArguments& into) {
  return {
      {"kind", &into.kind,
       "Of which kind: models, topologies, plans, costs, stacks, faults, lengths, losses or jobs; "
       "default: "
       "all",
       "KIND", Need::optional, OneOf{shelf_words}},
      {"--json", &into.json, "Print JSON (schema_version 1) instead of text"},
      {"--folder", &into.folder, "Print the folder in which all of them lie, and stop"}};
}

}  // namespace

std::unique_ptr<Verb> list_verb() {
  return make_verb<ListArguments>(
      {"list", "List the models, machines, plans and cost tables that come with Quintet",
       "Examples:\n"
       "  quintet list\n"
       "  quintet list topologies\n"
       "  quintet list models --json\n"
       "Exit: 0 done, 2 wrong usage or input."},
      {options, list});
}

}  // namespace quintet
