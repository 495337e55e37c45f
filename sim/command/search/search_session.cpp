#include "sim/command/search/search_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "sim/advice/advice_page.h"
#include "sim/command/output_files.h"
#include "sim/command/search/search_parts.h"
#include "sim/command/search/search_wish.h"
#include "sim/command/search/search_work.h"
#include "sim/plan/plan_file.h"
#include "sim/search/analytic_evaluator.h"
#include "sim/search/question_digest.h"
#include "sim/usage/complain.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

std::optional<Error> write_plans(const SearchArguments& arguments,
                                 const std::vector<FoundPlan>& plans) {
  if (arguments.output.empty()) return std::nullopt;
  std::error_code failure;
  fs::create_directories(arguments.output, failure);
  if (failure) return Error{"-o " + arguments.output, "cannot be made: " + failure.message()};
  for (const FoundPlan& plan : plans)
    if (auto error = write_file(fs::path(arguments.output) / (plan.plan.name + ".json"),
                                plan_text(plan.plan)))
      return error;
  return std::nullopt;
}

void remark(const SearchArguments& arguments, const std::string& text) {
  if (!arguments.quiet) std::fputs((text + "\n").c_str(), stderr);
}

SearchPlanned planned_by(const SearchSession& session) {
  const SearchArguments& arguments = session.arguments;
  SearchPlanned planned;
  planned.threads = arguments.threads > 0
                        ? arguments.threads
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  planned.list = static_cast<std::size_t>(arguments.top);
  planned.simulate = static_cast<std::size_t>(arguments.fluid);
  if (planned.simulate > 0) planned.simulate = std::max(planned.simulate, planned.list);
  planned.prove = arguments.exact == "fluid";
  planned.share = session.started.share;
  return planned;
}

ExitCode nothing(const SearchArguments& arguments, const SearchReport& report) {
  const Error none{"", nothing_text(report)};
  if (arguments.json) std::fputs(error_json(none).c_str(), stdout);
  complain(none);
  return ExitCode::answer_is_no;
}

Result<ExitCode> show(const SearchArguments& arguments, const SearchQuestion& question,
                      SearchReport& report) {
  const std::vector<Found> best = best_of(report.state, report.planned);
  if (best.empty()) return nothing(arguments, report);
  Result<std::vector<FoundPlan>> plans =
      found_plans(question, report.machines, best, report.planned.threads);
  if (!plans) return plans.error();
  report.plans = std::move(*plans);
  if (const auto error = write_plans(arguments, report.plans)) return *error;
  if (!arguments.brief) {
    Result<Advice> advice = advice_on_found(arguments, report.machines, report.plans);
    if (!advice) return advice.error();
    report.advice = std::move(*advice);
  }
  std::fputs((arguments.json ? search_report_json(report) : search_report_text(report)).c_str(),
             stdout);
  std::fflush(stdout);
  if (report.advice && arguments.pictures.wanted())
    if (const auto error = write_pictures(arguments.pictures, advice_page(*report.advice)))
      return *error;
  return ExitCode::done;
}

std::string counts_text(const SearchState& state, Seconds took) {
  const SearchCounts& counts = state.counts;
  std::string text = fmt::format(
      "{} estimated ({} not covered by analytic), {} simulated, {} excluded by bounds one by one, "
      "{} by memory, {} by limits, in {:.2f} s",
      counts.estimated, counts.uncovered, counts.simulated, counts.bounded, counts.too_large,
      counts.beyond, took.value);
  if (counts.failed > 0)
    text += fmt::format("; {} left out that cannot be priced, such as {}", counts.failed,
                        state.failure);
  return text;
}

Result<SearchIdentity> identity_of(const SearchSession& session, const SearchQuestion& question,
                                   const SearchPlanned& planned, const Search& search) {
  const std::string space = space_text(session.candidates);
  SearchIdentity identity{
      question_digest(question, planned, search.bounds_digest()),
      session.machines.inputs.front().model.name + ", " + space.substr(0, space.find('\n')),
      session.started.share};
  if (!session.arguments.merge) return identity;
  const Result<int> parts = parts_in(session.arguments.state);
  if (!parts) return parts.error();
  identity.share.parts = *parts;
  return identity;
}

// Whether this process is to print what was found.
Result<bool> work(const SearchSession& session, const SearchIdentity& identity, Search& search,
                  SearchReport& report) {
  const SearchArguments& arguments = session.arguments;
  const bool alone = identity.share.parts == 1;
  const fs::path file =
      alone ? fs::path(arguments.state) : part_file(arguments.state, identity.share);
  std::optional<Seconds> time;
  if (!arguments.time.empty()) time = *parse_long_time(arguments.time);
  const Result<SearchEnd> end = work_on(search, identity, {file, time, arguments.quiet});
  if (!end) return end.error();
  report.state = end->state;
  report.progress = end->progress;
  remark(arguments, counts_text(end->state, end->took));
  if (alone) return true;
  if (end->state.phase != SearchPhase::done) {
    remark(arguments, "Stopped; started again, this part goes on from " + file.string());
    return false;
  }
  return role_when_done(arguments.state, identity, session.started, time.has_value(),
                        arguments.quiet) == PartRole::prints;
}

}  // namespace

Result<ExitCode> search_in(const SearchSession& session) {
  const SearchArguments& arguments = session.arguments;
  const AnalyticEvaluators factory;
  const SearchQuestion question{session.candidates, factory, session.wanted,
                                session.machines.bills};
  const SearchPlanned planned = planned_by(session);
  Search search(question, planned);
  const Result<SearchIdentity> identity = identity_of(session, question, planned, search);
  if (!identity) return identity.error();
  SearchReport report{
      session.candidates, session.machines, session.wanted, planned, {}, {}, {}, {}};
  if (!arguments.merge) {
    const Result<bool> prints = work(session, *identity, search, report);
    if (!prints) return prints.error();
    if (!*prints) return ExitCode::done;
  }
  if (arguments.merge || identity->share.parts > 1) {
    const Result<std::vector<SearchState>> parts = finished_parts(arguments.state, *identity);
    if (!parts) return parts.error();
    report.state = merged(*parts, planned);
    report.progress = {1.0, {}, {}};
  }
  return show(arguments, question, report);
}

}  // namespace quintet
