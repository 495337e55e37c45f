#include "sim/jobs/circle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "sim/base/digest.h"

namespace quintet {

namespace {

int bins_of_step(const Circle& circle, std::size_t job) {
  return circle.bins / circle.jobs[job].turns;
}

// Adds one job's pattern on a spot, turned, to what all want there.
void add(const Circle& circle, std::size_t job, std::size_t spot, int rotation, double sign,
         std::vector<double>& wanted) {
  const LinkPattern& pattern = circle.jobs[job].of_spots[spot];
  if (pattern.empty()) return;
  const int step = bins_of_step(circle, job);
  for (int bin = 0; bin < circle.bins; ++bin)
    wanted[static_cast<std::size_t>(bin)] +=
        sign * pattern[static_cast<std::size_t>((bin + step - rotation % step) % step)];
}

double beyond(const std::vector<double>& wanted) {
  double sum = 0;
  for (const double share : wanted) sum += std::max(0.0, share - 1.0);
  return sum;
}

class Rotating {
 public:
  Rotating(const Circle& circle, std::vector<int> rotations)
      : circle_(circle),
        rotations_(std::move(rotations)),
        wanted_(circle.spot_weights.size(),
                std::vector<double>(static_cast<std::size_t>(circle.bins))) {
    for (std::size_t job = 0; job < circle.jobs.size(); ++job) turn(job, +1);
  }

  // Until no job has a better rotation while the others stay.
  Rotation settled() {
    constexpr int most_rounds = 8;
    double before = total();
    for (int round = 0; round < most_rounds; ++round) {
      for (std::size_t job = 0; job < circle_.jobs.size(); ++job) improve(job);
      const double now = total();
      if (!(now < before)) break;
      before = now;
    }
    return {rotations_, total()};
  }

  double total() const {
    double sum = 0;
    for (std::size_t spot = 0; spot < wanted_.size(); ++spot)
      sum += circle_.spot_weights[spot] * beyond(wanted_[spot]);
    return sum;
  }

 private:
  void turn(std::size_t job, double sign) {
    for (std::size_t spot = 0; spot < wanted_.size(); ++spot)
      add(circle_, job, spot, rotations_[job], sign, wanted_[spot]);
  }

  void improve(std::size_t job) {
    turn(job, -1);
    int best = rotations_[job];
    double least = with(job, best);
    for (int rotation = 0; rotation < bins_of_step(circle_, job); ++rotation)
      if (const double found = with(job, rotation); found < least - 1e-9) {
        least = found;
        best = rotation;
      }
    rotations_[job] = best;
    turn(job, +1);
  }

  double with(std::size_t job, int rotation) const {
    double sum = 0;
    std::vector<double> wanted;
    for (std::size_t spot = 0; spot < wanted_.size(); ++spot) {
      if (circle_.jobs[job].of_spots[spot].empty()) continue;
      wanted = wanted_[spot];
      add(circle_, job, spot, rotation, +1, wanted);
      sum += circle_.spot_weights[spot] * beyond(wanted);
    }
    return sum;
  }

