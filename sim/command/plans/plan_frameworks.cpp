#include "sim/command/plans/plan_frameworks.h"

#include <charconv>
#include <cstdio>
#include <filesystem>

#include "sim/base/text_file.h"
#include "sim/command/output_files.h"
#include "sim/frameworks/framework.h"
#include "sim/model/model_file.h"
#include "sim/plan/plan_file.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet {
namespace {

std::optional<Error> put(const std::string& output, const std::string& text) {
  if (output.empty()) {
    std::fputs(text.c_str(), stdout);
    return std::nullopt;
  }
  if (auto error = write_file(output, text)) return error;
  std::fputs(("Written: " + output + "\n").c_str(), stdout);
  std::fflush(stdout);  // before what is said of it
  return std::nullopt;
}

// Of the plan as it was read: bounds that plan.json has, too.
Result<Plan> as_plan_file(const Plan& plan, const std::string& file) {
  return parse_plan(plan_text(plan), file + ", as a plan");
}

}  // namespace

Result<FrameworkWish> with_asked(FrameworkWish wish, const PlanFlags& flags) {
  const Result<AskedFields> fields = asked_fields(flags);
  if (!fields) return fields.error();
  const Result<std::vector<AskedChanges>> asked = combinations(*fields);
  if (!asked) return asked.error();
  for (const FieldChange& each : asked->front().plan) {
    if (each.path != "parallelism.sequence_length" || asked->size() > 1)
      return Error{each.asked, "is not for plan import, which takes one --sequence"};
    int length = 0;
    const char* const end = each.value.data() + each.value.size();
    const auto read = std::from_chars(each.value.data(), end, length);
    if (read.ec != std::errc{} || read.ptr != end || length < 1)
      return Error{each.asked, "expected a whole number, 1 or more"};
    wish.sequence_length = length;
  }
  return wish;
}

ExitCode export_plan(const FrameworkWish& wish, const Inputs& inputs, const std::string& output) {
  const FrameworkRow* const framework = framework_of(wish.to);
  if (framework == nullptr) return complain({"--to", "is required for plan export"});
  const ExportedPlan made =
      exported(*framework, inputs.plans.front().plan, inputs.model, inputs.topology);
  if (const auto error = put(output, made.text)) return complain(*error);
  std::fputs(unsaid_text(made.unsaid).c_str(), stderr);
  return ExitCode::done;
}

ExitCode import_plan(const FrameworkWish& wish, const std::string& file, const std::string& model,
                     const std::string& output) {
  const FrameworkRow* const framework = framework_of(wish.from);
  if (framework == nullptr) return complain({"--from", "is required for plan import"});
  ImportNeeds needs{wish.ranks, {}, wish.sequence_length};
  if (!model.empty()) {
    const auto config = find_file(FileKind::model, model);
    if (!config) return complain(config.error());
    const Result<Model> read = read_model(*config);
    if (!read) return complain(read.error());
    needs.layers = read->layers;
  }
  const Result<std::string> text = read_text_file(file, Bytes{4e6});
  if (!text) return complain(text.error());
  Result<ImportedPlan> made = imported(*framework, *text, file, needs);
  if (!made) return complain(made.error());
  made->plan.name = std::filesystem::path(file).stem().string();
  const Result<Plan> plan = as_plan_file(made->plan, file);
  if (!plan) return complain(plan.error());
  if (const auto error = put(output, plan_text(*plan))) return complain(*error);
  std::fputs(not_understood_text(file, made->not_understood).c_str(), stderr);
  return ExitCode::done;
}

}  // namespace quintet
