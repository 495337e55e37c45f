#include "calibrate/fit/kernel_fits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "calibrate/fit/least_squares.h"
#include "sim/base/quantile.h"
#include "sim/cost/attention_time.h"
#include "sim/cost/gemm_time.h"
#include "sim/cost/memory_time.h"

namespace quintet::calibrate {
namespace {

using Values = std::vector<double>;
constexpr std::size_t fewest_shapes = 12;
constexpr int more_starts = 1;

double sigmoid(double value) {
  return 1 / (1 + std::exp(-value));
}

std::int64_t whole(double value) {
  return static_cast<std::int64_t>(std::llround(value));
}

// Any formula: parameters make a time of each shape, by its index.
using Formula = std::function<Predictor(const Values& parameters)>;

struct Fitted {
  Values parameters;
  FitQuality quality;
};

Predictor fitted_to(const std::vector<std::size_t>& kept, const Formula& formula,
                    const Values& real, const Values& start, Values& parameters) {
  const ResidualsOf residuals = [&](const Values& tried) {
    const Predictor time = formula(tried);
    Values all;
    for (const std::size_t shape : kept) all.push_back(std::log(time(shape) / real[shape]));
    return all;
  };
  parameters = least_squares_from_several(residuals, start, more_starts).parameters;
  return formula(parameters);
}

Fitted fit_formula(const Formula& formula, const Values& real, const Values& start) {
  std::vector<std::size_t> all(real.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  Fitted fitted;
  const Predictor time = fitted_to(all, formula, real, start, fitted.parameters);
  const Values held = held_out(real.size(), [&](const std::vector<std::size_t>& kept) {
    Values parameters;
    return fitted_to(kept, formula, real, start, parameters);
  });
  Values inside;
  for (const std::size_t shape : all) inside.push_back(time(shape));
  fitted.quality = quality(real, inside, held);
  return fitted;
}

// Shapes in order with the median of each one's times.
template <class Key>
struct Shapes {
  std::vector<Key> keys;
  Values times;
};
template <class Key>
Shapes<Key> medians(const std::map<Key, Values>& by_shape) {
  Shapes<Key> shapes;
  for (const auto& [key, times] : by_shape) {
    shapes.keys.push_back(key);
    shapes.times.push_back(quantile(times, 0.5));
  }
  return shapes;
}

template <class Keys, class Value>
Covered covered(const std::string& of, const Keys& keys, Value value) {
  Covered range{of, std::numeric_limits<double>::infinity(), 0};
  for (const auto& key : keys) {
    range.least = std::min(range.least, static_cast<double>(value(key)));
    range.most = std::max(range.most, static_cast<double>(value(key)));
  }
  return range;
}

GemmCosts gemm_costs_from(const Values& parameters, GemmCosts costs) {
  costs.start = {std::exp(parameters[0]) * 1e-6};
  costs.memory_efficiency = sigmoid(parameters[1]);
  costs.wave_smoothing = sigmoid(parameters[2]);
  costs.k_half = std::exp(parameters[3]);
  costs.sharpness = std::min(100.0, 1 + std::exp(parameters[4]));
  for (std::size_t i = 0; i < costs.tiles.size(); ++i)
    costs.tiles[i].efficiency = sigmoid(parameters[5 + i]);
  costs.sustained = 1;
  return costs;
}

AttentionCosts attention_costs_from(const Values& parameters, AttentionCosts costs) {
  costs.forward_efficiency = sigmoid(parameters[0]);
  costs.backward_efficiency = sigmoid(parameters[1]);
  costs.length_half = std::exp(parameters[2]);
  costs.causal_length_half = std::exp(parameters[3]);
  costs.forward_waves_half = std::exp(parameters[4]);
  costs.backward_waves_half = std::exp(parameters[5]);
  costs.head_dim_exponent = std::min(2.0, std::exp(parameters[6]));
  costs.head_dim_reference = 128;
  return costs;
}

MemoryCosts memory_costs_from(const Values& parameters, MemoryCosts costs) {
  constexpr int rows_per_multiprocessor = 2;  // 1024 threads a row, of the 2048 an SM holds
  costs.start = {std::exp(parameters[0]) * 1e-6};
  costs.bandwidth = {std::exp(parameters[1]) * 1e12};
  costs.cached = {std::exp(parameters[2]) * 1e12};
  costs.rows_per_multiprocessor = 0;
  costs.wave_start = {};
  costs.columns_exponent = 0;
  if (parameters.size() > 3) {
    costs.rows_per_multiprocessor = rows_per_multiprocessor;
    costs.wave_start = {std::exp(parameters[3]) * 1e-6};
  }
  return costs;
}

// Pass, causal, sequences, heads, length, head size, kernel: two libraries are two rows.
using AttentionKey = std::tuple<AttentionPass, bool, double, double, double, double, std::string>;

Seconds attention_time(const AttentionKey& key, DataType type, const CostTable& table) {
  const auto& [pass, causal, sequences, heads, length, head_dim, kernel] = key;
  AttentionShape shape;
  shape.sequences = whole(sequences);
  shape.heads = shape.kv_heads = whole(heads);
  shape.query_length = shape.key_length = whole(length);
  shape.head_dim = whole(head_dim);
  shape.mask = causal ? MaskKind::causal : MaskKind::bidirectional;
  shape.kernel = AttentionKernel::flash;
  Seconds time;
  if (pass != AttentionPass::backward)
    time += attention_use(shape, type, Phase::forward, table).time;
  if (pass != AttentionPass::forward)
    time += attention_use(shape, type, Phase::backward, table).time;
  return time;
}

bool is_newest_flash(const std::string& kernel, bool third) {
  if (third) return kernel == "FlashAttention-3" || kernel == "cuDNN";
  return kernel == "FlashAttention-2";
}

bool is_of(const std::string& word, MemoryOperation operation) {
  return (word == "input_layernorm" && operation == MemoryOperation::norm) ||
         (word == "mlp_act" && operation == MemoryOperation::activation) ||
         (word == "add" && operation == MemoryOperation::elementwise);
}

}  // namespace

std::optional<KernelFit<GemmCosts>> fit_gemm(const std::vector<GemmSample>& samples, DataType type,
                                             const CostTable& table) {
  const GemmCosts* const base = gemm_costs(type, table);
  std::map<std::array<double, 3>, Values> by_shape;
  for (const GemmSample& each : samples)
    if (each.type == type) by_shape[{each.m, each.n, each.k}].push_back(each.time.value);
  if (base == nullptr || by_shape.size() < fewest_shapes) return std::nullopt;
  const auto shapes = medians(by_shape);
  const Formula formula = [&](const Values& parameters) -> Predictor {
    return [&, costs = gemm_costs_from(parameters, *base)](std::size_t shape) {
      const auto [m, n, k] = shapes.keys[shape];
      GemmShape product;
      product.m = whole(m);
      product.n = whole(n);
      product.k = whole(k);
      return gemm_use(product, costs, table).time.value;
    };
  };
  Values start{std::log(4.0), 1.5, 0, std::log(60.0), 1};
  start.resize(5 + base->tiles.size(), 1.0);
  const Fitted fitted = fit_formula(formula, shapes.times, start);
  KernelFit<GemmCosts> fit{gemm_costs_from(fitted.parameters, *base), fitted.quality};
  fit.costs.sustained = base->sustained;
  fit.costs.residuals = fit.quality.residuals;
  fit.costs.covered.clear();
  const char* const names[] = {"m", "n", "k"};
  for (std::size_t i = 0; i < 3; ++i)
    fit.costs.covered.push_back(
        covered(names[i], shapes.keys, [i](const auto& shape) { return shape[i]; }));
  return fit;
}

std::optional<KernelFit<AttentionCosts>> fit_attention(const std::vector<AttentionSample>& samples,
                                                       const CostTable& table) {
  constexpr DataType type = DataType::bf16;
  const AttentionCosts* const base = attention_costs(type, table);
  const bool third = std::any_of(samples.begin(), samples.end(), [](const auto& each) {
    return is_newest_flash(each.kernel, true);
  });
  std::map<AttentionKey, Values> by_shape;
  for (const AttentionSample& each : samples)
    if (is_newest_flash(each.kernel, third) &&
        (each.type == DataType::bf16 || each.type == DataType::fp16))
      by_shape[{each.pass, each.causal, each.sequences, each.heads, each.length, each.head_dim,
                each.kernel}]
          .push_back(each.time.value);
  if (base == nullptr || by_shape.size() < fewest_shapes) return std::nullopt;
  const auto shapes = medians(by_shape);
  CostTable card;
  card.sms = table.sms;
  card.gemm = table.gemm;
  for (GemmCosts& gemm : card.gemm) gemm.sustained = 1;  // kernels are measured in bursts
  const Formula formula = [&](const Values& parameters) -> Predictor {
    CostTable trial = card;
    trial.attention = {attention_costs_from(parameters, *base)};
    return [&shapes, trial = std::move(trial)](std::size_t shape) {
      return attention_time(shapes.keys[shape], type, trial).value;
    };
  };
  const Fitted fitted = fit_formula(formula, shapes.times, {0.5, 0.3, 5, 6, -1, -1, -1.5});
  KernelFit<AttentionCosts> fit{attention_costs_from(fitted.parameters, *base), fitted.quality};
  fit.costs.residuals = fit.quality.residuals;
  fit.costs.covered = {
      covered("length", shapes.keys, [](const auto& key) { return std::get<4>(key); }),
      covered("heads", shapes.keys, [](const auto& key) { return std::get<3>(key); }),
      covered("head_dim", shapes.keys, [](const auto& key) { return std::get<5>(key); })};
  return fit;
}

std::optional<KernelFit<MemoryCosts>> fit_memory(const std::vector<MemorySample>& samples,
                                                 MemoryOperation operation,
                                                 const CostTable& table) {
  const MemoryCosts* const base = memory_costs(operation, table);
  std::map<std::array<double, 3>, Values> by_shape;  // rows, columns, bytes per element
  for (const MemorySample& each : samples)
    if (is_of(each.operation, operation) && !each.backward)
      by_shape[{each.rows, each.columns, each.tensors * size_of(each.type).value}].push_back(
          each.time.value);
  if (base == nullptr || by_shape.size() < fewest_shapes) return std::nullopt;
  const auto shapes = medians(by_shape);
  const Formula formula = [&](const Values& parameters) -> Predictor {
    CostTable trial;
    trial.sms = table.sms;
    trial.cache = table.cache;
    trial.memory = {memory_costs_from(parameters, *base)};
    return [&shapes, operation, trial = std::move(trial)](std::size_t shape) {
      const auto [rows, columns, bytes] = shapes.keys[shape];
      MemoryShape moved;
      moved.rows = whole(rows);
      moved.columns = whole(columns);
      moved.read = Bytes{rows * columns * bytes};
      return memory_use(moved, 1, Phase::forward, operation, trial).time.value;
    };
  };
  Values start{1, 0.3, 0.5};
  if (operation == MemoryOperation::norm) start.push_back(-0.5);
  const Fitted fitted = fit_formula(formula, shapes.times, start);
  KernelFit<MemoryCosts> fit{memory_costs_from(fitted.parameters, *base), fitted.quality};
  fit.costs.residuals = fit.quality.residuals;
  fit.costs.covered = {covered("rows", shapes.keys, [](const auto& key) { return key[0]; }),
                       covered("columns", shapes.keys, [](const auto& key) { return key[1]; })};
  return fit;
}

}  // namespace quintet::calibrate
