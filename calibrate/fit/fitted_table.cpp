#include "calibrate/fit/fitted_table.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "calibrate/fit/kernel_fits.h"
#include "calibrate/fit/sweep_fit.h"
#include "calibrate/fit/swept_words.h"
#include "sim/cost/cost_table_file.h"
#include "sim/cost/memory_time.h"
#include "sim/json_fields.h"

namespace quintet::calibrate {
namespace {

using Json = nlohmann::ordered_json;
// Below, the launch decides, which the table has elsewhere.
constexpr Bytes least_of_curve{8192};

std::set<std::string> words_of(const std::string& name) {
  std::set<std::string> words;
  std::string word;
  for (const char letter : name + " ") {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      word += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
      continue;
    }
    if (!word.empty() && word != "NVIDIA") words.insert(word);
    word.clear();
  }
  return words;
}

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
  for (const Json& each : entry["types"])
    if (each == name_of(type)) return true;
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
    table_made_.text = json_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
    for (Json& entry : json_[part]) {
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
        [&name](const Json& entry) { return entry["operation"] == name; });
    say(name, text_of(fit->quality));
  }
  void collectives() {
    Json curves = Json::array();
    std::set<std::pair<std::string, int>> there;
    for (const Sweep& sweep : sweeps(measured_.collectives)) {
      const SweepFit whole = fit_sweep(sweep.points);
      say(title_of(sweep) + ": " + ends_text(whole), text_of(whole.quality));
      const bool in_host = sweep.which.hosts == 1 && sweep.which.kind != Swept::send_receive;
      if (!in_host || there.contains({std::string(name_of(sweep.which.kind)), sweep.which.ranks}))
        continue;
      const auto curve = curve_of(sweep);
      if (!curve) continue;
      curves.push_back(*curve);
      there.emplace(name_of(sweep.which.kind), sweep.which.ranks);
    }
    if (curves.empty()) return;
    for (const Json& old : json_["communication"].value("curves", Json::array()))
      if (!there.contains({old["collective"].get<std::string>(), old["ranks"].get<int>()}))
        curves.push_back(old);
    json_["communication"]["curves"] = curves;
    changed_.insert("communication");
  }
  std::optional<Json> curve_of(const Sweep& sweep) const {
    std::vector<CurvePoint> large;
    for (const CurvePoint& point : sweep.points)
      if (point.size >= least_of_curve) large.push_back(point);
    if (large.size() < 4) return std::nullopt;
    const SweepFit fit = fit_sweep(large);
    Json points = Json::array();
    for (const CurvePoint& point : fit.points)
      points.push_back({{"size", number_text(point.size.value, 9) + " B"},
                        {"time", number_text(point.time.value * 1e6, 6) + " us"}});
    Json curve{{"collective", name_of(sweep.which.kind)},
               {"ranks", sweep.which.ranks},
               {"points", points}};
    describe(curve, fit.quality.residuals, {}, fit.quality,
             source_of(std::vector<CollectiveSample>{sweep.which}));
    return curve;
  }
  static std::string title_of(const Sweep& sweep) {
    const CollectiveSample& which = sweep.which;
    std::string title = std::string(name_of(which.kind)) + ", " + std::to_string(which.ranks) +
                        " ranks, " + std::to_string(which.hosts) +
                        (which.hosts == 1 ? " host" : " hosts");
    for (const std::string* const more : {&which.system, &which.algorithm, &which.protocol})
      if (!more->empty()) title += ", " + *more;
    return title;
  }

  Json json_;
  const CostTable& table_;
  const Measurements& measured_;
  const std::string& when_;
  std::set<std::string> changed_;
  FittedTable table_made_;
};

template <class Sample>
void keep_own(std::vector<Sample>& samples, const std::string& gpu, std::set<std::string>& others) {
  std::erase_if(samples, [&](const Sample& each) {
    if (is_same_gpu(each.gpu, gpu)) return false;
    others.insert(each.gpu);
    return true;
  });
}

std::string list_of(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each.substr(0, 40);
  return text.substr(0, 400);
}

}  // namespace

bool is_same_gpu(const std::string& row, const std::string& table) {
  const std::set<std::string> known = words_of(table);
  const std::set<std::string> words = words_of(row);
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    // How nccl-tests and the driver call memory, not the card.
    return known.contains(word) || word.starts_with("HBM");
  });
}

Result<FittedTable> fitted_table(const std::string& base, const std::string& base_file,
                                 const Measurements& measurements, const std::string& when) {
  const Result<CostTable> table = parse_cost_table(base, base_file);
  if (!table) return table.error();
  Measurements own = measurements;
  std::set<std::string> others;
  keep_own(own.collectives, table->gpu, others);
  keep_own(own.gemms, table->gpu, others);
  keep_own(own.attentions, table->gpu, others);
  keep_own(own.memories, table->gpu, others);
  if (own == Measurements{})
    return Error{base_file + ": gpu", "none of the measurements is of \"" + table->gpu +
                                          "\"; they are of " + list_of(others)};
  return Making(Json::parse(base), *table, own, when).made();
}

}  // namespace quintet::calibrate
