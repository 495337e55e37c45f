#include "calibrate/fit/fitted_table.h"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "calibrate/fit/kernel_fits.h"
#include "calibrate/fit/own_rows.h"
#include "calibrate/fit/sweep_curves.h"
#include "sim/base/data_type.h"
#include "sim/base/quantity_text.h"
#include "sim/cost/file/communication_costs_file.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/memory_time.h"
#include "sim/json/json_value.h"

namespace quintet::calibrate {
namespace {

using Json = JsonValue;

// To so many digits as are told apart by it: files stay readable.
double rounded(double value, int digits = 4) {
  std::ostringstream text;
  text.precision(digits);
  text << value;
  return std::stod(text.str());
}

std::string number_text(double value, int digits = 4) {
  return Json(rounded(value, digits)).dump();
}

Json json_of(const Residuals& residuals) {
  return {{"p05", rounded(residuals.p05)},
          {"p95", rounded(residuals.p95)},
          {"samples", residuals.samples}};
}

Json json_of(const CoveredRanges& ranges) {
  Json all = Json::array();
  for (const Covered& each : ranges)
    all.push_back({{"of", each.of}, {"least", each.least}, {"most", each.most}});
  return all;
}

template <class Samples>
std::string files_of(const Samples& samples) {
  std::set<std::string> files;
  for (const auto& each : samples) files.insert(each.source);
  std::string text;
  for (const std::string& each : files)
    text += (text.empty() ? "" : ", ") + each.substr(each.rfind('/') + 1);
  return text;
}

void describe(Json& entry, const Residuals& residuals, const CoveredRanges& covered,
              const FitQuality& quality, const std::string& source) {
  entry["source"] = source;
  entry["fit"] = text_of(quality);
  entry["residuals"] = json_of(residuals);
  if (!covered.empty()) entry["covered"] = json_of(covered);
}

void write(Json& entry, const GemmCosts& costs) {
  Json tiles = Json::array();
  for (const GemmTile& tile : costs.tiles)
    tiles.push_back({{"m", tile.m}, {"n", tile.n}, {"efficiency", rounded(tile.efficiency)}});
  entry["tiles"] = tiles;
  entry["start"] = number_text(costs.start.value * 1e6) + " us";
  entry["k_half"] = rounded(costs.k_half);
  entry["wave_smoothing"] = rounded(costs.wave_smoothing);
  entry["memory_efficiency"] = rounded(costs.memory_efficiency);
  entry["sharpness"] = rounded(costs.sharpness);
}

void write(Json& entry, const AttentionCosts& costs) {
  entry["forward_efficiency"] = rounded(costs.forward_efficiency);
  entry["backward_efficiency"] = rounded(costs.backward_efficiency);
  entry["length_half"] = rounded(costs.length_half);
  entry["causal_length_half"] = rounded(costs.causal_length_half);
  entry["forward_waves_half"] = rounded(costs.forward_waves_half);
  entry["backward_waves_half"] = rounded(costs.backward_waves_half);
  entry["head_dim_reference"] = costs.head_dim_reference;
  entry["head_dim_exponent"] = rounded(costs.head_dim_exponent);
}

void write(Json& entry, const MemoryCosts& costs) {
  entry["start"] = number_text(costs.start.value * 1e6) + " us";
  entry["bandwidth"] = number_text(costs.bandwidth.value * 1e-9) + " GB/s";
  entry["cached"] = number_text(costs.cached.value * 1e-9) + " GB/s";
  for (const char* const old : {"rows_per_multiprocessor", "wave_start", "columns_exponent"})
    entry.erase(old);
  if (costs.rows_per_multiprocessor == 0) return;
  entry["rows_per_multiprocessor"] = costs.rows_per_multiprocessor;
  entry["wave_start"] = number_text(costs.wave_start.value * 1e6) + " us";
}

bool has_type(const Json& entry, DataType type) {
  for (const Json& each : entry.find("types")->elements())
    if (each.is_text(name_of(type))) return true;
  return false;
}

class Making {
 public:
  Making(Json json, const CostTable& table, const Measurements& measurements,
         const std::string& when)
      : json_(std::move(json)), table_(table), measured_(measurements), when_(when) {}

