#include "sim/answer/money_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/answer/numbers_text.h"
#include "sim/answer/run_text.h"
#include "sim/base/text_table.h"

namespace quintet {

namespace {

using Json = JsonValue;

// Whole dollars from a hundred on; else four digits and more.
std::string sum_text(Dollars sum) {
  return sum.value >= 100 ? grouped(sum.value) : fixed(sum.value, decimals_for(sum.value) - 2);
}

// In words where they are short: "10.2 million".
std::string large_text(Dollars sum) {
  return sum.value >= 1e6 ? in_words(sum.value) : sum_text(sum);
}

std::string with_range(const Amounts& sums) {
  return fmt::format("{} $ ({} to {})", large_text(sums.usual), large_text(sums.low),
                     large_text(sums.high));
}

TextRow row_of(const std::string& what, const std::string& count, const std::string& each,
               const Amounts& all, const std::string& from) {
  return {what, count, each, sum_text(all.low), sum_text(all.usual), sum_text(all.high), from};
}

// Sources are long: tables have their numbers.
class Sources {
 public:
  // "[2]"
  std::string number_of(const PriceOrigin& origin) {
    const std::string text =
        fmt::format("{} of {}: {}", name_of(origin.basis), origin.year, origin.source);
    const auto known = std::find(texts_.begin(), texts_.end(), text);
    const auto number = known - texts_.begin() + 1;
    if (known == texts_.end()) texts_.push_back(text);
    return fmt::format("[{}]", number);
  }
  ReportSection section() const {
    ReportSection section{"Who says so", {}, {}};
    for (std::size_t i = 0; i < texts_.size(); ++i)
      section.sentences.push_back(fmt::format("[{}] {}", i + 1, texts_[i]));
    return section;
  }

