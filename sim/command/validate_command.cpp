#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sim/command/commands.h"
#include "sim/usage/complain.h"
#include "sim/command/progress.h"
#include "sim/usage/shipped.h"
#include "sim/cost/cost_table_file.h"
#include "sim/json_fields.h"
#include "sim/validate/validation.h"
#include "sim/validate/validation_report.h"

namespace quintet {

namespace {

struct ValidateArguments {
  std::vector<std::string> files;
  std::string only, html;
  int worst = 10;
  int threads = 0;
  bool json = false, quiet = false;
};

Result<Shelf> read_shelf() {
  Shelf shelf;
  Result<std::vector<SoftwareStack>> stacks = read_stacks(data_directory() / "traces/stacks");
  if (!stacks) return stacks.error();
  shelf.stacks = std::move(*stacks);
  auto machines = read_machines(data_directory() / "traces/machines/published.json");
  if (!machines) return machines.error();
  shelf.machines = std::move(*machines);
  for (const std::string& name : shipped_names(FileKind::costs)) {
    const auto file = find_file(FileKind::costs, name);
    if (!file) return file.error();
    Result<CostTable> costs = read_cost_table(*file);
    if (!costs) return costs.error();
    shelf.costs.push_back(std::move(*costs));
  }
  return shelf;
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
    const Result<std::string> text = read_text_file(file);
    if (!text) return text.error();
    Result<std::vector<PublishedRow>> rows = parse_rows(*text, file);
    if (!rows) return rows.error();
    for (PublishedRow& row : *rows)
      if (wanted(row, arguments.only)) all.push_back(std::move(row));
  }
  if (all.empty())
    return Error{"--only",
                 "no row's id, model, framework, GPU or file contains \"" + arguments.only + "\""};
  return all;
}

ExitCode write_html(const std::string& file, const std::string& page) {
  std::ofstream out(file, std::ios::binary);
  out << page;
  out.close();
  return out ? ExitCode::done : complain({file, "could not be written"});
}

ExitCode validate(const ValidateArguments& arguments) {
  const Result<std::vector<PublishedRow>> rows = read_rows(arguments);
  if (!rows) return complain(rows.error());
  const Result<Shelf> shelf = read_shelf();
  if (!shelf) return complain(shelf.error());
  MachinePark machines(data_directory() / "topologies");
  Progress progress(arguments.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<RowVerdict> verdicts =
      validate_rows(*rows, *shelf, machines, arguments.threads > 0 ? arguments.threads : cores,
                    [&](double share) { progress.show("rows", share); });
  progress.clear();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::vector<SourceSummary> summary = summaries(verdicts, shelf->stacks);
  std::fputs((arguments.json ? validation_json(verdicts, summary)
                             : validation_text(verdicts, summary, arguments.worst))
                 .c_str(),
             stdout);
  if (!arguments.quiet)
    std::fprintf(stderr, "Predicted %zu rows in %.1f s.\n", rows->size(), took.count());
  if (arguments.html.empty()) return ExitCode::done;
  return write_html(arguments.html, validation_html(verdicts, summary, arguments.worst));
}

void add_options(CLI::App& app, ValidateArguments& into) {
  app.add_option("rows", into.files, "Files of published training steps (e2e_*.csv)")
      ->required()
      ->type_name("ROWS.csv");
  app.add_option("--only", into.only,
                 "Only rows whose id, model, framework, GPU or file contains this")
      ->type_name("TEXT");
  app.add_option("--worst", into.worst, "How many of the worst rows to show with a breakdown")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  app.add_option("--html", into.html, "Write a page with scatter plots and the worst rows")
      ->type_name("FILE");
  app.add_option("--threads", into.threads, "Rows predicted at once; default: one per core")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--json", into.json, "Print JSON (schema_version 1) instead of tables");
  app.add_flag("-q,--quiet", into.quiet, "No progress and no remarks");
}

struct Validate final : Verb {
  ExitCode run() const override { return validate(arguments); }
  ValidateArguments arguments;
};

}  // namespace

std::unique_ptr<Verb> add_validate(CLI::App& program) {
  auto verb = std::make_unique<Validate>();
  CLI::App* const app = program.add_subcommand(
      "validate", "Predict published training steps and compare with what was measured");
  verb->app = app;
  add_options(*app, verb->arguments);
  app->footer(
      "Examples:\n"
      "  quintet validate rows/e2e_*.csv --html validation.html\n"
      "  quintet validate rows/e2e_misc_published.csv --only gpt-175B --worst 20\n"
      "Exit: 0 done, 2 wrong usage or input.");
  return verb;
}

}  // namespace quintet
