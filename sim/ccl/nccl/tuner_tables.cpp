#include "sim/ccl/nccl/tuner_tables.h"

#include <cassert>
#include <cstddef>

namespace quintet {
namespace {

constexpr TunerTables nccl_2_30{
    .base_latency = {{{6.8, 14.0, 8.4},    // tree
                      {6.6, 14.0, 8.4},    // ring
                      {0, 0, 0},           // collnet direct
                      {0, 0, 0},           // collnet chain
                      {0, 0, 0},           // nvls
                      {0, 0, 0},           // nvls tree
                      {8.0, 8.0, 8.0}}},   // pat
    .nvlink_latency = {{{0.6, 1.25, 4.0},  // same order
                        {0.6, 1.9, 3.4},
                        {0, 0, 3.7},
                        {0, 0, 2.8},
                        {0, 0, 25},
                        {0, 0, 25},
                        {0, 0, 4.0}}},
    .pcie_latency = {{{1.0, 1.9, 4.0},
                      {1.0, 2.5, 5.7},
                      {0, 0, 3.7},
                      {0, 0, 2.8},
                      {0, 0, 0},
                      {0, 0, 0},
                      {0, 0, 4.0}}},
    .network_latency = {{{5.0, 8.5, 14},
                         {2.7, 4.0, 14.0},
                         {0, 0, 31},
                         {0, 0, 30},
                         {0, 0, 18},
                         {0, 0, 20.9},
                         {0, 0, 14}}},
    .ll_total = {{{39.0, 39.0, 20.4},  // volta, ampere, hopper, blackwell
                  {87.7, 22.5, 19.0},
                  {141.0, 45.0, 35.0},
                  {282.0, 90.0, 70.0}}},
    .ring_ll128 =
        {{{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {40.0, 40.0, 40.0}}},
    .tree_ll128 =
        {{{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}}},
    .tree = {{{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}},
    .nvls_tree = {{{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {0.0, 57.7, 45.5}, {0.0, 96.0, 80.0}}},
    .nvls_efficiency = {0.0, 0.0, 0.85, 0.74},
    .tree_correction =
        {{{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
          {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
          {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
           .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}},
    .tree_corrections = 23,
    .nvls_tree_corrections = 24,
};

// 2.28.9 differs in the Blackwell rows of two caps, and corrects the tree alone.
constexpr TunerTables make_nccl_2_28() {
  TunerTables tables = nccl_2_30;
  const auto blackwell = static_cast<std::size_t>(GpuGeneration::blackwell);
  tables.ring_ll128[blackwell] = {73.4, 34.6, 73.4};
  tables.nvls_tree[blackwell] = {0.0, 96.0, 43.8};
  tables.nvls_tree_corrections = 0;
  return tables;
}
constexpr TunerTables nccl_2_28 = make_nccl_2_28();

Seconds of_ring(const LatencyTable& microseconds) {
  return Seconds{1e-6 * microseconds[static_cast<std::size_t>(Algorithm::ring)]
                                    [static_cast<std::size_t>(Protocol::simple)]};
}

}  // namespace

const TunerTables& tuner_tables(TunerVersion version) {
  switch (version) {
    case TunerVersion::nccl_2_28:
      return nccl_2_28;
    case TunerVersion::nccl_2_30:
      return nccl_2_30;
  }
  assert(false);
  return nccl_2_30;
}

Seconds step_latency(TunerVersion version, Reach reach) {
  const TunerTables& tables = tuner_tables(version);
  switch (reach) {
    case Reach::inside_host:
      return of_ring(tables.nvlink_latency);
    case Reach::between_hosts:
      return of_ring(tables.network_latency);
  }
  return {};
}

Seconds message_latency(TunerVersion version, Reach reach) {
  return of_ring(tuner_tables(version).base_latency) + step_latency(version, reach);
}

Seconds beyond_usual(Seconds latency, double factor) {
  constexpr Seconds usual_path{5e-6};
  const Seconds usual = usual_path * factor;
  return latency > usual ? latency - usual : Seconds{};
}

}  // namespace quintet