  const Circle& circle_;
  std::vector<int> rotations_;
  std::vector<std::vector<double>> wanted_;  // per spot and bin
};

}  // namespace

double excess(const Circle& circle, const std::vector<int>& rotations) {
  return Rotating(circle, rotations).total();
}

Rotation best_rotation(const Circle& circle, std::uint64_t seed, int tries) {
  std::vector<int> beginning(circle.jobs.size(), 0);
  Rotation best = Rotating(circle, beginning).settled();
  std::uint64_t state = spread_bits(seed);
  for (int attempt = 0; attempt < tries && best.excess > 0; ++attempt) {
    for (std::size_t job = 1; job < beginning.size(); ++job) {
      state = spread_bits(state);
      beginning[job] =
          static_cast<int>(state % static_cast<std::uint64_t>(bins_of_step(circle, job)));
    }
    Rotation found = Rotating(circle, beginning).settled();
    if (found.excess < best.excess - 1e-9) best = std::move(found);
  }
  return best;
}

CommonCircle common_circle(const std::vector<Seconds>& steps, int most_turns) {
  const Seconds longest = *std::max_element(steps.begin(), steps.end());
  CommonCircle best{{}, {}, std::numeric_limits<double>::infinity()};
  for (int of_longest = 1; of_longest <= most_turns; ++of_longest) {
    CommonCircle circle;
    for (const Seconds step : steps) {
      // A hair more of the circle than there is does not cost a turn.
      const double fit = std::floor(of_longest * (longest / step) * (1 + 1e-3));
      circle.turns.push_back(static_cast<int>(std::min<double>(fit, most_turns)));
    }
    for (std::size_t job = 0; job < steps.size(); ++job)
      circle.length = std::max(circle.length, circle.turns[job] * steps[job]);
    for (std::size_t job = 0; job < steps.size(); ++job)
      circle.drawn_out =
          std::max(circle.drawn_out, circle.length / (circle.turns[job] * steps[job]) - 1.0);
    if (circle.drawn_out < best.drawn_out - 1e-3) best = std::move(circle);
  }
  return best;
}

namespace {

// Per load of the job's traffic: bytes in each bin of its step.
std::vector<LinkPattern> bytes_in_bins(const AloneJob& job, Seconds bin, int bins) {
  std::vector<LinkPattern> all(job.traffic.loads, LinkPattern(static_cast<std::size_t>(bins)));
  for (const LinkTraffic::Moved& moved : job.traffic.moved) {
    const double from = seconds(moved.moving) / bin, to = seconds(moved.end) / bin;
    for (int at = static_cast<int>(from); at < bins && at < to; ++at) {
      const double inside = std::min(to, at + 1.0) - std::max(from, static_cast<double>(at));
      const double share = to > from ? inside / (to - from) : 1.0;
      for (const LinkTraffic::Use& use :
           job.traffic.kinds[static_cast<std::size_t>(moved.kind)].uses)
        all[static_cast<std::size_t>(use.load)][static_cast<std::size_t>(at)] +=
            share * moved.bytes * use.per_byte;
    }
  }
  return all;
}

}  // namespace

Circle circle_of(const std::vector<AloneJob>& jobs, const CommonCircle& common, int bins_of_turn) {
  Circle circle;
  int turns = 1;
  for (const int each : common.turns) turns = std::lcm(turns, each);
  circle.bins = turns * std::max(1, bins_of_turn / turns);
  std::vector<std::vector<LinkPattern>> bytes;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    circle.jobs.push_back({common.turns[job], {}});
    const int bins = circle.bins / common.turns[job];
    bytes.push_back(bytes_in_bins(jobs[job], common.length / circle.bins, bins));
  }
  std::map<std::vector<std::int32_t>, std::size_t> spots;  // by the jobs' loads and the capacity
  for (std::size_t link = 0; link < jobs.front().load_of_link.size(); ++link) {
    std::vector<std::int32_t> loads;
    for (const AloneJob& job : jobs) loads.push_back(job.load_of_link[link]);
    if (std::count_if(loads.begin(), loads.end(), [](auto load) { return load >= 0; }) < 2)
      continue;
    const auto [found, fresh] = spots.emplace(loads, circle.spot_weights.size());
    if (!fresh) {
      ++circle.spot_weights[found->second];
      continue;
    }
    circle.spot_weights.push_back(1);
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      LinkPattern pattern;
      if (loads[job] >= 0) pattern = bytes[job][static_cast<std::size_t>(loads[job])];
      const double whole =
          jobs[job].capacities[link] * (common.length / static_cast<double>(circle.bins)).value;
      for (double& share : pattern) share /= whole;
      circle.jobs[job].of_spots.push_back(std::move(pattern));
    }
  }
  return circle;
}

}  // namespace quintet
