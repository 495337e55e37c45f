#include "calibrate/loop/loop_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "sim/json/json_value.h"

#include "sim/base/quantile.h"

namespace quintet::calibrate {
namespace {

int sign(Seconds left, Seconds right) {
  return (left > right) - (left < right);
}

struct Pairs {
  int all = 0, agreeing = 0;  // agreeing: less those that disagree
};

Pairs pairs_of(const std::vector<LoopRow>& rows) {
  Pairs pairs;
  for (std::size_t one = 0; one < rows.size(); ++one)
    for (std::size_t other = one + 1; other < rows.size(); ++other) {
      if (rows[one].model != rows[other].model) continue;
      ++pairs.all;
      pairs.agreeing += sign(rows[one].predicted, rows[other].predicted) *
                        sign(rows[one].measured, rows[other].measured);
    }
  return pairs;
}

std::optional<double> tau(const Pairs& pairs) {
  if (pairs.all == 0) return std::nullopt;
  return static_cast<double>(pairs.agreeing) / pairs.all;
}

bool inside(const LoopRow& row) {
  return row.measured >= row.interval->least && row.measured <= row.interval->most;
}

std::optional<double> coverage(const std::vector<LoopRow>& rows) {
  const bool told =
      std::all_of(rows.begin(), rows.end(), [](const LoopRow& row) { return row.interval; });
  if (!told) return std::nullopt;
  return static_cast<double>(std::count_if(rows.begin(), rows.end(), inside)) /
         static_cast<double>(rows.size());
}

std::string milliseconds(Seconds time) {
  return fmt::format("{:.1f}", time.value * 1e3);
}

std::string interval_text(const LoopRow& row) {
  if (!row.interval) return "";
  return milliseconds(row.interval->least) + " - " + milliseconds(row.interval->most);
}

std::string row_text(const LoopRow& row, std::size_t name, bool intervals) {
  const std::string interval = intervals ? fmt::format("{:>18}", interval_text(row)) : "";
  return fmt::format("{:<{}} {:>9}{} {:>9} {:>+7.1f} %   {}\n", row.model + ", " + row.plan, name,
                     milliseconds(row.predicted), interval, milliseconds(row.measured),
                     100 * row.error(), row.cause);
}

std::string gibibytes(Bytes size) {
  return fmt::format("{:.2f}", size.value / (1 << 30));
}

double memory_error(const DeviceFigures& device) {
  return device.predicted_memory / device.memory - 1;
}

// Only runs on GPUs have a row; the table is empty where all were on cores.
std::string device_table(const std::vector<LoopRow>& rows, std::size_t name) {
  const std::string head = "memory, GiB";
  name = std::max(name, head.size());
  std::string text;
  for (const LoopRow& row : rows) {
    if (!row.device || row.device->memory <= Bytes{}) continue;
    const DeviceFigures& device = *row.device;
    text += fmt::format("{:<{}} {:>9} {:>9} {:>+7.1f} %   {:+.2f} % by {}\n",
                        row.model + ", " + row.plan, name, gibibytes(device.predicted_memory),
                        gibibytes(device.memory), 100 * memory_error(device),
                        100 * device.recording_cost, device.recorded_by);
  }
  if (text.empty()) return text;
  return fmt::format("\n{:<{}} {:>9} {:>9} {:>9}   {}\n", head, name, "predicted", "measured",
                     "error", "recording made steps longer") +
         text;
}

}  // namespace

LoopVerdict verdict_of(const std::vector<LoopRow>& rows) {
  assert(!rows.empty());
  std::vector<double> errors;
  for (const LoopRow& row : rows) errors.push_back(std::abs(row.error()));
  const Pairs pairs = pairs_of(rows);
  return {static_cast<int>(rows.size()), pairs.all,  quantile(errors, 0.5),
          quantile(errors, 0.9),         tau(pairs), coverage(rows)};
}

namespace {

std::string order_text(const LoopVerdict& verdict) {
  if (!verdict.kendall_tau) return "";
  constexpr double right_enough = 0.9;
  constexpr int few = 3;  // pairs, of three plans: chance alone puts one in six so in order
  const double margin = std::ceil(100 * std::max(0.01, 2 * verdict.median_error));
  const bool right = *verdict.kendall_tau >= right_enough;
  if (verdict.pairs < few)
    return std::string("It put them in the ") + (right ? "right" : "wrong") +
           " order, but so few say little: " + "measure two plans before you choose between them.";
  if (right)
    return fmt::format(
        "It put plans in the right order (Kendall's tau {:.2f}): where it sees more than {:.0f} % "
        "between two plans, believe it.",
        *verdict.kendall_tau, margin);
  return fmt::format(
      "It often put plans in the wrong order (Kendall's tau {:.2f}): measure two plans before you "
      "choose between them.",
      *verdict.kendall_tau);
}

}  // namespace

std::string trust_text(const LoopVerdict& verdict) {
  return fmt::format(
             "On this machine a predicted step was {:.1f} % off in the median, and {:.1f} % or "
             "less in nine of ten, of {} plans run. ",
             100 * verdict.median_error, 100 * verdict.p90_error, verdict.rows) +
         order_text(verdict);
}

std::string report_text(const std::vector<LoopRow>& rows, const std::vector<std::string>& remarks) {
  std::size_t name = 4;
  bool intervals = false;
  for (const LoopRow& row : rows) {
    name = std::max(name, row.model.size() + row.plan.size() + 2);
    intervals = intervals || row.interval.has_value();
  }
  std::string text = fmt::format("{:<{}} {:>9}{} {:>9} {:>9}   {}\n", "plan", name, "predicted",
                                 intervals ? fmt::format("{:>18}", "90 % from - to") : "",
                                 "measured", "error", "cause");
  for (const LoopRow& row : rows) text += row_text(row, name, intervals);
  const LoopVerdict verdict = verdict_of(rows);
  text += fmt::format(
      "times in ms; error: of the prediction against the measured step, {:.1f} % in the median and "
      "{:.1f} % in nine of ten, without sign",
      100 * verdict.median_error, 100 * verdict.p90_error);
  if (verdict.kendall_tau)
    text += fmt::format("; Kendall's tau of the order {:.2f}", *verdict.kendall_tau);
  if (verdict.coverage)
    text += fmt::format("; {:.0f} % of steps in their interval", 100 * *verdict.coverage);
  text += "\n" + device_table(rows, name) + "\n" + trust_text(verdict) + "\n";
  for (const std::string& remark : remarks) text += remark + "\n";
  return text;
}

std::string report_json(const std::vector<LoopRow>& rows, const std::vector<std::string>& remarks) {
  const LoopVerdict verdict = verdict_of(rows);
  JsonValue json;
  json["schema_version"] = 1;
  json["plans"] = JsonValue::array();
  for (const LoopRow& row : rows) {
    JsonValue entry{{"model", row.model},
                    {"plan", row.plan},
                    {"predicted_s", row.predicted.value},
                    {"measured_s", row.measured.value},
                    {"measured_from_s", row.least.value},
                    {"measured_to_s", row.most.value},
                    {"others_share", row.others},
                    {"error", row.error()},
                    {"cause", row.cause}};
    if (row.interval)
      entry["interval_s"] = std::array{row.interval->least.value, row.interval->most.value};
    if (row.device)
      entry.update({{"memory_bytes", row.device->memory.value},
                    {"predicted_memory_bytes", row.device->predicted_memory.value},
                    {"recording_cost", row.device->recording_cost},
                    {"recorded_by", row.device->recorded_by}});
    json["plans"].push_back(entry);
  }
  json["median_error"] = verdict.median_error;
  json["p90_error"] = verdict.p90_error;
  if (verdict.kendall_tau) json["kendall_tau"] = *verdict.kendall_tau;
  if (verdict.coverage) json["coverage"] = *verdict.coverage;
  json["trust"] = trust_text(verdict);
  json["remarks"] = remarks;
  return json.dump(2) + "\n";
}

}  // namespace quintet::calibrate
