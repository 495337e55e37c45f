#include "sim/explain/difference/cause_text.h"

#include <fmt/format.h>

#include <cstdlib>

#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"
#include "sim/explain/difference/cause_facts.h"

namespace quintet {
std::string_view name_of(CauseKind kind) {
  switch (kind) {
    case CauseKind::rank:
      return "rank";
    case CauseKind::host:
      return "host";
    case CauseKind::operators:
      return "operators";
    case CauseKind::computing:
      return "computing";
    case CauseKind::network:
      return "network";
    case CauseKind::copies:
      return "copies";
    case CauseKind::host_work:
      return "host work";
    case CauseKind::idle:
      return "idle";
    case CauseKind::unexplained:
      break;
  }
  return "unexplained";
}

namespace {

// A cause is worth a sentence from this share of the causes' differences, summed without signs.
constexpr double worth_a_sentence = 0.05;
// Below this share of the step, chance makes causes.
constexpr double noise = 0.02;

// "+5.1 %" of the measured step.
std::string of_the_step(const Cause& cause, const Difference& difference) {
  return signed_fixed(100 * share_of(cause.charged.difference(), difference.step.measured), 1) +
         " %";
}

std::string as_predicted(const Compared& time) {
  if (time.predicted == Duration{}) return "where no time was predicted";
  const std::string times = fixed(ratio(time), 2);
  return (times == "1.00" ? "" : times + " times ") + "as long as predicted";
}

std::string rate_text(Bandwidth rate) {
  const bool large = rate.value >= 1e9;
  return fixed(rate.value / (large ? 1e9 : 1e6), 1) + (large ? " GB/s" : " MB/s");
}

std::string who(const Cause& cause) {
  if (cause.kind == CauseKind::host) return "host " + shown(cause.host);
  return fmt::format("rank {}{}", cause.rank.value,
                     cause.host.empty() ? "" : " on " + shown(cause.host));
}

std::string slow_sentence(const Cause& cause) {
  std::string text = who(cause) + " computed " + as_predicted(cause.work_time);
  if (cause.others.predicted > Duration{})
    text += ", the other ranks " + fixed(ratio(cause.others), 2) + " times";
  if (cause.ran && cause.others_ran)
    text += "; a core ran its thread for " + fixed(100 * *cause.ran, 0) +
            " % of that time, the others' for " + fixed(100 * *cause.others_ran, 0) + " %";
  return text;
}

// The charge is what ranks waited for of the work, by themselves or by way of others. That may grow
// while the work shrinks: less of it is hidden.
std::string waited_for(const Cause& cause) {
  if (cause.work_time.predicted == Duration{} || cause.charged.predicted == Duration{}) return "";
  constexpr double little = 0.02;
  const double work = ratio(cause.work_time) - 1, charge = ratio(cause.charged) - 1;
  const bool same_way = work * charge > 0 && std::abs(work) >= little;
  if (std::abs(charge) < little || (same_way && std::abs(charge) <= 2 * std::abs(work))) return "";
  return std::string(same_way ? ", and " : ", but ") + (charge > 0 ? "more" : "less") +
         " of it was waited for";
}

std::string operator_sentence(const Cause& cause) {
  std::string text = title_of(cause) + " took " + as_predicted(cause.work_time);
  if (cause.others.predicted > Duration{})
    text += ", all computing " + fixed(ratio(cause.others), 2) + " times";
  return text + waited_for(cause);
}

std::string network_sentence(const Cause& cause) {
  std::string text = "the network took " + as_predicted(cause.work_time) + " for data of the " +
                     std::string(name_of(cause.axis)) + " axis";
  constexpr double shown = 1e5;  // 0.1 MB/s
  if (cause.predicted_rate.value >= shown && cause.measured_rate.value >= shown)
    text += " (" + rate_text(cause.measured_rate) + " instead of " +
            rate_text(cause.predicted_rate) + ")";
  if (cause.most > 0)
    text += cause.most <= 1.25 * cause.least
                ? ", on every rank alike"
                : ", by rank " + fixed(cause.least, 2) + " to " + fixed(cause.most, 2) + " times";
  return text + waited_for(cause);
}

}  // namespace

std::string title_of(const Cause& cause) {
  switch (cause.kind) {
    case CauseKind::rank:
    case CauseKind::host:
      return who(cause) + " computes";
    case CauseKind::operators:
      return std::string(name_of(cause.work)) + " " + std::string(name_of(cause.phase));
    case CauseKind::computing:
      return cause.others.predicted > Duration{} ? "computing of the other ranks" : "computing";
    case CauseKind::network:
      return "network, " + std::string(name_of(cause.axis)) + " axis";
    case CauseKind::copies:
      return "copies";
    case CauseKind::host_work:
      return "launches and host work";
    case CauseKind::idle:
      return "idle: no instruction ran";
    case CauseKind::unexplained:
      break;
  }
  return "waiting that the timelines do not explain";
}

std::string sentence_of(const Cause& cause) {
  switch (cause.kind) {
    case CauseKind::rank:
    case CauseKind::host:
      return slow_sentence(cause);
    case CauseKind::operators:
      return operator_sentence(cause);
    case CauseKind::computing:
    case CauseKind::copies:
    case CauseKind::host_work:
      return title_of(cause) + " took " + as_predicted(cause.work_time) + waited_for(cause);
    case CauseKind::network:
      return network_sentence(cause);
    case CauseKind::idle:
      return "ranks were idle: no instruction ran";
    case CauseKind::unexplained:
      break;
  }
  return title_of(cause);
}

std::vector<std::string> why(const Difference& difference, const ShownTimes& times) {
  std::vector<std::string> sentences;
  const Duration whole = difference.step.difference();
  if (whole == Duration{}) return sentences;
  double all = 0;
  for (const Cause& cause : difference.causes)
    all += std::abs(milliseconds(cause.charged.difference()));
  for (const Cause& cause : difference.causes) {
    const Duration time = cause.charged.difference();
    if (std::abs(milliseconds(time)) < worth_a_sentence * all) break;
    sentences.push_back(fmt::format("{}. {}, {} of the step: {}.", sentences.size() + 1,
                                    times.signed_ms(time), of_the_step(cause, difference),
                                    sentence_of(cause)));
  }
  const Duration waits = difference.measured.bubble + difference.measured.waiting -
                         difference.predicted.bubble - difference.predicted.waiting;
  if (times.ms(waits) != times.ms({}))
    sentences.push_back("Bubbles and waiting for peers (" + times.signed_ms(waits) +
                        ") follow from these: they are charged to what was waited for.");
  if (std::abs(share_of(whole, difference.step.measured)) < noise)
    sentences.push_back(
        "The whole difference is less than 2 % of the step: causes of it may be chance.");
  return sentences;
}

std::vector<TextRow> cause_rows(const Difference& difference, const ShownTimes& times) {
  std::vector<TextRow> rows{{"charged to", "predicted", "measured", "difference", "of the step"}};
  for (const Cause& cause : difference.causes)
    rows.push_back({title_of(cause), times.ms(cause.charged.predicted),
                    times.ms(cause.charged.measured), times.signed_ms(cause.charged.difference()),
                    of_the_step(cause, difference)});
  return rows;
}

}  // namespace quintet
