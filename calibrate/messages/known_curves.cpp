#include "calibrate/messages/known_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>

#include "sim/base/quantile.h"

namespace quintet::calibrate {
namespace {

double seen_error(const TimeCurve& curve) {
  const std::vector<LeftOutSample> left = curve.left_out();
  return left.empty() ? 1 : median_error(left);
}

}  // namespace

bool is_refusal(const TimingRecord& timing) {
  return timing.seconds.empty();
}

std::vector<KnownCurve> known_curves(const std::vector<CurveName>& names,
                                     const std::vector<TimingRecord>& timings,
                                     const std::string& at) {
  std::multimap<std::string, Seconds> times;
  for (const TimingRecord& each : timings)
    if (each.at == at && !is_refusal(each)) times.emplace(each.what, median_of(each.seconds));
  std::vector<KnownCurve> curves;
  for (const CurveName& name : names) {
    KnownCurve known{name, {}, false};
    for (const Bytes size : sizes_of(name)) {
      const auto [begin, end] = times.equal_range(timing_of(name, size));
      for (auto time = begin; time != end; ++time) known.curve.add(size, time->second);
    }
    known.curve.fit();
    curves.push_back(std::move(known));
  }
  return curves;
}

double held_out_error(const std::vector<KnownCurve>& curves) {
  std::vector<double> errors;
  for (const KnownCurve& known : curves)
    if (known.curve.samples() > 0) errors.push_back(seen_error(known.curve));
  return errors.empty() ? 1 : median_of(errors).value;
}

std::vector<PairProbe> pairs_among(int ranks, int all_up_to) {
  std::vector<PairProbe> pairs;
  for (int from = 0; from < ranks; ++from)
    for (int distance = 1; from + distance < ranks;
         distance = ranks <= all_up_to ? distance + 1 : distance * 2)
      pairs.push_back({from, from + distance, {}});
  return pairs;
}

Seconds median_of(const std::vector<double>& seconds) {
  assert(!seconds.empty());
  return {quintet::median(seconds)};
}

std::string quanta_words(int rank) {
  return fmt::format("equal pieces of work on rank {}", rank);
}

std::string overlap_words(ComputeClass compute, CommunicationClass communication) {
  return std::string("overlap of ") +
         (compute == ComputeClass::product ? "products" : "memory-bound work") + " and " +
         (communication == CommunicationClass::reducing ? "reducing" : "copying");
}

}  // namespace quintet::calibrate