  FittedTable made() && {
    for (const DataType type : {DataType::bf16, DataType::fp16, DataType::fp8}) gemm(type);
    attention();
    for (const MemoryOperation operation :
         {MemoryOperation::norm, MemoryOperation::activation, MemoryOperation::elementwise})
      memory(operation);
    collectives();
    for (const char* const part : {"gemm", "attention", "memory", "communication"})
      if (!changed_.contains(part)) table_made_.kept.push_back(part);
    for (const char* const part : {"launch", "copy", "overlap"}) table_made_.kept.push_back(part);
    table_made_.text = json_.dump(2) + "\n";
    return std::move(table_made_);
  }

 private:
  template <class Samples>
  std::string source_of(const Samples& samples) const {
    return files_of(samples) + "; fitted " + when_ + " by quintet fit";
  }
  void say(const std::string& what, const std::string& error) {
    table_made_.lines.push_back({what, error});
  }
  template <class Fit, class Samples, class IsIt>
  void put(const char* part, const Fit& fit, const Samples& samples, IsIt is_it) {
    for (Json& entry : json_[part].elements()) {
      if (!is_it(entry)) continue;
      write(entry, fit.costs);
      describe(entry, fit.costs.residuals, fit.costs.covered, fit.quality, source_of(samples));
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
    put("gemm", *fit, samples, [type](const Json& entry) { return has_type(entry, type); });
    say(what, text_of(fit->quality));
  }
  void attention() {
    if (measured_.attentions.empty()) return;
    const auto fit = fit_attention(measured_.attentions, table_);
    if (!fit)
      return say("attention", "not fitted: fewer than 12 shapes of FlashAttention-2, -3 or cuDNN");
    put("attention", *fit, measured_.attentions,
        [](const Json& entry) { return has_type(entry, DataType::bf16); });
    say("attention", text_of(fit->quality));
  }
  void memory(MemoryOperation operation) {
    const auto fit = fit_memory(measured_.memories, operation, table_);
    if (!fit) return;
    const std::string name(name_of(operation));
    put("memory", *fit, measured_.memories,
        [&name](const Json& entry) { return entry.find("operation")->is_text(name); });
    say(name, text_of(fit->quality));
  }
  void collectives() {
    const SweepCurves made = sweep_curves(measured_.collectives);
    for (const SweepLine& line : made.lines) say(line.title, text_of(line.quality));
    if (!made.short_sweeps.empty())
      table_made_.left_out.push_back(std::to_string(made.short_sweeps.size()) +
                                     (made.short_sweeps.size() == 1 ? " sweep" : " sweeps") +
                                     " of fewer than 8 sizes: " + list_of(made.short_sweeps));
    if (made.curves.empty()) return;
    Json curves = Json::array();
    std::set<std::string> there;
    for (const FittedCurve& each : made.curves) {
      const Json entry = entry_of(each);
      there.insert(name_in(entry));
      curves.push_back(entry);
    }
    Json& communication = json_["communication"];
    if (const Json* const before = communication.find("curves"))
      for (const Json& old : before->elements())
        if (!there.contains(name_in(old))) curves.push_back(old);
    communication["curves"] = curves;
    changed_.insert("communication");
  }
  // What tells one curve of a table from another.
  static std::string name_in(const Json& curve) {
    Json name;
    for (const char* const key : {"collective", "ranks", "hosts", "algorithm", "protocol"})
      if (const Json* const part = curve.find(key))
        if (key != std::string("hosts") || part->dump() != "1") name[key] = *part;
    return name.dump();
  }
  Json entry_of(const FittedCurve& fitted) const {
    const CollectiveCurve& curve = fitted.curve;
    Json points = Json::array();
    for (const CurvePoint& point : curve.points)
      points.push_back({{"size", number_text(point.size.value, 9) + " B"},
                        {"time", number_text(point.time.value * 1e6, 6) + " us"}});
    Json entry{{"collective", file_word(curve.kind)}, {"ranks", curve.ranks}};
    if (curve.algorithm) entry["algorithm"] = file_word(*curve.algorithm);
    if (curve.protocol) entry["protocol"] = file_word(*curve.protocol);
    entry["points"] = points;
    describe(entry, curve.residuals, {}, fitted.quality,
             source_of(std::vector<CollectiveSample>{fitted.which}));
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
  if (rows.own == Measurements{})
    return Error{base_file + ": gpu", "none of the measurements is of \"" + table->gpu +
                                          "\"; they are of " + list_of(rows.other_gpus)};
  FittedTable made = Making(Json::parse(base), *table, rows.own, when).made();
  if (rows.others > 0)
    made.left_out.push_back(std::to_string(rows.others) +
                            " rows of other GPUs: " + list_of(rows.other_gpus));
  return made;
}

}  // namespace quintet::calibrate
