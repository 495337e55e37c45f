#include "calibrate/fit/fitted_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "calibrate/fit/kernel_fits.h"
#include "calibrate/fit/own_rows.h"
#include "calibrate/fit/sweep_curves.h"
#include "sim/base/data_type.h"
#include "sim/base/quantile.h"
#include "sim/base/quantity_text.h"
#include "sim/cost/attention_time.h"
#include "sim/cost/file/communication_costs_file.h"
#include "sim/cost/file/cost_fields.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/file/kernel_costs_file.h"
#include "sim/cost/gemm_time.h"
#include "sim/cost/memory_time.h"
#include "sim/json/json_value.h"

namespace quintet::calibrate {
namespace {

using Json = JsonValue;

// To so many digits as are told apart by it: files stay readable.
double rounded(double value, int digits = 4) {
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

// In the unit in which it will be written (quantity_text.h), so that it reads back to these digits.
double rounded(double value, std::initializer_list<double> units, int digits) {
  double unit = *units.begin();
  for (const double larger : units)
    if (value >= larger) unit = larger;
  return rounded(value / unit, digits) * unit;
}

Seconds rounded(Seconds time, int digits = 4) {
  return {rounded(time.value, {1e-12, 1e-9, 1e-6, 1e-3, 1.0}, digits)};
}

Bandwidth rounded(Bandwidth rate) {
  return {rounded(rate.value, {1.0, 1e3, 1e6, 1e9, 1e12}, 4)};
}

// Sizes that were measured are whole; those between them are a fit's.
Bytes rounded(Bytes size) {
  if (size.value == std::trunc(size.value)) return size;
  return {rounded(size.value, {1.0, 1e3, 1e6, 1e9, 1e12}, 9)};
}

Residuals rounded(const Residuals& residuals) {
  return {rounded(residuals.p05), rounded(residuals.p95), residuals.samples};
}

GemmCosts rounded(GemmCosts costs) {
  for (GemmTile& tile : costs.tiles) tile.efficiency = rounded(tile.efficiency);
  for (double* const each :
       {&costs.k_half, &costs.wave_smoothing, &costs.memory_efficiency, &costs.sharpness})
    *each = rounded(*each);
  costs.start = rounded(costs.start);
  costs.residuals = rounded(costs.residuals);
  return costs;
}

AttentionCosts rounded(AttentionCosts costs) {
  for (double* const each :
       {&costs.forward_efficiency, &costs.backward_efficiency, &costs.length_half,
        &costs.causal_length_half, &costs.forward_waves_half, &costs.backward_waves_half,
        &costs.head_dim_exponent})
    *each = rounded(*each);
  costs.residuals = rounded(costs.residuals);
  return costs;
}

MemoryCosts rounded(MemoryCosts costs) {
  for (Seconds* const each : {&costs.start, &costs.wave_start}) *each = rounded(*each);
  for (Bandwidth* const each : {&costs.bandwidth, &costs.cached}) *each = rounded(*each);
  costs.residuals = rounded(costs.residuals);
  return costs;
}

CollectiveCurve rounded(CollectiveCurve curve) {
  for (CurvePoint& point : curve.points) point = {rounded(point.size), rounded(point.time, 6)};
  curve.residuals = rounded(curve.residuals);
  return curve;
}

// What tells one curve of a table from another.
using CurveIdentity =
    std::tuple<CollectiveKind, int, int, std::optional<Algorithm>, std::optional<Protocol>>;

CurveIdentity identity(const CollectiveCurve& curve) {
  return {curve.kind, curve.ranks, curve.hosts, curve.algorithm, curve.protocol};
}

bool contains(const std::vector<FittedCurve>& curves, const CurveIdentity& wanted) {
  return std::any_of(curves.begin(), curves.end(),
                     [&](const FittedCurve& each) { return identity(each.curve) == wanted; });
}

template <class Samples>
std::string files_of(const Samples& samples) {
  std::set<std::string> files;
  for (const auto& each : samples) files.insert(each.source);
  constexpr std::size_t most = 4;  // a job may have a file of each of its ranks
  std::string text;
  std::size_t named = 0;
  for (const std::string& each : files)
    if (++named <= most) text += (text.empty() ? "" : ", ") + each.substr(each.rfind('/') + 1);
  if (named > most) text += fmt::format(" and {} more", named - most);
  return text;
}

// Products and memory-bound kernels are fitted forward only: what their backward passes take
// beside them is the base's, and no longer of this card's own measurements.
template <class Samples>
bool has_backward(const Samples& samples) {
  if constexpr (requires { samples.front().pass; })
    return std::any_of(samples.begin(), samples.end(),
                       [](const auto& each) { return each.pass != AttentionPass::forward; });
  return false;
}

bool has_type(const Json& entry, DataType type) {
  for (const Json& each : entry.find("types")->elements())
    if (each.is_text(name_of(type))) return true;
  return false;
}

constexpr std::size_t fewest_launches = 8;  // of which a median is learnt

class Making {
 public:
  Making(Json json, const CostTable& table, const Measurements& measurements,
         const std::string& when)
      : json_(std::move(json)), table_(table), measured_(measurements), when_(when) {}

  FittedTable made() && {
    for (const DataType type :
         {DataType::bf16, DataType::fp16, DataType::fp8, DataType::tf32, DataType::fp32})
      gemm(type);
    attention();
    for (const MemoryOperation operation :
         {MemoryOperation::norm, MemoryOperation::activation, MemoryOperation::elementwise})
      memory(operation);
    collectives();
    launches();
    table_made_.left_out.insert(table_made_.left_out.end(), measured_.left_out.begin(),
                                measured_.left_out.end());
    for (const char* const part : {"gemm", "attention", "memory", "communication"})
      if (!changed_.contains(part)) table_made_.kept.push_back(part);
    for (const char* const part : {"launch", "copy", "overlap"})
      if (!changed_.contains(part)) table_made_.kept.push_back(part);
    table_made_.text = json_.dump(2) + "\n";
    return std::move(table_made_);
  }

 private:
  template <class Samples>
  std::string source_of(const Samples& samples) const {
    return fmt::format("{}; fitted {} by quintet fit", files_of(samples), when_);
  }
  void say(const std::string& what, const std::string& error) {
    table_made_.lines.push_back({what, error});
  }
  // `before`: what the base has there.
  template <class Costs, class Samples, class IsIt>
  void put(const char* part, const Costs& before, const KernelFit<Costs>& fit,
           const Samples& samples, IsIt is_it) {
    const Json fields = fitted_fields(rounded(fit.costs)), old = fitted_fields(before);
    for (Json& entry : json_[part].elements()) {
      if (!is_it(entry)) continue;
      for (const JsonField& field : old.fields())
        if (fields.find(field.key) == nullptr) entry.erase(field.key);
      entry.update(fields);
      entry.update(origin_fields(source_of(samples), text_of(fit.quality)));
      entry["evidence"] = name_of(Evidence::measured);
      entry["backward_evidence"] =
          name_of(has_backward(samples) ? Evidence::measured
                                        : std::max(before.evidence.backward, Evidence::borrowed));
    }
    changed_.insert(part);
  }

  void gemm(DataType type) {
    std::vector<GemmSample> samples;
    for (const GemmSample& each : measured_.gemms)
      if (each.type == type) samples.push_back(each);
    if (samples.empty()) return;
    const std::string what = "GEMM " + std::string(name_of(type));
    const auto fit = fit_gemm(samples, type, table_);
    if (!fit) return say(what, "not fitted: fewer than 12 shapes, or the base has no such type");
    put("gemm", *gemm_costs(type, table_), *fit, samples,
        [type](const Json& entry) { return has_type(entry, type); });
    say(what, text_of(fit->quality));
  }
  void attention() {
    if (measured_.attentions.empty()) return;
    const auto fit = fit_attention(measured_.attentions, table_);
    if (!fit)
      return say("attention", "not fitted: fewer than 12 shapes of FlashAttention-2, -3 or cuDNN");
    put("attention", *attention_costs(DataType::bf16, table_), *fit, measured_.attentions,
        [](const Json& entry) { return has_type(entry, DataType::bf16); });
    say("attention", text_of(fit->quality));
  }
  void memory(MemoryOperation operation) {
    const auto fit = fit_memory(measured_.memories, operation, table_);
    if (!fit) return;
    const std::string name(name_of(operation));
    put("memory", *memory_costs(operation, table_), *fit, measured_.memories,
        [&name](const Json& entry) { return entry.find("operation")->is_text(name); });
    say(name, text_of(fit->quality));
  }
  void collectives() {
    const SweepCurves made = sweep_curves(measured_.collectives);
    for (const SweepLine& line : made.lines) say(line.title, text_of(line.quality));
    if (!made.short_sweeps.empty())
      table_made_.left_out.push_back(
          fmt::format("{} sweep{} of fewer than 8 sizes: {}", made.short_sweeps.size(),
                      made.short_sweeps.size() == 1 ? "" : "s", list_of(made.short_sweeps)));
    if (made.curves.empty()) return;
    const std::vector<CollectiveCurve>& before = table_.communication.curves;
    Json& communication = json_["communication"];
    Json curves = Json::array();
    for (const FittedCurve& each : made.curves) curves.push_back(entry_of(each));
    // They stand in the file in the order in which they were read.
    for (std::size_t index = 0; index < before.size(); ++index)
      if (!contains(made.curves, identity(before[index])))
        curves.push_back(communication.find("curves")->elements()[index]);
    communication["curves"] = curves;
    changed_.insert("communication");
  }
  // The median of so many, as the profilers that recorded them slow launches down by themselves.
  void launches() {
    std::string source = launch("eager", measured_.launches, "CPU time between launches");
    for (const std::string& other :
         {launch("gap", measured_.launch_gaps, "GPU idle between queued kernels")})
      source += (source.empty() || other.empty() ? "" : "; ") + other;
    if (source.empty()) return;
    Json& part = json_["launch"];
    part["source"] = fmt::format("{}; fitted {} by quintet fit; the rest: {}", source, when_,
                                 table_.launch.source);
    part["evidence"] = name_of(Evidence::measured);
    changed_.insert("launch");
  }
  // What it says of itself; empty: nothing was measured.
  std::string launch(const char* field, const std::vector<LaunchSample>& samples,
                     const char* what) {
    if (samples.size() < fewest_launches) {
      if (!samples.empty())
        table_made_.left_out.push_back(
            fmt::format("{} of {}: fewer than {}", samples.size(), what, fewest_launches));
      return {};
    }
    std::vector<double> times;
    for (const LaunchSample& each : samples) times.push_back(each.time.value);
    std::sort(times.begin(), times.end());
    const Seconds middle = rounded(Seconds{median(times)});
    json_["launch"][field] = text(middle);
    say(fmt::format("launch.{}: {}, {}", field, text(middle), what),
        fmt::format("median of {}; half of them {} to {}", times.size(),
                    text(rounded(Seconds{times[times.size() / 4]}, 3)),
                    text(rounded(Seconds{times[times.size() * 3 / 4]}, 3))));
    return fmt::format("{}: median of {} in {}", field, times.size(), files_of(samples));
  }
  Json entry_of(const FittedCurve& fitted) const {
    CollectiveCurve curve = rounded(fitted.curve);
    curve.source = source_of(std::vector<CollectiveSample>{fitted.which});
    curve.evidence = Evidence::measured;
    Json entry = curve_fields(curve);
    entry.update(origin_fields(curve.source, text_of(fitted.quality)));
    return entry;
  }

  Json json_;
  const CostTable& table_;
  const Measurements& measured_;
  const std::string& when_;
  std::set<std::string> changed_;
  FittedTable table_made_;
};

}  // namespace

Result<FittedTable> fitted_table(const std::string& base, const std::string& base_file,
                                 const Measurements& measurements, const std::string& when) {
  const Result<CostTable> table = parse_cost_table(base, base_file);
  if (!table) return table.error();
  const OwnRows rows = own_rows(measurements, table->gpu);
  if (measures_nothing(rows.own))
    return Error{base_file + ": gpu",
                 fmt::format("none of the measurements is of \"{}\"; they are of {}", table->gpu,
                             list_of(rows.other_gpus))};
  FittedTable made = Making(Json::parse(base), *table, rows.own, when).made();
  if (rows.others > 0)
    made.left_out.push_back(
        fmt::format("{} rows of other GPUs: {}", rows.others, list_of(rows.other_gpus)));
  return made;
}

}  // namespace quintet::calibrate
