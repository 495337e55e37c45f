#include "sim/answer/head_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/answer/money_answer.h"
#include "sim/answer/numbers_text.h"
#include "sim/answer/run_text.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"

namespace quintet {

namespace {

constexpr double least_shown = 0.0005;  // 0.1 %, rounded

std::string counted(double number, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string layout_line(const Answer& answer) {
  return fmt::format("{} on {} {} in {}; {}", layout_text(answer.parallelism),
                     grouped(answer.ranks), answer.device, counted(answer.hosts, "host"),
                     method_text(answer.parallelism));
}

std::string batch_line(const Answer& answer) {
  const Parallelism& parallelism = answer.parallelism;
  return fmt::format("{} of {} tokens: {} tokens a step, in {} of {} per replica",
                     counted(global_batch(parallelism), "sequence"),
                     grouped(parallelism.sequence_length),
                     in_words(static_cast<double>(answer.tokens_per_step)),
                     fmt::format("{} micro-batch{}", grouped(parallelism.micro_batches),
                                 parallelism.micro_batches == 1 ? "" : "es"),
                     parallelism.micro_batch);
}

std::string samples_line(const Answer& answer, const LoadBalanceFigures& figures) {
  const Parallelism& parallelism = answer.parallelism;
  return fmt::format(
      "of {} lengths by \"{}\", drawn {}, {}: the slowest rank has {} times the mean work and {} "
      "of "
      "what padding would take, in the mean of many steps",
      parallelism.samples.draw == SampleDraw::packed ? "packed" : "unequal",
      shown(parallelism.samples.lengths, 60), name_of(parallelism.samples.draw),
      parallelism.load_balance == LoadBalance::none ? "not presorted"
                                                    : name_of(parallelism.load_balance),
      fixed(figures.slowest_cost / figures.mean_cost, 3),
      fixed(figures.slowest_cost / figures.padded_cost, 3));
}

std::string step_line(const Answer& answer) {
  const double ms = 1e3 * answer.summary.step.value;
  const std::string step = fixed(ms, decimals_for(ms)) + " ms";
  if (!answer.interval) return step + "; how far off that may be is not known";
  return fmt::format("{}; 90 % of such steps take {}, by {}", step, range_text(*answer.interval),
                     answer.interval->rests_on);
}

std::string periodic_line(const PeriodicStep& steps) {
  const auto ms = [](Seconds time) {
    return fixed(1e3 * time.value, decimals_for(1e3 * time.value)) + " ms";
  };
  return fmt::format(
      "of {} steps the last has the exchange between replicas, and is what is "
      "predicted here; the others take {}, the mean is {}",
      grouped(steps.every), ms(steps.between), ms(steps.mean));
}

std::string speed_line(const Answer& answer) {
  const StepSummary& summary = answer.summary;
  const double each = summary.tokens_per_second_per_gpu;
  return fmt::format("{}{} tokens/s, {} per {}",
                     summary.mfu > 0 ? percent(summary.mfu) + " MFU, " : "",
                     grouped(summary.tokens_per_second),
                     each >= 100 ? grouped(each) : fixed(each, decimals_for(each)),
                     answer.device == "CPU" ? "rank" : "GPU");
}

std::string basis_line(const Provenance& basis) {
  std::string text;
  for (int number = 0; number < evidence_count; ++number) {
    const double share = basis.by_evidence[static_cast<std::size_t>(number)];
    if (share >= least_shown)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                          name_of(static_cast<Evidence>(number)), percent(share));
  }
  if (basis.follows >= least_shown)
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", name_of(StepSource::follows),
                        percent(basis.follows));
  return text;
}

std::string faults_line(const std::vector<std::string>& faults) {
  std::string text = "NOT AS BUILT: ";
  for (std::size_t i = 0; i < faults.size(); ++i) text += (i == 0 ? "" : ", ") + faults[i];
  return text;
}

std::string assumptions_line(const std::vector<AssumptionEffect>& effects) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, effects.size()); ++i)
    text += fmt::format("{}{} {} %", i == 0 ? "" : ", ", effects[i].assumption,
                        signed_fixed(100 * effects[i].change, 1));
  return text;
}

}  // namespace

std::string range_text(const StepInterval& interval) {
  const double low = 1e3 * interval.low.value, high = 1e3 * interval.high.value;
  const int decimals = low >= 100 ? 0 : decimals_for(low);
  return fmt::format("{} to {} ms", fixed(low, decimals), fixed(high, decimals));
}

std::vector<std::pair<std::string, std::string>> head_rows(const Answer& answer) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (!answer.faults.empty()) rows.emplace_back("machine", faults_line(answer.faults));
  rows.emplace_back("layout", layout_line(answer));
  rows.emplace_back("batch", batch_line(answer));
  if (answer.load_balance) rows.emplace_back("samples", samples_line(answer, *answer.load_balance));
  rows.emplace_back("step", step_line(answer));
  if (answer.periodic) rows.emplace_back("steps", periodic_line(*answer.periodic));
  rows.emplace_back("speed", speed_line(answer));
  if (!answer.fit_text.empty()) rows.emplace_back("memory", answer.fit_text);
  rows.emplace_back("rests on", basis_line(answer.basis));
  if (answer.run) rows.emplace_back("run", text_of(*answer.run));
  if (answer.money) rows.emplace_back("money", text_of(*answer.money, answer.run));
  if (!answer.assumptions.empty())
    rows.emplace_back("moved by", assumptions_line(answer.assumptions));
  for (const std::string& remark : answer.remarks) rows.emplace_back("beware", remark);
  return rows;
}

std::string head_text(const Answer& answer) {
  std::string text = shown(answer.name, 90) + "\n";
  for (const auto& [key, value] : head_rows(answer)) text += paragraph(key, value);
  return text;
}

std::string basis_table(const Provenance& basis) {
  TextRow header{"", "of the step"};
  for (int number = 0; number < evidence_count; ++number)
    header.emplace_back(name_of(static_cast<Evidence>(number)));
  std::vector<TextRow> table{header};
  for (const SourceShare& source : basis.sources) {
    if (source.share < least_shown) continue;
    TextRow row{std::string(name_of(source.source)), percent(source.share)};
    for (const double share : source.by_evidence)
      row.push_back(share < least_shown ? "" : percent(share));
    table.push_back(row);
  }
  return aligned(table);
}

}  // namespace quintet
