#include "sim/ccl/choice/tuner.h"

#include <algorithm>
#include <array>
#include <limits>

#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {

namespace {

constexpr std::array protocols{Protocol::ll, Protocol::ll128, Protocol::simple};

bool speaks(const NcclCost& cost, const TunerCell& cell) {
  if (cost.protocols == NcclCost::Protocols::simple_alone) return cell.protocol == Protocol::simple;
  return cell.protocol != Protocol::ll128 ||
         (cell.shape.ll128 && cell.shape.link == LocalLink::nvlink);
}

// What NCCL says of the cell's algorithm; null: it rules it out here, or does not have it.
const NcclCost* allowed(const TunerCell& cell) {
  const CollectiveAlgorithm& row = row_of(cell.algorithm);
  const bool has = row.nccl != nullptr && row.kinds.contains(cell.kind);
  return has && speaks(*row.nccl, cell) && row.nccl->possible(cell) ? row.nccl : nullptr;
}

TunerEntry entry_of(const NcclCost& cost, const TunerCell& cell) {
  const double latency = cell.of(cell.tables.base_latency) + cost.latency(cell);
  return {Seconds{latency * 1e-6}, Bandwidth{cost.bandwidth(cell) * 1e9}};
}

TunerChoice choice_of(const NcclCost& cost, const TunerCell& cell, Bytes size,
                      const CollectiveRule& rule) {
  const TunerEntry entry = entry_of(cost, cell);
  TunerChoice choice{.algorithm = cell.algorithm, .protocol = cell.protocol};
  choice.channels = rule.channels ? *rule.channels : cost.channels(cell, size);
  choice.latency = entry.latency;
  if (cost.latency_correction) choice.latency = entry.latency * cost.latency_correction(cell, size);
  choice.bandwidth = entry.bandwidth;
  if (cost.bandwidth_correction)
    choice.bandwidth = entry.bandwidth * cost.bandwidth_correction(cell, size);
  choice.time = choice.latency + size / choice.bandwidth;
  return choice;
}

bool narrowed_to(const CollectiveRule& rule, Algorithm algorithm, Protocol protocol) {
  return rule.algorithm.value_or(algorithm) == algorithm &&
         rule.protocol.value_or(protocol) == protocol;
}

// A single rank copies: NCCL prices it as nothing.
std::vector<TunerChoice> single_rank(CollectiveKind kind, const CollectiveRule& rule) {
  if (kind == CollectiveKind::all_to_all ||
      rule.algorithm.value_or(Algorithm::ring) != Algorithm::ring)
    return {};
  return {{.algorithm = Algorithm::ring,
           .protocol = rule.protocol.value_or(Protocol::simple),
           .channels = rule.channels.value_or(1),
           .bandwidth = {std::numeric_limits<double>::infinity()}}};
}

}  // namespace

std::optional<TunerEntry> tuner_entry(TunerVersion version, CollectiveKind kind,
                                      Algorithm algorithm, Protocol protocol,
                                      const CommunicatorShape& shape) {
  const TunerCell cell{tuner_tables(version), shape, kind, algorithm, protocol};
  const NcclCost* const cost = shape.ranks < 2 ? nullptr : allowed(cell);
  if (cost == nullptr) return std::nullopt;
  return entry_of(*cost, cell);
}

std::vector<TunerChoice> tuner_choices(TunerVersion version, CollectiveKind kind, Bytes size,
                                       const CommunicatorShape& shape, const CollectiveRule& rule) {
  if (shape.ranks < 2) return single_rank(kind, rule);
  std::vector<TunerChoice> choices;
  for (const Algorithm algorithm : all_algorithms) {
    for (const Protocol protocol : protocols) {
      const TunerCell cell{tuner_tables(version), shape, kind, algorithm, protocol};
      if (!narrowed_to(rule, algorithm, protocol)) continue;
      if (const NcclCost* const cost = allowed(cell))
        choices.push_back(choice_of(*cost, cell, size, rule));
    }
  }
  return choices;
}

std::optional<TunerChoice> choose(TunerVersion version, CollectiveKind kind, Bytes size,
                                  const CommunicatorShape& shape, const CollectiveRule& rule) {
  const std::vector<TunerChoice> choices = tuner_choices(version, kind, size, shape, rule);
  const auto best =
      std::min_element(choices.begin(), choices.end(),
                       [](const TunerChoice& a, const TunerChoice& b) { return a.time < b.time; });
  if (best == choices.end()) return std::nullopt;
  return *best;
}

}  // namespace quintet
