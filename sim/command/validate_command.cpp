#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/base/progress_line.h"
#include "sim/base/text_file.h"
#include "sim/command/commands.h"
#include "sim/command/output_files.h"
#include "sim/usage/complain.h"
#include "sim/usage/out_of_memory.h"
#include "sim/usage/shipped.h"
#include "sim/validate/fit/cross_validation.h"
#include "sim/validate/report/fit_report.h"
#include "sim/validate/report/published_residuals.h"
#include "sim/validate/report/sheet_report.h"
#include "sim/validate/report/validation_report.h"
#include "sim/validate/rows/row_files.h"
#include "sim/validate/validation.h"

namespace quintet {

namespace {

struct ValidateArguments {
  std::vector<std::string> files;
  std::string only, html, markdown, residuals, fit;
  int worst = 10;
  int threads = 0;
  bool cross_validate = false, json = false, padded = false, quiet = false, regret = false;
};

Result<TunableShelf> read_shelf() {
  ShelfFiles files;
  files.stacks = data_directory() / "traces/stacks";
  files.machines = data_directory() / "traces/machines/published.json";
  files.topologies = data_directory() / "topologies";
  for (const std::string& name : shipped_names(FileKind::costs)) {
    const auto file = find_shipped(FileKind::costs, name);
    if (!file) return file.error();
    files.costs.push_back(*file);
  }
  return read_tunable_shelf(files);
}

bool wanted(const PublishedRow& row, const std::string& only) {
  if (only.empty()) return true;
  for (const std::string* cell : {&row.id, &row.model, &row.framework, &row.gpu, &row.file})
    if (cell->find(only) != std::string::npos) return true;
  return false;
}

Result<std::vector<PublishedRow>> read_rows(const ValidateArguments& arguments) {
  std::vector<PublishedRow> all;
  for (const std::string& file : arguments.files) {
    Result<std::vector<PublishedRow>> rows =
        read_row_file(file, arguments.padded ? Input::padded : Input::packed);
    if (!rows) return rows.error();
    for (PublishedRow& row : *rows)
      if (wanted(row, arguments.only)) all.push_back(std::move(row));
  }
  if (all.empty() && arguments.only.empty())
    return Error{arguments.files.front(), "has no row below its header; expected one or more"};
  if (all.empty())
    return Error{"--only",
                 "no row's id, model, framework, GPU or file contains \"" + arguments.only + "\""};
  return all;
}

// Only what stands between the marks changes.
std::optional<Error> write_scoreboard(const std::string& file, const std::string& scoreboard) {
  const Result<std::string> page = read_text_file(file);
  if (!page) return page.error();
  const Result<std::string> changed = with_scoreboard(*page, file, scoreboard);
  if (!changed) return changed.error();
  return write_file(file, *changed);
}

// The name that was given, in full or any part of it that only one stack has.
Result<std::string> stack_named(const std::vector<SoftwareStack>& stacks,
                                const std::string& given) {
  std::string names;
  std::vector<std::string> found;
  for (const SoftwareStack& stack : stacks) {
    if (stack.name == given) return given;
    if (stack.name.find(given) != std::string::npos) found.push_back(stack.name);
    names += (names.empty() ? "" : ", ") + stack.name;
  }
  if (found.size() == 1) return found.front();
  return Error{"--fit", "\"" + given + "\" is " +
                            (found.empty() ? "no stack" : "part of several names") +
                            "; there are: " + names};
}

// Rows predicted as things ship, and what the fits need.
struct Predicted {
  TunableShelf shelf;
  std::vector<RowVerdict> verdicts;
  FitOptions options;
};

ExitCode fit_stack(const ValidateArguments& arguments, const std::string& stack,
                   const Predicted& predicted) {
  std::vector<const RowVerdict*> members;
  for (const RowVerdict& verdict : predicted.verdicts)
    if (verdict.stack == stack) members.push_back(&verdict);
  const auto fits =
      fit(predicted.shelf, members, parameters_in_use(predicted.shelf, members), predicted.options);
  if (!fits) return complain(fits.error());
  std::fputs((arguments.json ? fit_json(stack, *fits) : fit_text(stack, *fits)).c_str(), stdout);
  return fits->empty() ? ExitCode::answer_is_no : ExitCode::done;
}

ExitCode show_sheets(const ValidateArguments& arguments, const Predicted& predicted) {
  std::vector<const RowVerdict*> all;
  for (const RowVerdict& verdict : predicted.verdicts) all.push_back(&verdict);
  const std::vector<Sheet> sheets = sheets_of(all);
  std::fputs((arguments.json ? sheet_json(sheets) : sheet_text(sheets)).c_str(), stdout);
  return sheets.empty() ? ExitCode::answer_is_no : ExitCode::done;
}

PublishedResiduals residuals_of(const ValidateArguments& arguments, const Predicted& predicted) {
  return published_residuals(
      predicted.verdicts,
      fmt::format("{} rows of {} files; quintet validate --residuals, {:%Y-%m-%d}",
                  predicted.verdicts.size(), arguments.files.size(),
                  fmt::gmtime(std::time(nullptr))));
}

ExitCode show_summary(const ValidateArguments& arguments, const Predicted& predicted) {
  std::vector<SourceSummary> summary = summaries(predicted.verdicts);
  count_parameters(predicted.shelf, predicted.verdicts, summary);
  if (arguments.cross_validate) {
    const auto fits =
        cross_validate(predicted.shelf, predicted.verdicts, predicted.options, summary);
    if (!fits) return complain(fits.error());
  }
  std::fputs((arguments.json ? validation_json(predicted.verdicts, summary)
                             : validation_text(predicted.verdicts, summary, arguments.worst))
                 .c_str(),
             stdout);
  if (arguments.cross_validate && !arguments.json)
    std::fputs(("\n" + cross_validation_text(summary)).c_str(), stdout);
  std::optional<Error> failed;
  if (!arguments.html.empty())
    failed =
        write_file(arguments.html, validation_html(predicted.verdicts, summary, arguments.worst));
  if (!failed && !arguments.markdown.empty())
    failed =
        write_scoreboard(arguments.markdown, validation_markdown(summary, predicted.shelf.free));
  if (!failed && !arguments.residuals.empty())
    failed = write_file(arguments.residuals, text_of(residuals_of(arguments, predicted)));
  return failed ? complain(*failed) : ExitCode::done;
}

// Predicting takes minutes: what would fail at the end fails before.
std::optional<Error> no_place_for_results(const ValidateArguments& arguments) {
  const NamedOutput html{"--html", arguments.html}, residuals{"--residuals", arguments.residuals};
  for (const NamedOutput& each : {html, residuals})
    if (auto wrong = onto_input(each.option, each.file, arguments.files)) return wrong;
  if (auto wrong = one_place({html, residuals, {"--markdown", arguments.markdown}})) return wrong;
  if (!arguments.html.empty())
    if (auto wrong = no_place("--html", arguments.html)) return wrong;
  if (!arguments.residuals.empty())
    if (auto wrong = no_place("--residuals", arguments.residuals)) return wrong;
  if (arguments.markdown.empty()) return std::nullopt;
  const Result<std::string> page = read_text_file(arguments.markdown);
  if (!page) return page.error();
  const Result<std::string> changed = with_scoreboard(*page, arguments.markdown, "");
  return changed ? std::nullopt : std::optional(changed.error());
}

ExitCode validate(const ValidateArguments& arguments) {
  if (const auto wrong = no_place_for_results(arguments)) return complain(*wrong);
  const Result<std::vector<PublishedRow>> rows = read_rows(arguments);
  if (!rows) return complain(rows.error());
  Result<TunableShelf> shelf = read_shelf();
  if (!shelf) return complain(shelf.error());
  Result<std::string> stack = std::string();
  if (!arguments.fit.empty()) stack = stack_named(shelf->shelf.stacks, arguments.fit);
  if (!stack) return complain(stack.error());
  ProgressLine progress(arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  Predicted predicted{std::move(*shelf), {}, {}};
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  predicted.options.threads = arguments.threads > 0 ? arguments.threads : cores;
  predicted.options.progress = [&](double share) { progress.show("rows", share); };
  const auto begin = std::chrono::steady_clock::now();
  MachinePark machines(predicted.shelf.topologies);
  predicted.verdicts = making("the rows' predictions", "less is needed with fewer --threads", [&] {
    return validate_rows(*rows, predicted.shelf.shelf, machines, predicted.options.threads,
                         predicted.options.progress);
  });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  progress.clear();
  if (!arguments.quiet)
    std::fprintf(stderr, "Predicted %zu row%s in %.1f s.\n", rows->size(),
                 rows->size() == 1 ? "" : "s", took.count());
  const ExitCode code = arguments.regret ? show_sheets(arguments, predicted)
                        : stack->empty() ? show_summary(arguments, predicted)
                                         : fit_stack(arguments, *stack, predicted);
  progress.clear();
  return code;
}

Options options(ValidateArguments& into) {
  using enum Need;
  return {
      {"rows", &into.files,
       "Files of published training steps (e2e_*.csv), or of MLPerf's BERT\n"
       "results (bert_mlperf_summary.csv, its length histogram beside it)",
       "ROWS.csv", required},
      {"--only", &into.only, "Only rows whose id, model, framework, GPU or file contains this",
       "TEXT"},
      {"--padded", &into.padded,
       "MLPerf's BERT with every sequence padded to 512 tokens; default: packed"},
      {"--worst", &into.worst, "How many of the worst rows to show with a breakdown", "",
       has_default, WholeRange{0, 100'000}},
      {"--html", &into.html, "Write a page with scatter plots and the worst rows", "FILE"},
      {"--fit", &into.fit,
       "Estimate a software stack's free parameters on the rows, with their spread, "
       "and predict each model by the others",
       "STACK"},
      {.names = "--regret",
       .into = &into.regret,
       .does = "For every sheet (one model, length, precision and number of GPUs): which row would "
               "be picked of those predicted to fit, and how much slower it was than the best",
       .excludes = "--fit"},
      {.names = "--cross-validate",
       .into = &into.cross_validate,
       .does = "For every source of two models and more: estimate what was chosen on it again, "
               "and predict each model by the others (minutes)",
       .excludes = "--fit"},
      {.names = "--markdown",
       .into = &into.markdown,
       .does = "Put the summary and the free parameters into this page, between <!-- scoreboard "
               "--> and <!-- end of scoreboard -->",
       .type = "FILE",
       .excludes = "--fit"},
      {.names = "--residuals",
       .into = &into.residuals,
       .does = "Write how far off predictions were, by software and card, which intervals of "
               "simulate rest on (traces/residuals.json is of all rows)",
       .type = "FILE",
       .excludes = "--fit"},
      {"--threads", &into.threads, "Rows predicted at once; default: one per core", "", optional,
       WholeRange{1, 1024}},
      {"--json", &into.json, "Print JSON (schema_version 1) instead of tables"},
      {"-q,--quiet", &into.quiet, "No progress and no remarks"},
  };
}

}  // namespace

std::unique_ptr<Verb> validate_verb() {
  return make_verb<ValidateArguments>(
      {"validate", "Predict published training steps and compare with what was measured",
       "Examples:\n"
       "  quintet validate rows/e2e_*.csv --html validation.html\n"
       "  quintet validate rows/e2e_misc_published.csv --only gpt-175B --worst 20\n"
       "  quintet validate rows/e2e_vtrain_a100_single_node.csv --fit Megatron-DeepSpeed\n"
       "  quintet validate rows/e2e_*.csv --cross-validate --markdown README.md\n"
       "  quintet validate rows/e2e_aleph_alpha_a100.csv --regret\n"
       "  quintet validate rows/bert_mlperf_summary.csv\n"
       "Rows do not come with Quintet: docs/check-published-numbers.md shows how to write some.\n"
       "Exit: 0 done, 1 no free parameters to fit or no sheet, 2 wrong usage or input."},
      {options, validate});
}

}  // namespace quintet
