// Ranks whose messages take a known time, with noise: latency for each step and bytes at a rate.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "calibrate/messages/message_curves.h"
#include "calibrate/ranks/engine_ranks.h"

namespace quintet::calibrate {

class MadeUpRanks final : public TimedRanks {
 public:
  MadeUpRanks(std::vector<RankSeat> seats, double noise)
      : seats_(std::move(seats)), noise_(0, noise) {}

  Seconds latency{20e-6};
  Bandwidth rate{1e9};
  std::map<Members, double> slower;  // times what messages of these two take
  Error wrong{"", ""};               // answered once `left` timings were
  int left = 1 << 30;
  double noise_of_small = 1;  // times as much up to 64 KiB
  // What these ranks do not do.
  std::function<bool(const CollectiveProbe&)> refuse = [](const CollectiveProbe&) { return false; };
  int asked = 0;
  Seconds took;

  // A ring of n: 2 (n-1) steps for an all-reduce, half of them for its halves, as many for others.
  Seconds truth(const Method& method, const Members& members, Bytes size) const {
    const double neighbours = members.count - 1;
    const double passes = method.kind == CollectiveKind::all_reduce ? 2 : 1;
    const double algorithm = method.algorithm == Algorithm::ring ? 1 : 1.5;
    return passes * algorithm * (neighbours * latency + size * (neighbours / members.count) / rate);
  }
  Seconds truth(const PairProbe& pair) const {
    const auto found = slower.find({pair.from, pair.to - pair.from, 2});
    return (latency + pair.size / rate) * (found == slower.end() ? 1.0 : found->second);
  }

  const std::vector<RankSeat>& seats() const override { return seats_; }
  std::vector<Method> methods() const override { return methods_on_processors(); }
  Result<std::optional<Seconds>> time(const CollectiveProbe& probe, int calls) override {
    if (refuse(probe)) return std::optional<Seconds>();
    const Result<Seconds> time =
        timed(truth(probe.method, probe.members, probe.size), calls, probe.size);
    if (!time) return time.error();
    return std::optional(*time);
  }
  Result<Seconds> time(const PairProbe& probe, int calls) override {
    return timed(truth(probe), 2 * calls, probe.size);
  }
  // Rank 2 is a third slower than the others.
  Result<std::vector<std::vector<double>>> quanta(int count) override {
    std::vector<std::vector<double>> all;
    for (std::size_t rank = 0; rank < seats_.size(); ++rank)
      for (all.emplace_back(); static_cast<int>(all.back().size()) < count;)
        all.back().push_back(1e-3 * (rank == 2 ? 4.0 / 3 : 1.0) * std::exp(noise_(random_)));
    return all;
  }
  Result<OverlapSample> overlap(const OverlapProbe&) override {
    return OverlapSample{1000, 800, Seconds{0.5}, Seconds{0.75}};
  }
  Result<ClockReadings> clocks() override {
    ClockReadings readings{std::vector<Seconds>(seats_.size()), Seconds{3e-6}};
    readings.offsets.back() = Seconds{-2.0};
    return readings;
  }

 private:
  Result<Seconds> timed(Seconds time, int calls, Bytes size) {
    ++asked;
    if (left-- <= 0) return wrong;
    took += time * static_cast<double>(calls);
    return time * std::exp(noise_(random_) * (size <= residual_split ? noise_of_small : 1.0));
  }

  std::vector<RankSeat> seats_;
  std::mt19937 random_{7};
  std::normal_distribution<double> noise_;
};

}  // namespace quintet::calibrate
