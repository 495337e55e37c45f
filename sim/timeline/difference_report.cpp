#include "sim/timeline/difference_report.h"

#include <algorithm>

#include "sim/shown_text.h"
#include "sim/timeline/breakdown_report.h"
#include "sim/timeline/causality.h"
#include "sim/timeline/text_table.h"

namespace quintet {

namespace {

constexpr std::size_t most_instructions = 12, most_ranks = 16, most_unmatched = 20;

double milliseconds(Duration time) {
  return static_cast<double>(time.picoseconds) * 1e-9;
}

class Text {
 public:
  explicit Text(const DifferenceInput& input)
      : input_(input),
        difference_(input.difference),
        decimals_(decimals_for(
            milliseconds(std::max(difference_.step.predicted, difference_.step.measured)))) {}

  std::string all() const {
    return answer() + where() + stack() + operators() + communication() + layers() + ranks() +
           instructions() + unmatched() + unobeyed();
  }

 private:
  std::string ms(Duration time) const { return fixed(milliseconds(time), decimals_) + " ms"; }
  std::string signed_ms(Duration time) const {
    return signed_fixed(milliseconds(time), decimals_) + " ms";
  }
  std::string name(std::int32_t info) const {
    return shown(input_.measured.infos[static_cast<std::size_t>(info)].name);
  }

  std::string answer() const;
  std::string verdict() const;
  std::string of_the_difference() const;
  std::string measurement() const;
  std::string threads() const;
  std::string where() const;
  std::string stack() const { return parts("By layer of the stack", difference_.stack); }
  std::string layers() const;
  std::string parts(const std::string& title, const std::vector<DifferencePart>& parts) const;
  std::string operators() const;
  std::string communication() const;
  std::string ranks() const;
  std::string instructions() const;
  std::string place(Rank rank, const SpanKey& key) const;
  std::string unmatched() const;
  std::string unobeyed() const;

