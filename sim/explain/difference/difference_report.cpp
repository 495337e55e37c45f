#include "sim/explain/difference/difference_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/shown_text.h"
#include "sim/explain/breakdown_report.h"
#include "sim/explain/difference/cause_text.h"
#include "sim/explain/difference/difference_answer.h"
#include "sim/explain/shown_times.h"

namespace quintet {

namespace {

constexpr std::size_t most_instructions = 12, most_ranks = 16, most_unmatched = 20;

// How many times as long as predicted.
std::string ratio(Duration time, Duration predicted) {
  if (predicted == Duration{}) return "-";
  return fixed(milliseconds(time) / milliseconds(predicted), 2);
}

std::string name_in(const Timeline& timeline, std::int32_t info) {
  return shown(timeline.infos[static_cast<std::size_t>(info)].name);
}

// "; 16 of 32 ranks, --json has all"
std::string cut_off(std::size_t most, std::size_t all, const std::string& what) {
  if (all <= most) return "";
  return fmt::format("; {} of {}{}, --json has all", most, all, what);
}

ReportSection where(const Difference& difference) {
  const std::vector<Named<RankBreakdown>> both{{"predicted", difference.predicted},
                                               {"measured", difference.measured}};
  return {
      "Where the time of a step goes, mean over ranks (parts sum to the step; differences also in "
      "% of the predicted one)",
      {},
      breakdown_rows(both)};
}

ReportSection parts(const std::string& title, const std::vector<DifferencePart>& parts,
                    const ShownTimes& times) {
  std::vector<TextRow> rows{{"", "predicted", "measured", "difference"}};
  for (const DifferencePart& part : parts) {
    if (part.time == Compared{}) continue;
    rows.push_back({part.name, times.ms(part.time.predicted), times.ms(part.time.measured),
                    times.signed_ms(part.time.difference())});
  }
  return {title + " (parts sum to the step)", {}, rows};
}

Duration exposed(const RankBreakdown& rank) {
  Duration total;
  for (const Duration time : rank.exposed) total += time;
  return total;
}

void append_differences(TextRow& row, const RankBreakdown& was, const RankBreakdown& is,
                        const ShownTimes& times) {
  for (const Duration time :
       {is.compute - was.compute, exposed(is) - exposed(was), is.bubble - was.bubble,
        is.waiting - was.waiting, is.copy + is.host - was.copy - was.host, is.idle - was.idle})
    row.push_back(times.signed_ms(time));
}

ReportSection reasons(const Difference& difference, const ShownTimes& times) {
  if (difference.step.difference() == Duration{}) return {};
  return {"Why (parts sum to the step; waiting is charged to what was waited for)",
          why(difference, times), cause_rows(difference, times)};
}

// Means of each host's ranks; of hosts with one rank each, ranks() says it.
ReportSection hosts(const Difference& difference, const ShownTimes& times) {
  if (difference.per_host.size() < 2 || difference.per_host.size() == difference.per_rank.size())
    return {};
  std::vector<TextRow> rows{
      {"host", "ranks", "compute", "exposed", "bubble", "waiting", "copy, host", "idle"}};
  for (const HostDifference& each : difference.per_host) {
    if (rows.size() > most_ranks) break;
    rows.push_back({shown(each.host), fmt::to_string(each.measured.ranks)});
    append_differences(rows.back(), each.predicted, each.measured, times);
  }
  return {"By host, measured less predicted (each host's sum to " +
              times.signed_ms(difference.step.difference()) + ")" +
              cut_off(most_ranks, difference.per_host.size(), " hosts"),
          {},
          rows};
}

ReportSection operators(const Difference& difference, const ShownTimes& times) {
  if (difference.operators.empty()) return {};
  std::vector<TextRow> rows{
      {"", "predicted", "measured", "on a core", "measured/pred.", "core/pred.", "spans"}};
  for (const OperatorRatio& each : difference.operators)
    rows.push_back(
        {std::string(name_of(each.work)) + " " + std::string(name_of(each.phase)),
         times.ms(each.time.predicted), times.ms(each.time.measured),
         each.cpu ? times.ms(*each.cpu) : "-", ratio(each.time.measured, each.time.predicted),
         each.cpu ? ratio(*each.cpu, each.time.predicted) : "-", fmt::to_string(each.spans)});
  return {"Operators, mean over ranks", {}, rows};
}

ReportSection communication(const DifferenceInput& input, const ShownTimes& times) {
  if (input.difference.moves.empty()) return {};
  std::vector<TextRow> rows{{"", "bytes", "predicted", "measured", "measured/pred.",
                             "predicted wait", "measured wait", "spans"}};
  bool messages = false;
  for (const CommunicationRatio& each : input.difference.moves) {
    const SpanInfo& info = input.measured.infos[static_cast<std::size_t>(each.info)];
    messages = messages || info.kind == SpanKind::send;
    rows.push_back(
        {shown(info.name) + " (" + std::string(name_of(info.axis)) + ")", fixed(info.size.value, 0),
         times.ms(each.moving.predicted), times.ms(each.moving.measured),
         ratio(each.moving.measured, each.moving.predicted), times.ms(each.waiting.predicted),
         times.ms(each.waiting.measured), fmt::to_string(each.spans)});
  }
  ReportSection section{"Communication while data moves, hidden or not, mean over ranks", {}, rows};
  if (messages)
    section.sentences = {"Of a message, look at the receive: its send is over once it has left."};
  return section;
}

ReportSection ranks(const DifferenceInput& input, const ShownTimes& times) {
  const Difference& difference = input.difference;
  const std::vector<Track>& tracks = input.measured.tracks;  // in the ranks' order
  std::vector<TextRow> rows{{"rank", "stage", "compute", "exposed", "bubble", "waiting",
                             "copy, host", "idle", "predicted as"}};
  if (!tracks.front().host.empty()) rows.front().push_back("host");
  for (const RankDifference& each : difference.per_rank) {
    if (rows.size() > most_ranks) break;
    const std::string& host = tracks[rows.size() - 1].host;
    rows.push_back({fmt::to_string(each.rank.value), fmt::to_string(each.stage)});
    append_differences(rows.back(), each.predicted, each.measured, times);
    rows.back().push_back(fmt::format("rank {}", each.shown_by.value));
    if (!host.empty()) rows.back().push_back(shown(host));
  }
  return {"By rank, measured less predicted (each rank's sum to " +
              times.signed_ms(difference.step.difference()) + ")" +
              cut_off(most_ranks, difference.per_rank.size(), " ranks"),
          {},
          rows};
}

std::string place(Rank rank, const SpanKey& key) {
  std::string text = fmt::format("rank {}", rank.value);
  if (key.layer >= 0) text += fmt::format(", layer {}", key.layer);
  if (key.micro_batch >= 0) text += fmt::format(", micro-batch {}", key.micro_batch);
  if (key.chunk > 0) text += fmt::format(", chunk {}", key.chunk);
  if (key.bucket >= 0) text += fmt::format(", bucket {}", key.bucket);
  if (key.occurrence > 0) text += fmt::format(", time {}", key.occurrence + 1);
  return text;
}

ReportSection instructions(const DifferenceInput& input, const ShownTimes& times) {
  std::vector<TextRow> rows{
      {"", "predicted", "measured", "difference", "spans", "worst span", "where"}};
  for (const InstructionDifference& each : input.difference.instructions) {
    if (rows.size() > most_instructions || each.time.difference() == Duration{}) break;
    rows.push_back({name_in(input.measured, each.info), times.ms(each.time.predicted),
                    times.ms(each.time.measured), times.signed_ms(each.time.difference()),
                    fmt::to_string(each.spans), times.signed_ms(each.worst_time.difference()),
                    place(each.worst_rank, each.worst)});
  }
  if (rows.size() == 1) return {};
  return {
      "Instructions that differ most, by what of the step is on their account (waiting "
      "included), mean over ranks",
      {},
      rows};
}

ReportSection unmatched(const DifferenceInput& input, const ShownTimes& times) {
  const std::vector<UnmatchedSpan>& alone = input.difference.unmatched;
  if (alone.empty()) return {};
  std::vector<TextRow> rows{{"", "instruction", "took", "where"}};
  for (const UnmatchedSpan& each : alone) {
    if (rows.size() > most_unmatched) break;
    rows.push_back({each.only == Side::predicted ? "predicted only" : "measured only",
                    name_in(input.measured, each.key.info), times.ms(each.time),
                    place(each.rank, each.key)});
  }
  return {
      "Instructions in one of the two only" + cut_off(most_unmatched, alone.size(), ""), {}, rows};
}

ReportSection deviations(const Timeline& measured) {
  if (!measured.measurement) return {};
  const std::vector<PlanDeviation>& list = measured.measurement->deviations;
  if (list.empty()) return {"", {"The run obeyed every decision of its plan."}, {}};
  constexpr std::size_t widest = 100;
  ReportSection section{"What the run did otherwise than its plan asks", {}, {}};
  for (const PlanDeviation& each : list)
    section.sentences.push_back("  " + shown(each.decision, widest) + " = " +
                                shown(each.asked, widest) + ": " + shown(each.done, widest));
  return section;
}

}  // namespace

// First the answer; the longest tables are cut, and say so.
std::vector<ReportSection> difference_sections(const DifferenceInput& input) {
  const Difference& difference = input.difference;
  const ShownTimes times(std::max(difference.step.predicted, difference.step.measured));
  std::vector<ReportSection> sections{
      {"", difference_answer(input, times), {}},
      reasons(difference, times),
      where(difference),
      parts("By layer of the stack", difference.stack, times),
      parts("By axis", difference.axes, times),
      operators(difference, times),
      communication(input, times),
      parts("By layer of the model, waiting included", difference.layers, times),
      hosts(difference, times),
      ranks(input, times),
      instructions(input, times),
      unmatched(input, times),
      deviations(input.measured)};
  std::erase_if(sections, [](const ReportSection& section) {
    return section.sentences.empty() && section.table.empty();
  });
  return sections;
}

std::string difference_text(const DifferenceInput& input) {
  return report_text(difference_sections(input));
}

}  // namespace quintet
