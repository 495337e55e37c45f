#include "sim/command/compare_many.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "sim/base/progress_line.h"
#include "sim/command/many_plans.h"
#include "sim/command/output_files.h"
#include "sim/command/predicted_plan.h"
#include "sim/command/report_header.h"
#include "sim/plan/plan_file.h"
#include "sim/usage/complain.h"

namespace quintet {
namespace {

ManyPlans predicted(const ManyWish& wish, PublishedResiduals published,
                    const std::vector<Inputs>& inputs) {
  ProgressLine progress(wish.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  ManyAsked asked = wish.asked;
  if (asked.threads <= 0) asked.threads = cores;
  asked.published = std::move(published);
  asked.progress = [&](double share) { progress.show("plans", share); };
  ManyPlans many = many_plans(inputs, asked);
  progress.clear();
  return many;
}

}  // namespace

ReportInput many_header(const std::vector<Inputs>& inputs) {
  ReportInput about = report_header(inputs.front());
  std::vector<std::string> machines{about.topology}, costs{about.costs};
  const auto add = [](std::vector<std::string>& to, const std::string& text) {
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
  };
  for (const Inputs& each : inputs) {
    const ReportInput other = report_header(each);
    add(machines, other.topology);
    add(costs, other.costs);
  }
  about.topology = fmt::format("{}", fmt::join(machines, "\n          "));
  about.costs = fmt::format("{}", fmt::join(costs, "\n          "));
  if (machines.size() == 1 && inputs.size() > 1)
    about.topology += fmt::format(", and {} changed as plans say", inputs.size() - 1);
  return about;
}

ExitCode compare_many(const ManyWish& wish, const std::vector<Inputs>& inputs) {
  const auto begin = std::chrono::steady_clock::now();
  Result<PublishedResiduals> published = shipped_residuals();
  if (!published) return complain(published.error());
  const ManyPlans many = predicted(wish, std::move(*published), inputs);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (many.rows.empty())
    return complain({"", "none of the plans asked for can be predicted\n" + refused_text(many)});
  const ReportInput about = many_header(inputs);
  std::fputs(many_as(wish.as, many, about).c_str(), stdout);
  std::fflush(stdout);  // before what is said of it
  for (const std::string& remark : wish.quiet ? std::vector<std::string>() : inputs.front().remarks)
    std::fputs(("Beware: " + remark + "\n").c_str(), stderr);
  if (!wish.quiet)
    std::fprintf(stderr, "Predicted %s in %.1f s.\n", counted(many.rows.size(), "plan").c_str(),
                 took.count());
  const ComparedPlan& best = many.rows.front();
  if (best.answer.fit == MemoryFit::does_not_fit) return ExitCode::answer_is_no;
  if (!wish.output.empty())
    if (const auto error = write_file(wish.output, plan_text(best.plan))) return complain(*error);
  return ExitCode::done;
}

}  // namespace quintet