  const DifferenceInput& input_;
  const Difference& difference_;
  int decimals_;
};

std::string percent(Duration part, Duration whole) {
  if (whole == Duration{}) return "-";
  return fixed(100.0 * milliseconds(part) / milliseconds(whole), 1) + " %";
}

// How many times as long as predicted.
std::string ratio(Duration time, Duration predicted) {
  if (predicted == Duration{}) return "-";
  return fixed(milliseconds(time) / milliseconds(predicted), 2);
}

std::string Text::verdict() const {
  const Compared& step = difference_.step;
  if (step.difference() == Duration{}) return "the prediction is exact";
  const bool fast = step.difference() > Duration{};
  const Duration off = fast ? step.difference() : Duration{} - step.difference();
  return "the prediction is " + percent(off, step.measured) + (fast ? " too fast" : " too slow");
}

std::string Text::of_the_difference() const {
  std::vector<BreakdownRow> predicted, rows;
  for (const BreakdownRow& row : rows_of(difference_.predicted))
    if (row.level == 0) predicted.push_back(row);
  for (const BreakdownRow& row : rows_of(difference_.measured))
    if (row.level == 0) rows.push_back(row);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].time = rows[i].time - predicted[i].time;
  rows.pop_back();  // the step
  std::erase_if(rows, [this](const BreakdownRow& row) { return ms(row.time) == ms(Duration{}); });
  std::stable_sort(rows.begin(), rows.end(), [](const BreakdownRow& one, const BreakdownRow& two) {
    return std::abs(one.time.picoseconds) > std::abs(two.time.picoseconds);
  });
  std::string text;
  for (const BreakdownRow& row : rows)
    text += (text.empty() ? "" : ", ") + row.name + " " + signed_ms(row.time);
  if (text.empty()) return "";
  return "Of the " + signed_ms(difference_.step.difference()) + ": " + text + ".\n";
}

std::string Text::measurement() const {
  if (!input_.measured.measurement) return "";
  const Measurement& measured = *input_.measured.measurement;
  std::string text = "Step " + std::to_string(measured.step);
  if (measured.steps.size() > 1) {
    const auto [least, most] = std::minmax_element(
        measured.steps.begin(), measured.steps.end(),
        [](const StepTime& one, const StepTime& other) { return one.time < other.time; });
    text += ", the median of " + std::to_string(measured.steps.size()) + " measured steps (" +
            ms(least->time) + " to " + ms(most->time) + ")";
  }
  text += "; the ranks' clocks are known to ";
  return text + fixed(milliseconds(measured.clock_bound), 3) + " ms.\n";
}

std::string Text::threads() const {
  if (!difference_.threads) return "";
  return "A core ran the rank's thread for " +
         percent(difference_.threads->ran, difference_.threads->spans) +
         " of the time that compute took.\n";
}

std::string Text::answer() const {
  std::string text = "Measured " + ms(difference_.step.measured) + ", predicted " +
                     ms(difference_.step.predicted) + ": " + verdict() + ".\n" +
                     of_the_difference() + measurement() + threads();
  if (input_.predicted.measurement)
    text += "Remark: " + shown(input_.predicted_name) + " was measured, too.\n";
  if (const auto warning = causality_warning(input_.measured))
    text += "Warning: " + *warning + ".\n";
  if (!difference_.unmatched.empty())
    text += "Warning: " + std::to_string(difference_.unmatched.size()) +
            " instructions are in one of the two only; they are listed below.\n";
  return text;
}

std::string Text::where() const {
  const std::vector<Named<RankBreakdown>> both{{"predicted", difference_.predicted},
                                               {"measured", difference_.measured}};
  return "\nWhere the time of a step goes, mean over ranks (parts sum to the step)\n" +
         breakdown_table(both);
}

std::string Text::parts(const std::string& title, const std::vector<DifferencePart>& parts) const {
  std::vector<TextRow> rows{{"", "predicted", "measured", "difference"}};
  for (const DifferencePart& part : parts) {
    if (part.time == Compared{}) continue;
    rows.push_back({part.name, ms(part.time.predicted), ms(part.time.measured),
                    signed_ms(part.time.difference())});
  }
  return "\n" + title + " (parts sum to the step)\n" + aligned(rows);
}

std::string Text::layers() const {
  return parts("By layer of the model, waiting included", difference_.layers);
}

std::string Text::operators() const {
  if (difference_.operators.empty()) return "";
  std::vector<TextRow> rows{
      {"", "predicted", "measured", "on a core", "measured/pred.", "core/pred.", "spans"}};
  for (const OperatorRatio& each : difference_.operators)
    rows.push_back({std::string(name_of(each.work)) + " " + std::string(name_of(each.phase)),
                    ms(each.time.predicted), ms(each.time.measured), each.cpu ? ms(*each.cpu) : "-",
                    ratio(each.time.measured, each.time.predicted),
                    each.cpu ? ratio(*each.cpu, each.time.predicted) : "-",
                    std::to_string(each.spans)});
  return "\nOperators, mean over ranks\n" + aligned(rows);
}

std::string Text::communication() const {
  if (difference_.moves.empty()) return "";
  std::vector<TextRow> rows{{"", "bytes", "predicted", "measured", "measured/pred.",
                             "predicted wait", "measured wait", "spans"}};
  for (const CommunicationRatio& each : difference_.moves) {
    const SpanInfo& info = input_.measured.infos[static_cast<std::size_t>(each.info)];
    rows.push_back({shown(info.name) + " (" + std::string(name_of(info.axis)) + ")",
                    fixed(info.size.value, 0), ms(each.moving.predicted), ms(each.moving.measured),
                    ratio(each.moving.measured, each.moving.predicted), ms(each.waiting.predicted),
                    ms(each.waiting.measured), std::to_string(each.spans)});
  }
  return "\nCommunication while data moves, hidden or not, mean over ranks\n" + aligned(rows);
}

Duration exposed(const RankBreakdown& rank) {
  Duration total;
  for (const Duration time : rank.exposed) total += time;
  return total;
}

std::string Text::ranks() const {
  std::vector<TextRow> rows{{"rank", "stage", "compute", "exposed", "bubble", "waiting",
                             "copy, host", "idle", "shown by rank"}};
  for (const RankDifference& each : difference_.per_rank) {
    if (rows.size() > most_ranks) break;
    const RankBreakdown &was = each.predicted, &is = each.measured;
    rows.push_back({std::to_string(each.rank.value), std::to_string(each.stage),
                    signed_ms(is.compute - was.compute), signed_ms(exposed(is) - exposed(was)),
                    signed_ms(is.bubble - was.bubble), signed_ms(is.waiting - was.waiting),
                    signed_ms(is.copy + is.host - was.copy - was.host),
                    signed_ms(is.idle - was.idle), std::to_string(each.shown_by.value)});
  }
  std::string title = "\nBy rank, measured less predicted (each rank's sum to " +
                      signed_ms(difference_.step.difference()) + ")";
  if (difference_.per_rank.size() > most_ranks)
    title += "; " + std::to_string(most_ranks) + " of " +
             std::to_string(difference_.per_rank.size()) + " ranks, --json has all";
  return title + "\n" + aligned(rows);
}

std::string Text::place(Rank rank, const SpanKey& key) const {
  std::string text = "rank " + std::to_string(rank.value);
  if (key.layer >= 0) text += ", layer " + std::to_string(key.layer);
  if (key.micro_batch >= 0) text += ", micro-batch " + std::to_string(key.micro_batch);
  if (key.chunk > 0) text += ", chunk " + std::to_string(key.chunk);
  if (key.bucket >= 0) text += ", bucket " + std::to_string(key.bucket);
  if (key.occurrence > 0) text += ", time " + std::to_string(key.occurrence + 1);
  return text;
}

std::string Text::instructions() const {
  std::vector<TextRow> rows{
      {"", "predicted", "measured", "difference", "spans", "worst span", "where"}};
  for (const InstructionDifference& each : difference_.instructions) {
    if (rows.size() > most_instructions || each.time.difference() == Duration{}) break;
    rows.push_back({name(each.info), ms(each.time.predicted), ms(each.time.measured),
                    signed_ms(each.time.difference()), std::to_string(each.spans),
                    signed_ms(each.worst_time.difference()), place(each.worst_rank, each.worst)});
  }
  if (rows.size() == 1) return "";
  return "\nInstructions that differ most, by what of the step is on their account (waiting "
         "included), mean over ranks\n" +
         aligned(rows);
}

std::string Text::unmatched() const {
  if (difference_.unmatched.empty()) return "";
  std::vector<TextRow> rows;
  for (const UnmatchedSpan& each : difference_.unmatched) {
    if (rows.size() == most_unmatched) break;
    rows.push_back({each.only == Side::predicted ? "predicted only" : "measured only",
                    name(each.key.info), ms(each.time), place(each.rank, each.key)});
  }
  const std::string cut = difference_.unmatched.size() > most_unmatched
                              ? " (" + std::to_string(most_unmatched) + " of " +
                                    std::to_string(difference_.unmatched.size()) +
                                    ", --json has all)"
                              : "";
  return "\nInstructions in one of the two only" + cut + "\n" + aligned(rows);
}

std::string Text::unobeyed() const {
  if (!input_.measured.measurement) return "";
  const std::vector<Unobeyed>& list = input_.measured.measurement->unobeyed;
  if (list.empty()) return "\nThe run obeyed every decision of its plan.\n";
  constexpr std::size_t widest = 100;
  std::string text = "\nWhat the run did otherwise than its plan asks\n";
  for (const Unobeyed& each : list)
    text += "  " + shown(each.decision, widest) + " = " + shown(each.asked, widest) + ": " +
            shown(each.done, widest) + "\n";
  return text;
}

}  // namespace

std::string difference_text(const DifferenceInput& input) {
  return Text(input).all();
}

}  // namespace quintet
