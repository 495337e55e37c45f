#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>

#include "sim/asked/plan_flags.h"
#include "sim/base/parallel.h"
#include "sim/base/progress_line.h"
#include "sim/base/shown_text.h"
#include "sim/command/commands.h"
#include "sim/command/money_wish.h"
#include "sim/command/output_files.h"
#include "sim/command/predicted_plan.h"
#include "sim/command/sweep/sweep_page.h"
#include "sim/command/sweep/sweep_text.h"
#include "sim/picture/picture_files.h"
#include "sim/usage/complain.h"

namespace quintet {

namespace {

constexpr std::array figure_words{"step", "mfu", "memory", "cost", "energy"};
static_assert(figure_words.size() == figure_count);

struct SweepArguments {
  InputNames inputs;
  PlanFlags flags;
  std::vector<std::string> vary;
  std::string figure = figure_words.front();
  MoneyWish money;
  PictureFiles pictures;
  int threads = 0;
  bool csv = false, json = false, quiet = false;
};

Options sweep_options(SweepArguments& into) {
  InputNames& inputs = into.inputs;
  using enum Need;
  return together(
      {{
           {"plans", &inputs.plans,
            "Plan file, or name of a shipped plan; none: the plan that the options below describe",
            "PLAN"},
           {"--model", &inputs.model, "Hugging Face config.json, its folder, or a shipped model",
            "FILE", required},
           {"--topology", &inputs.topology, "Topology file, or a shipped machine", "FILE",
            required},
           {.names = "--vary",
            .into = &into.vary,
            .does = "A field as --set names it, with its values: a list, \"1..8\", \"1..8 by 2\", "
                    "\"1..64 times 2\", \"100Gbps..400Gbps by 100Gbps\"; \"hosts\", or \"slow "
                    "PART\" for the share that is left of a part's rate; to be repeated",
            .type = "FIELD=VALUES",
            .need = required,
            .one_each_time = true},
           {.names = "--figure",
            .into = &into.figure,
            .does = "What a table of two fields shows, and by what the best is told",
            .type = "FIGURE",
            .need = has_default,
            .check = OneOf{figure_words}},
           {"--costs", &inputs.costs, "Cost table; default: the shipped one for the machine's GPU",
            "FILE"},
           {"--stack", &inputs.stack,
            "Training software whose kernels compute (quintet list stacks); default: Megatron-LM's "
            "kernels",
            "FILE"},
           hosts_option(inputs.hosts),
           {"--html", &into.pictures.html, "Write a page of drawings, too", "FILE"},
           {"--svg", &into.pictures.svg, "Write each drawing into this folder", "FOLDER"},
           {"--json", &into.json, "Print JSON (docs/schema/sweep.json) instead of the table"},
           {.names = "--csv",
            .into = &into.csv,
            .does = "Print CSV, a line per case, instead of the table",
            .excludes = "--json"},
           {"--threads", &into.threads,
            "How many cases are predicted at once; default: one per core", "", optional,
            WholeRange{1, 1024}},
           {"-q,--quiet", &into.quiet, "No progress"},
       },
       fault_options(inputs.faults),
       money_options(into.money),
       plan_flag_options(into.flags)});
}

Result<std::vector<SweptField>> fields_of(const std::vector<std::string>& vary) {
  std::vector<SweptField> fields;
  for (const std::string& each : vary) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{"--vary " + shown(each, 80),
                   "expected FIELD=VALUES such as parallelism.tensor=1,2,4,8"};
    Result<SweptField> field = swept_field(each.substr(0, equals), each.substr(equals + 1));
    if (!field) {
      // The reader of fields speaks of --set.
      std::string where = field.error().where;
      if (where.starts_with("--set ")) where.replace(0, 6, "--vary ");
      return Error{where, field.error().what};
    }
    fields.push_back(std::move(*field));
  }
  return fields;
}

Figure figure_of(const std::string& word) {
  const auto found = std::find(figure_words.begin(), figure_words.end(), word);
  return static_cast<Figure>(found - figure_words.begin());
}

Sweep swept(const SweepArguments& arguments, const std::vector<SweptField>& fields,
            const std::vector<SweptCase>& cases, const PublishedResiduals& residuals) {
  Sweep sweep{arguments.inputs.model, arguments.inputs.topology, fields, {}};
  sweep.rows.resize(cases.size());
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  ProgressLine progress(arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  for_each_index(
      cases.size(), arguments.threads > 0 ? arguments.threads : cores,
      [&](std::size_t at) {
        sweep.rows[at] = {cases[at].values, answered_case(cases[at], arguments.money, residuals)};
      },
      [&](double share) { progress.show("cases", share); });
  progress.clear();
  return sweep;
}

std::optional<Error> wrong_together(const SweepArguments& arguments) {
  if (arguments.inputs.plans.size() > 1)
    return Error{arguments.inputs.plans[1], "is a second plan; a sweep varies the fields of one"};
  if (auto error = onto_input("--html", arguments.pictures.html, arguments.inputs.plans))
    return error;
  return no_place_for(arguments.pictures);
}

// What all have in common is wrong: nothing was swept.
Error nothing_can_be(const Sweep& sweep) {
  std::string reason = sweep.rows.front().made.reason;
  const bool one = std::all_of(sweep.rows.begin(), sweep.rows.end(),
                               [&](const SweepRow& row) { return row.made.reason == reason; });
  if (one) return {"", reason};
  return {"",
          fmt::format("none of the {} cases can be predicted; the first, {}: {}", sweep.rows.size(),
                      case_text(sweep.fields, sweep.rows.front().values), reason)};
}

ExitCode answer(const SweepArguments& arguments, const Sweep& sweep) {
  const auto answered =
      std::count_if(sweep.rows.begin(), sweep.rows.end(),
                    [](const SweepRow& row) { return row.made.answer.has_value(); });
  if (answered == 0) return complain(nothing_can_be(sweep));
  const Figure figure = figure_of(arguments.figure);
  const std::string text = arguments.json  ? sweep_json(sweep)
                           : arguments.csv ? sweep_csv(sweep)
                                           : sweep_text(sweep, figure);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);  // before what is said of it
  if (arguments.pictures.wanted())
    if (const auto error = write_pictures(arguments.pictures, sweep_page(sweep, figure)))
      return complain(*error);
  return best_row(sweep, Figure::step) ? ExitCode::done : ExitCode::answer_is_no;
}

ExitCode sweep(const SweepArguments& arguments) {
  if (const auto error = wrong_together(arguments)) return complain(*error);
  const Result<std::vector<SweptField>> fields = fields_of(arguments.vary);
  if (!fields) return complain(fields.error());
  Result<AskedFields> settings = asked_fields(arguments.flags);
  if (!settings) return complain(settings.error());
  const Result<std::vector<SweptCase>> cases =
      swept_cases({arguments.inputs, std::move(*settings), arguments.money}, *fields);
  if (!cases) return complain(cases.error());
  if (const auto error = wrong_money(arguments.money, cases->front().names.asked, false))
    return complain(*error);
  const Result<PublishedResiduals> residuals = shipped_residuals();
  if (!residuals) return complain(residuals.error());
  return answer(arguments, swept(arguments, *fields, *cases, *residuals));
}

}  // namespace

std::unique_ptr<Verb> sweep_verb() {
  return make_verb<SweepArguments>(
      {"sweep", "Vary fields of plan and machine, and draw what becomes of the step",
       "Examples:\n"
       "  quintet sweep --model llama-3-70b --topology dgx-h100 --hosts 16 --tensor 8 --pipeline 2 "
       "--zero 1 --sp --global-batch 128 --sequence 8192 --vary "
       "host.nic.bandwidth=100Gbps,200Gbps,400Gbps --html nics.html\n"
       "  quintet sweep llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology dgx-h100-1024 "
       "--vary \"parallelism.micro_batches=8..64 times 2\" --vary ccl.bucket=0,100MB\n"
       "Exit: 0 done, 1 no case fits in memory, 2 wrong usage or input."},
      {sweep_options, sweep});
}

}  // namespace quintet
