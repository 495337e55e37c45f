#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <memory>
#include <optional>

#include "sim/asked/plan_flags.h"
#include "sim/asked/sample_lengths.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "sim/command/commands.h"
#include "sim/command/inputs.h"
#include "sim/command/output_files.h"
#include "sim/command/plans/plan_adaptation.h"
#include "sim/command/plans/plan_advice.h"
#include "sim/command/plans/plan_explanation.h"
#include "sim/command/plans/plan_fields.h"
#include "sim/command/plans/plan_frameworks.h"
#include "sim/command/plans/plan_replicator.h"
#include "sim/command/plans/plan_start.h"
#include "sim/command/plans/usual_plan.h"
#include "sim/plan/asked_plan.h"
#include "sim/plan/plan_difference.h"
#include "sim/plan/plan_file.h"
#include "sim/simulate/predict.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet {
namespace {

struct PlanArguments {
  std::string action, output;
  std::vector<std::string> words;  // plans, or a layer
  InputNames inputs;
  PlanFlags flags;
  std::string losses;
  double within = 0.02;
  bool markdown = false, all_stages = false, json = false, usual = false;
  AdviceWish advice;
  FrameworkWish framework;
};

Result<InputNames> names_of(const PlanArguments& arguments) {
  for (const auto& [option, given] : {std::pair{"--model", arguments.inputs.model},
                                      std::pair{"--topology", arguments.inputs.topology}})
    if (given.empty())
      return Error{option, fmt::format("is required for plan {}", arguments.action)};
  const Result<AskedFields> settings = asked_fields(arguments.flags);
  if (!settings) return settings.error();
  Result<std::vector<AskedChanges>> asked = combinations(*settings);
  if (!asked) return asked.error();
  if (asked->size() > 1)
    return Error{asked->front().plan.empty() ? "--set" : asked->front().plan.back().asked,
                 "one value is taken here; quintet simulate compares several"};
  if (!asked->front().prices.empty())
    return Error{asked->front().prices.front().asked, "is of prices, which simulate --money reads"};
  InputNames names = arguments.inputs;
  names.plans = arguments.words;
  names.asked = std::move(*asked);
  return names;
}

Result<std::vector<Inputs>> read_all(const PlanArguments& arguments) {
  const Result<InputNames> names = names_of(arguments);
  if (!names) return names.error();
  return read_inputs(*names);
}

ExitCode start(const PlanArguments& arguments) {
  if (!arguments.words.empty())
    return complain({arguments.words.front(), "is not expected: plan new makes a plan of options"});
  if (!arguments.output.empty())
    if (const auto error = no_place("-o", arguments.output)) return complain(*error);
  const Result<std::vector<Inputs>> inputs = read_all(arguments);
  if (!inputs) return complain(inputs.error());
  const Result<AskedFields> settings = asked_fields(arguments.flags);
  const Result<std::vector<AskedChanges>> asked = combinations(*settings);
  const Result<PlanStart> found = plan_start(inputs->front(), asked->front().plan);
  if (!found) return complain(found.error());
  Plan made = found->plan;
  if (arguments.usual) {
    Result<UsualPlan> usual = usual_plan(inputs->front(), made);
    if (!usual) return complain(usual.error());
    made = std::move(usual->plan);
    made.name = layout_name(made.parallelism);
  }
  const std::string text = plan_text(made);
  if (arguments.output.empty())
    std::fputs(text.c_str(), stdout);
  else if (const auto error = write_file(arguments.output, text))
    return complain(*error);
  if (arguments.usual) return ExitCode::done;
  std::fprintf(stderr, "%s: %s\n", found->plan.name.c_str(), verdict_text(found->memory).c_str());
  const bool fits =
      found->memory.capacity.value <= 0 || verdict(found->memory) == MemoryVerdict::fits;
  return fits ? ExitCode::done : ExitCode::answer_is_no;
}

// All that is wrong with a plan and what it needs; whether it will do.
Result<bool> check_one(const Inputs& inputs, const PlanInput& plan, bool named) {
  const Result<MemoryReport> memory =
      predict_memory(inputs.model, plan.plan, inputs.topology, inputs.costs, inputs.compile);
  if (!memory) return Error{plan.file + " with " + inputs.costs_file, memory.error().text()};
  if (named) std::printf("%s\n", shown(plan.plan.name, 100).c_str());
  if (memory->capacity.value <= 0) {
    std::printf("%sHow much memory a rank has is not known.\n", memory_rows(*memory).c_str());
    return true;
  }
  std::printf("%s", memory_table(*memory).c_str());
  return verdict(*memory) == MemoryVerdict::fits;
}

ExitCode check(const PlanArguments& arguments) {
  const Result<std::vector<Inputs>> read = read_all(arguments);
  if (!read) return complain(read.error());
  const Inputs& inputs = read->front();
  ExitCode code = ExitCode::done;
  for (const RefusedPlan& refused : inputs.refused) {
    std::printf("%s\n", refused.error.text().c_str());
    // What cannot be read is no plan that could fit.
    if (refused.problems.empty()) return complain(refused.error);
    code = ExitCode::answer_is_no;
  }
  for (const PlanInput& plan : inputs.plans) {
    const Result<bool> fits = check_one(inputs, plan, inputs.plans.size() > 1);
    if (!fits) return complain(fits.error());
    if (!*fits) code = ExitCode::answer_is_no;
  }
  return code;
}

ExitCode explain(const PlanArguments& arguments) {
  const Result<std::vector<Inputs>> read = read_all(arguments);
  if (!read) return complain(read.error());
  const Inputs& inputs = read->front();
  for (const RefusedPlan& refused : inputs.refused) return complain(refused.error);
  for (const PlanInput& plan : inputs.plans) {
    const Result<Program> program =
        unpriced_program(inputs.model, plan.plan, inputs.topology, inputs.costs, inputs.compile);
    if (!program) return complain(program.error());
    std::printf("%s: %s", shown(plan.plan.name, 100).c_str(),
                explanation_text(inputs.model, plan.plan, inputs.topology, *program).c_str());
  }
  return ExitCode::done;
}

// The machine with what --hold and others make slow against the machine of its file.
ExitCode adapt(const PlanArguments& arguments) {
  if (arguments.words.size() != 1) return complain({"plan adapt", "expected one plan"});
  if (!arguments.output.empty())
    if (const auto error = no_place("-o", arguments.output)) return complain(*error);
  PlanArguments undisturbed = arguments;
  undisturbed.inputs.faults = {};
  const Result<std::vector<Inputs>> now = read_all(arguments), before = read_all(undisturbed);
  if (!now) return complain(now.error());
  if (!before) return complain(before.error());
  for (const RefusedPlan& refused : now->front().refused) return complain(refused.error);
  const Result<PlanAdaptation> made = plan_adaptation(before->front(), now->front());
  if (!made) return complain(made.error());
  std::fputs(adaptation_text(*made).c_str(), stdout);
  if (arguments.output.empty()) return ExitCode::done;
  if (const auto error = write_file(arguments.output, plan_text(made->best.plan)))
    return complain(*error);
  return ExitCode::done;
}

// How the plan and the machine were named; what --set changes in the plan shows as differences.
CalibrateLine calibrate_line(const PlanArguments& arguments) {
  const InputNames& names = arguments.inputs;
  CalibrateLine line{names.model, names.topology, arguments.words.front(), {}, {}};
  if (names.hosts) line.machine.push_back(fmt::format("--hosts {}", *names.hosts));
  if (const auto settings = asked_fields(arguments.flags))
    for (const AskedField& each : *settings)
      if (each.file == AskedFile::topology)
        line.machine.push_back(each.option + each.values.front());
  if (const auto file = find_file(FileKind::plan, line.plan))
    if (const Result<Plan> plan = read_plan(*file)) line.of_file = *plan;
  return line;
}

ExitCode replicator(const PlanArguments& arguments) {
  if (arguments.words.size() != 1) return complain({"plan replicator", "expected one plan"});
  if (arguments.losses.empty())
    return complain({"--losses", "is required for plan replicator: measured loss curves"});
  if (!arguments.output.empty())
    if (const auto error = no_place("-o", arguments.output)) return complain(*error);
  const auto file = find_file(FileKind::losses, arguments.losses);
  if (!file) return complain(file.error());
  Result<LossCurves> curves = read_loss_curves(*file);
  if (!curves) return complain(curves.error());
  const Result<std::vector<Inputs>> read = read_all(arguments);
  if (!read) return complain(read.error());
  const Inputs& inputs = read->front();
  for (const RefusedPlan& refused : inputs.refused) return complain(refused.error);
  const Plan& plan = inputs.plans.front().plan;
  const Result<ReplicatorChoice> choice = choose_replicator(
      inputs, plan, std::move(*curves), arguments.within, calibrate_line(arguments));
  if (!choice) return complain(choice.error());
  std::fputs((arguments.json ? choice_json(*choice) : choice_text(*choice)).c_str(), stdout);
  std::fflush(stdout);  // before what is said of it
  for (const std::string& remark : choice->remarks)
    std::fputs(("Beware: " + remark + "\n").c_str(), stderr);
  const std::optional<Plan> chosen = chosen_plan(plan, *choice);
  if (!chosen) return ExitCode::answer_is_no;
  if (!arguments.output.empty())
    if (const auto error = write_file(arguments.output, plan_text(*chosen)))
      return complain(*error);
  return ExitCode::done;
}

ExitCode advise(const PlanArguments& arguments) {
  AdviceWish wish = arguments.advice;
  wish.json = arguments.json;
  if (const auto error = no_place_for(wish.pictures)) return complain(*error);
  const Result<std::vector<Inputs>> read = read_all(arguments);
  if (!read) return complain(read.error());
  const Inputs& inputs = read->front();
  for (const RefusedPlan& refused : inputs.refused) return complain(refused.error);
  const Result<InputNames> names = names_of(arguments);
  const Result<Advice> advice = advice_on(wish, *names, inputs);
  if (!advice) return complain(advice.error());
  if (const auto error = print_advice(wish, *advice)) return complain(*error);
  return fits(advice->chosen) ? ExitCode::done : ExitCode::answer_is_no;
}

ExitCode to_framework(const PlanArguments& arguments) {
  if (arguments.words.size() != 1) return complain({"plan export", "expected one plan"});
  if (arguments.framework.to.empty())
    return complain(
        {"--to", "is required for plan export: megatron, torchtitan, deepspeed or nemo"});
  if (!arguments.output.empty())
    if (const auto error = no_place("-o", arguments.output)) return complain(*error);
  const Result<std::vector<Inputs>> read = read_all(arguments);
  if (!read) return complain(read.error());
  for (const RefusedPlan& refused : read->front().refused) return complain(refused.error);
  return export_plan(arguments.framework, read->front(), arguments.output);
}

ExitCode from_framework(const PlanArguments& arguments) {
  if (arguments.words.size() != 1) return complain({"plan import", "expected one file"});
  if (arguments.framework.from.empty())
    return complain(
        {"--from", "is required for plan import: megatron, torchtitan, deepspeed or nemo"});
  if (!arguments.output.empty())
    if (const auto error = no_place("-o", arguments.output)) return complain(*error);
  const Result<FrameworkWish> wish = with_asked(arguments.framework, arguments.flags);
  if (!wish) return complain(wish.error());
  return import_plan(*wish, arguments.words.front(), arguments.inputs.model, arguments.output);
}

ExitCode list_fields(const PlanArguments& arguments) {
  return print_fields(arguments.words.empty() ? "" : arguments.words.front(),
                      arguments.markdown ? FieldsAs::markdown : FieldsAs::text);
}

ExitCode compare(const PlanArguments& arguments) {
  if (arguments.words.size() != 2) return complain({"plan diff", "expected two plans"});
  std::vector<Plan> plans;
  for (const std::string& given : arguments.words) {
    const auto file = find_file(FileKind::plan, given);
    if (!file) return complain(file.error());
    Result<Plan> plan = with_lengths(read_plan(*file), file->parent_path());
    if (!plan) return complain(plan.error());
    plans.push_back(std::move(*plan));
  }
  std::vector<TextRow> table{{"field", arguments.words[0], arguments.words[1], "default"}};
  for (const FieldDifference& each : differences(plans[0], plans[1]))
    table.push_back({each.path, each.one.empty() ? "-" : each.one,
                     each.other.empty() ? "-" : each.other, each.usual.empty() ? "-" : each.usual});
  std::fputs(table.size() == 1 ? "They say the same.\n" : aligned(table).c_str(), stdout);
  return ExitCode::done;
}

struct Action {
  const char* name;
  ExitCode (*act)(const PlanArguments& arguments);
};
constexpr std::array actions{Action{"new", start},           Action{"check", check},
                             Action{"explain", explain},     Action{"advise", advise},
                             Action{"fields", list_fields},  Action{"diff", compare},
                             Action{"adapt", adapt},         Action{"replicator", replicator},
                             Action{"export", to_framework}, Action{"import", from_framework}};
constexpr const char* action_names[] = {"new",  "check", "explain",    "advise", "fields",
                                        "diff", "adapt", "replicator", "export", "import"};
constexpr const char* framework_names[] = {"megatron", "torchtitan", "deepspeed", "nemo"};

// Options that one action alone takes.
std::optional<Error> not_for(const PlanArguments& arguments) {
  const auto only = [&](const char* option, bool given, const char* action,
                        const char* or_action = "") {
    if (!given || arguments.action == action || arguments.action == or_action)
      return std::optional<Error>{};
    const std::string of = *or_action == 0 ? action : fmt::format("{} and {}", action, or_action);
    return std::optional(Error{option, fmt::format("is for plan {}, not for plan {}; leave it out",
                                                   of, arguments.action)});
  };
  if (auto error = only("--losses", !arguments.losses.empty(), "replicator")) return error;
  if (auto error = only("--json", arguments.json, "replicator", "advise")) return error;
  if (auto error = only("--usual", arguments.usual, "new")) return error;
  const FrameworkWish& framework = arguments.framework;
  if (auto error = only("--to", !framework.to.empty(), "export")) return error;
  if (auto error = only("--from", !framework.from.empty(), "import")) return error;
  if (auto error = only("--ranks", framework.ranks.has_value(), "import")) return error;
  const AdviceWish& advice = arguments.advice;
  if (auto error = only("--html", !advice.pictures.html.empty(), "advise")) return error;
  if (auto error = only("--svg", !advice.pictures.svg.empty(), "advise")) return error;
  if (auto error = only("--prices", !advice.prices.empty(), "advise")) return error;
  if (auto error = only("--threads", advice.threads != AdviceWish{}.threads, "advise"))
    return error;
  if (auto error = only("--within", arguments.within != PlanArguments{}.within, "replicator"))
    return error;
  return only("--markdown", arguments.markdown, "fields");
}

ExitCode plan(const PlanArguments& arguments) {
  if (const auto error = not_for(arguments)) return complain(*error);
  for (const Action& action : actions)
    if (arguments.action == action.name) return action.act(arguments);
  return ExitCode::wrong_input;
}

Options options(PlanArguments& into) {
  using enum Need;
  return together(
      {{{"action", &into.action,
         "new: a plan to start from; check: all that is wrong with one, and its memory; explain: "
         "what "
         "it does, and which bytes go where; advise: what each decision of the first is worth, "
         "what "
         "limits it, which change of the machine would help, how robust it is, also against the "
         "plans behind it; fields: all there are; diff: two plans field by "
         "field; adapt: the fastest plan for links between stages that have become slow (--hold, "
         "--delay); replicator: which of those with a measured loss curve gets to a loss first; "
         "export and "
         "import: a plan in the words of another framework, and back",
         "WHAT", required, OneOf{action_names}},
        {"plans", &into.words,
         "Plan files or shipped plans; for fields a layer, for import a framework's file", "PLAN"},
        {"--model", &into.inputs.model, "Hugging Face config.json, its folder, or a shipped model",
         "FILE"},
        {"--topology", &into.inputs.topology, "Topology file, or a shipped machine", "FILE"},
        {"--costs", &into.inputs.costs,
         "Cost table; default: the shipped one for the machine's GPU", "FILE"},
        {"--stack", &into.inputs.stack,
         "Software whose kernels compute, as that of quintet simulate", "FILE"},
        hosts_option(into.inputs.hosts),
        {"--losses", &into.losses,
         "replicator: curves that were measured, a file or a shipped one (quintet plan fields "
         "losses)",
         "FILE"},
        {"--within", &into.within,
         "replicator: get to the best loss with all gradients and this share more", "SHARE",
         has_default, NotNegative{}},
        {"-o,--output", &into.output, "new, adapt, replicator, export, import: write to this file",
         "FILE"},
        {"--usual", &into.usual,
         "new: the plan that advise compares with, for the same batch: the layers below "
         "parallelism too are as most have them"},
        {"--json", &into.json,
         "advise (docs/schema/advice.json), replicator: print JSON instead of tables"},
        {"--html", &into.advice.pictures.html, "advise: write a page with drawings, too", "FILE"},
        {"--svg", &into.advice.pictures.svg, "advise: write each drawing into this folder",
         "FOLDER"},
        {"--prices", &into.advice.prices,
         "advise: what parts of the machine cost; default: traces/prices.json", "FILE"},
        {"--threads", &into.advice.threads,
         "advise: predict so many plans at once; default: one per core", "N", optional,
         WholeRange{1, 1024}},
        {"--to", &into.framework.to, "export: whose words", "FRAMEWORK", optional,
         OneOf{framework_names}},
        {"--from", &into.framework.from, "import: whose words", "FRAMEWORK", optional,
         OneOf{framework_names}},
        {"--ranks", &into.framework.ranks, "import: in all, where the file does not say", "N",
         optional, WholeRange{1, 1 << 20}},
        {"--markdown", &into.markdown,
         "fields: as tables for a page; of a whole file: plan, topology or costs"}},
       fault_options(into.inputs.faults),
       plan_flag_options(into.flags)});
}

}  // namespace

