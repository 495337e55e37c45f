#include "sim/cost/gemm_time.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace quintet {
namespace {

double tiles_of(const GemmShape& shape, const GemmTile& tile) {
  const double rows = std::ceil(static_cast<double>(shape.m) / tile.m);
  const double columns = std::ceil(static_cast<double>(shape.n) / tile.n);
  return rows * columns * static_cast<double>(shape.batch);
}

double smoothed_waves(double waves, double smoothing) {
  return waves + (1 - smoothing) * (std::ceil(waves) - waves);
}

struct TiledTime {
  Seconds time;
  double tiles = 0;
};

TiledTime compute_time(const GemmShape& shape, const GemmTile& tile, const GemmCosts& costs,
                       int sms) {
  const double tiles = tiles_of(shape, tile);
  const double depth = static_cast<double>(shape.k) + costs.k_half;
  const Flops work{2.0 * tile.m * tile.n * depth};
  const FlopRate rate = costs.peak / sms * (tile.efficiency * costs.sustained);
  return {smoothed_waves(tiles / sms, costs.wave_smoothing) * (work / rate), tiles};
}

TiledTime fastest_tile(const GemmShape& shape, const GemmCosts& costs, int sms) {
  TiledTime best{Seconds{std::numeric_limits<double>::infinity()}};
  for (const GemmTile& tile : costs.tiles) {
    const TiledTime time = compute_time(shape, tile, costs, sms);
    if (time.time < best.time) best = time;
  }
  return best;
}

Bytes operand_bytes(const GemmShape& shape, DataType type) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  // One-byte operands still give results of two bytes (bf16).
  const Bytes result = std::max(size_of(type), Bytes{2});
  return ((m * k + k * n) * size_of(type) + m * n * result) * static_cast<double>(shape.batch);
}

}  // namespace

const GemmCosts* gemm_costs(DataType type, const CostTable& table) {
  const auto found = std::find_if(table.gemm.begin(), table.gemm.end(),
                                  [&](const GemmCosts& costs) { return costs.type == type; });
  return found == table.gemm.end() ? nullptr : &*found;
}

KernelUse gemm_use(const GemmShape& shape, const GemmCosts& costs, const CostTable& table) {
  assert(!costs.tiles.empty());
  const TiledTime compute = fastest_tile(shape, costs, table.sms);
  const Bandwidth reached = table.memory_bandwidth * costs.memory_efficiency;
  const Seconds memory = operand_bytes(shape, costs.type) / reached;
  // Scaled by the longer one: powers of seconds would underflow.
  const Seconds longer = std::max(compute.time, memory);
  const double shorter = std::min(compute.time, memory) / longer;
  const Seconds time =
      costs.start + longer * std::pow(1 + std::pow(shorter, costs.sharpness), 1 / costs.sharpness);
  return {time, compute.tiles, memory / time};
}

double layout_factor(Phase phase, const GemmCosts& costs) {
  switch (phase) {
    case Phase::input_gradient:
      return costs.input_gradient;
    case Phase::weight_gradient:
      return costs.weight_gradient;
    case Phase::backward:
      return (costs.input_gradient + costs.weight_gradient) / 2;
    case Phase::forward:
    case Phase::recompute:
    case Phase::update:
      return 1;
  }
  return 1;
}

}  // namespace quintet