 private:
  std::vector<std::string> texts_;
};

ReportSection bought_section(const std::string& name, const Bill& bill, Sources& sources) {
  ReportSection section{
      fmt::format("What the machine of {} costs to buy, in $, by {}", name, bill.prices), {}, {}};
  section.table = {{"", "number", "each", "low", "usual", "high", "source"}};
  for (const BillLine& line : bill.bought)
    section.table.push_back(
        row_of(line.part + ", " + line.what, grouped(static_cast<double>(line.count)),
               sum_text(line.each.amount.usual), line.all(), sources.number_of(line.each.origin)));
  section.table.push_back(row_of("all", "", "", bought(bill), ""));
  return section;
}

std::string factor_text(const char* format, const PriceFactor& factor) {
  return fmt::format(fmt::runtime(format), factor.usual, factor.low, factor.high);
}

std::string power_text(const Money& money) {
  const auto kilowatts = [](Watts power) {
    const double value = power.value / 1e3;
    return value >= 100 ? grouped(value) : fmt::format("{:.3g}", value);
  };
  return fmt::format("{} kW ({} to {}) x PUE {} x {:.3g} $/kWh", kilowatts(money.power_usual),
                     kilowatts(money.power_low), kilowatts(money.power_high),
                     factor_text("{:g} ({:g} to {:g})", money.bill.pue),
                     money.bill.electricity.amount.usual.value);
}

ReportSection hour_section(const Money& money, Sources& sources) {
  const Bill& bill = money.bill;
  ReportSection section{"What an hour costs, in $", {}, {}};
  if (money.share < 1)
    section.sentences = {
        fmt::format("The plan pays for {} of the machine's hosts.", percent(money.share))};
  section.table = {{"", "low", "usual", "high", "how"}};
  const auto add = [&](const std::string& what, const Amounts& sums, const std::string& how) {
    section.table.push_back(
        {what, sum_text(sums.low), sum_text(sums.usual), sum_text(sums.high), how});
  };
  add("written off", money.written_off,
      factor_text("over {:g} years ({:g} to {:g}) ", bill.years) +
          sources.number_of(bill.years.origin));
  add("upkeep", money.upkeep,
      factor_text("{:g} of the price a year ({:g} to {:g}) ", bill.upkeep) +
          sources.number_of(bill.upkeep.origin));
  if (money.knows_power)
    add("electricity", money.electricity,
        power_text(money) + " " + sources.number_of(bill.electricity.origin) + "; PUE " +
            sources.number_of(bill.pue.origin) + "; power " + sources.number_of(bill.drawn.origin));
  add("owned", money.owned,
      money.knows_power ? "the sum"
                        : "the sum, without electricity: the machine's power is not known");
  for (const RentLine& line : bill.rented)
    if (&line == &bill.rented.front())
      add("rented instead", money.rented,
          fmt::format("{} at {:g} $ ({:g} to {:g}) {}", line.gpu, line.hour.amount.usual.value,
                      line.hour.amount.low.value, line.hour.amount.high.value,
                      sources.number_of(line.hour.origin)));
  return section;
}

ReportSection totals_section(const Money& money, const std::optional<TrainingRun>& run) {
  ReportSection section{
      "What training costs, in $ (prices vary, the time is as predicted)", {}, {}};
  section.table = {{"", "owned", "low", "high", "rented", "low", "high"}};
  const auto add = [&](const std::string& what, const Amounts& own, const Amounts& rent) {
    section.table.push_back({what, sum_text(own.usual), sum_text(own.low), sum_text(own.high),
                             sum_text(rent.usual), sum_text(rent.low), sum_text(rent.high)});
  };
  add("a step", money.owned_step, money.rented_step);
  add("an hour", money.owned, money.rented);
  if (run)
    add("the run of " + asked_text(run->asked), owned(money, run->time), rented(money, run->time));
  return section;
}

Json sums_json(const Amounts& sums) {
  return {
      {"low_usd", sums.low.value}, {"usual_usd", sums.usual.value}, {"high_usd", sums.high.value}};
}

Json line_json(const std::string& part, const std::string& what, std::int64_t count,
               const Price& each) {
  return {{"part", part},
          {"what", what},
          {"count", count},
          {"each", sums_json(each.amount)},
          {"basis", name_of(each.origin.basis)},
          {"year", each.origin.year},
          {"source", each.origin.source}};
}

Json both_json(const Amounts& own, const Amounts& rent) {
  return {{"owned", sums_json(own)}, {"rented", sums_json(rent)}};
}

}  // namespace

std::string text_of(const Money& money, const std::optional<TrainingRun>& run) {
  const bool rents = !money.bill.rented.empty();
  std::string text = "owned " + with_range(money.owned) + " an hour";
  if (rents) text += ", rented " + with_range(money.rented);
  text += "; a step " + sum_text(money.owned_step.usual);
  if (rents) text += " or " + sum_text(money.rented_step.usual);
  text += " $";
  if (!run) return text;
  text += "; the run " + with_range(owned(money, run->time)) + " owned";
  if (rents) text += ", " + with_range(rented(money, run->time)) + " rented";
  return text;
}

std::vector<ReportSection> money_sections(const std::string& name, const Money& money,
                                          const std::optional<TrainingRun>& run) {
  Sources sources;
  ReportSection bought_parts = bought_section(name, money.bill, sources);
  ReportSection hour = hour_section(money, sources);
  return {std::move(bought_parts), std::move(hour), totals_section(money, run), sources.section()};
}

JsonValue money_json(const std::optional<Money>& money, const std::optional<TrainingRun>& run) {
  if (!money) return nullptr;
  const Bill& bill = money->bill;
  Json bought_parts = Json::array(), rents = Json::array();
  for (const BillLine& line : bill.bought)
    bought_parts.push_back(line_json(line.part, line.what, line.count, line.each));
  for (const RentLine& line : bill.rented)
    rents.push_back(line_json("GPU-hour", line.gpu, line.count, line.hour));
  return {{"prices", bill.prices},
          {"machine_share", money->share},
          {"bought", bought_parts},
          {"bought_all", sums_json(bought(bill))},
          {"rent", rents},
          {"power_low_w", money->power_low.value},
          {"power_w", money->power_usual.value},
          {"power_high_w", money->power_high.value},
          {"hour",
           {{"written_off", sums_json(money->written_off)},
            {"upkeep", sums_json(money->upkeep)},
            {"electricity", money->knows_power ? sums_json(money->electricity) : Json(nullptr)},
            {"owned", sums_json(money->owned)},
            {"rented", sums_json(money->rented)}}},
          {"step", both_json(money->owned_step, money->rented_step)},
          {"run",
           run ? both_json(owned(*money, run->time), rented(*money, run->time)) : Json(nullptr)}};
}

}  // namespace quintet