std::unique_ptr<Verb> plan_verb() {
  return make_verb<PlanArguments>(
      {"plan", "Make, check, explain and compare plans; list their fields",
       "Examples:\n"
       "  quintet plan new --model llama-3-8b --topology dgx-h100 --hosts 2 --global-batch 512\n"
       "  quintet plan check llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology "
       "dgx-h100-1024\n"
       "  quintet plan explain llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology "
       "dgx-h100-1024\n"
       "  quintet plan advise llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology "
       "dgx-h100-1024 --html why.html\n"
       "  quintet plan fields parallelism\n"
       "  quintet plan adapt pipemorph-14b-zero-bubble --model pipemorph-14b --topology h800-8 "
       "--costs pipemorph-14b --hold host6-host7=60ms\n"
       "  quintet plan export llama-3-70b-1024-h100-tp8-pp4 --to megatron --model llama-3-70b "
       "--topology dgx-h100-1024 -o run.sh\n"
       "  quintet plan import run.sh --from megatron -o plan.json\n"
       "  quintet plan diff tiny-gpt-dp4 tiny-gpt-tp2-pp2\n"
       "  quintet plan replicator tiny-gpt-dp4 --model tiny-gpt --topology leonardo-a100 --hosts 1 "
       "--precision bf16 --losses tiny-gpt\n"
       "Exit: 0 done, 1 the plan does not fit, 2 wrong usage or input."},
      {options, plan});
}

}  // namespace quintet
