#include "calibrate/messages/message_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sim/base/quantity_text.h"

namespace quintet::calibrate {
namespace {

constexpr double smallest = 256;

std::string members_text(const Members& members) {
  return fmt::format("ranks {}+{}x{}", members.first, members.stride, members.count);
}

// As many ranks on every host, numbered host by host; nothing where they are not.
std::optional<int> ranks_per_host(const std::vector<RankSeat>& seats) {
  int hosts = 0;
  for (const RankSeat& seat : seats) hosts = std::max(hosts, seat.host + 1);
  const int ranks = static_cast<int>(seats.size());
  if (ranks % hosts != 0) return std::nullopt;
  const int each = ranks / hosts;
  for (int rank = 0; rank < ranks; ++rank)
    if (seats[static_cast<std::size_t>(rank)].host != rank / each) return std::nullopt;
  return each;
}

std::vector<Members> groups_of(const std::vector<RankSeat>& seats) {
  const int ranks = static_cast<int>(seats.size());
  std::vector<Members> groups{{0, 1, ranks}};
  const std::optional<int> each = ranks_per_host(seats);
  if (!each) return groups;
  const auto add = [&](const Members& group) {
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  };
  for (int count = *each; count >= 2; count /= 2) add({0, 1, count});
  for (int count = ranks / *each; count >= 2; count /= 2) add({0, *each, count});
  return groups;
}

// A hierarchy of one level is a ring.
bool fits(const Method& method, const Members& group, const std::vector<RankSeat>& seats) {
  if (method.algorithm != Algorithm::hierarchical) return true;
  std::set<int> hosts;
  for (int place = 0; place < group.count; ++place)
    hosts.insert(seats[static_cast<std::size_t>(group.first + place * group.stride)].host);
  const int number = static_cast<int>(hosts.size());
  return number > 1 && number < group.count;
}

// The first neighbours in one host, and on two.
std::vector<CurveName> messages_among(const std::vector<RankSeat>& seats, Bytes largest) {
  std::vector<CurveName> names;
  for (const bool across : {false, true})
    for (std::size_t to = 1; to < seats.size(); ++to)
      if ((seats[to].host != seats[0].host) == across) {
        names.push_back({{}, {0, static_cast<int>(to), 2}, true, largest});
        break;
      }
  return names;
}

}  // namespace

std::string text_of(const CurveName& name) {
  std::string text = "message";
  if (name.method) {
    text = std::string(name_of(name.method->kind)) + " by " +
           (name.method->algorithm ? std::string(name_of(*name.method->algorithm)) : "choice");
    if (name.method->protocol) text += " " + std::string(name_of(*name.method->protocol));
  }
  return text + ", " + members_text(name.members);
}

std::string timing_of(const CurveName& name, Bytes size) {
  return fmt::format("{}, {} B", text_of(name), std::llround(size.value));
}

std::string timing_of(const PairProbe& pair) {
  return timing_of(CurveName{{}, {pair.from, pair.to - pair.from, 2}, true}, pair.size);
}

std::vector<CurveName> curves_to_measure(const std::vector<RankSeat>& seats,
                                         const std::vector<Method>& methods, Bytes largest) {
  if (seats.size() < 2) return {};
  const std::vector<Members> groups = groups_of(seats);
  std::vector<CurveName> names = messages_among(seats, largest), others;
  std::set<CollectiveKind> seen;
  for (const Method& method : methods) {
    const bool usual = seen.insert(method.kind).second;
    for (const Members& group : groups)
      if (fits(method, group, seats))
        (usual ? names : others).push_back({method, group, usual, largest});
  }
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::vector<Bytes> sizes_of(const CurveName& name) {
  const double grain = 4.0 * name.members.count;
  std::vector<Bytes> sizes;
  for (double size = smallest; size <= name.largest.value * 1.01; size *= std::sqrt(2.0)) {
    const Bytes whole{std::max(1.0, std::round(size / grain)) * grain};
    if (sizes.empty() || whole > sizes.back()) sizes.push_back(whole);
  }
  return sizes;
}

namespace {

// Weighted normal equations of time = latency + seconds_per_byte size, each sample in units of its
// own time.
LatencyAndRate weighted_line(const std::vector<CurvePoint>& samples,
                             const std::vector<double>& weights) {
  double one = 0, size = 0, square = 0, time = 0, product = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double share = 1 / samples[i].time.value, bytes = samples[i].size.value * share;
    one += weights[i] * share * share;
    size += weights[i] * share * bytes;
    square += weights[i] * bytes * bytes;
    time += weights[i] * share;
    product += weights[i] * bytes;
  }
  const double determinant = one * square - size * size;
  const double latency = determinant > 0 ? (time * square - product * size) / determinant : 0;
  const double per_byte = determinant > 0 ? (one * product - size * time) / determinant : 0;
  // Where noise makes one of them nothing, a small part of the least time, or of what a byte takes.
  double least_time = samples.front().time.value, least_per_byte = 1;
  for (const CurvePoint& each : samples) {
    least_time = std::min(least_time, each.time.value);
    least_per_byte = std::min(least_per_byte, each.time / Seconds{each.size.value});
  }
  return {Seconds{std::max(latency, 0.01 * least_time)},
          Bandwidth{1 / std::max(per_byte, 0.01 * least_per_byte)}};
}

}  // namespace

LatencyAndRate fitted_line(const std::vector<CurvePoint>& samples) {
  constexpr double alike = 0.02;  // deviations below this are all alike
  constexpr int rounds = 20;
  std::vector<double> weights(samples.size(), 1.0);
  LatencyAndRate line = weighted_line(samples, weights);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double away = std::abs(line.time(samples[i].size) / samples[i].time - 1);
      weights[i] = alike / std::max(alike, away);
    }
    line = weighted_line(samples, weights);
  }
  return line;
}

void TimeCurve::add(Bytes size, Seconds time) {
  samples_.push_back({size, time});
}

std::vector<CurveSample> TimeCurve::beyond(const LatencyAndRate& line,
                                           const std::vector<CurvePoint>& samples) {
  std::vector<CurveSample> all;
  for (const CurvePoint& each : samples)
    all.push_back({{each.size.value}, each.time / line.time(each.size)});
  return all;
}

void TimeCurve::fit() {
  if (samples_.size() < 2) return;
  const LatencyAndRate line = fitted_line(samples_);
  const std::vector<CurveSample> rest = beyond(line, samples_);
  const Smoothness smoothness = likeliest_smoothness(rest);
  fit_.emplace(Fit{line, SampledCurve(rest, smoothness)});
  leave_out(smoothness);
}

void TimeCurve::leave_out(const Smoothness& smoothness) {
  left_out_.clear();
  if (samples_.size() < 3) return;
  for (std::size_t left = 0; left < samples_.size(); ++left) {
    std::vector<CurvePoint> others = samples_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left));
    const LatencyAndRate line = fitted_line(others);
    const SampledCurve curve(beyond(line, others), smoothness);
    const CurvePoint& real = samples_[left];
    const CurveEstimate said = curve.at(std::vector{real.size.value});
    const double ratio = real.time / (said.value * line.time(real.size));
    left_out_.push_back(
        {ratio - 1, std::log(ratio) / std::hypot(said.deviation, smoothness.noise)});
  }
}

int TimeCurve::samples_at(Bytes size) const {
  return static_cast<int>(std::count_if(samples_.begin(), samples_.end(),
                                        [&](const CurvePoint& each) { return each.size == size; }));
}

Bytes TimeCurve::least() const {
  Bytes least{std::numeric_limits<double>::infinity()};
  for (const CurvePoint& each : samples_) least = std::min(least, each.size);
  return least;
}

Bytes TimeCurve::most() const {
  Bytes most;
  for (const CurvePoint& each : samples_) most = std::max(most, each.size);
  return most;
}

double TimeCurve::deviation(Bytes size) const {
  return fit_ ? fit_->beyond.at(std::vector{size.value}).deviation : 1;
}

std::optional<Seconds> TimeCurve::time(Bytes size) const {
  if (!fit_) return std::nullopt;
  return fit_->time(size);
}

std::vector<CurvePoint> TimeCurve::points() const {
  if (!fit_ || !(least() < most())) return {};
  const double octaves = std::max(1.0, std::round(std::log2(most() / least())));
  std::vector<CurvePoint> points;
  for (int knot = 0; knot <= static_cast<int>(octaves); ++knot) {
    const double share = knot / octaves;
    CurvePoint point{Bytes{std::round(least().value * std::pow(most() / least(), share))}, {}};
    point.time = *time(point.size);
    // A few bytes more never are faster: where they seem so, that is noise.
    constexpr double rise = 1 + 1e-6;
    if (!points.empty()) point.time = std::max(point.time, points.back().time * rise);
    points.push_back(point);
  }
  return points;
}

}  // namespace quintet::calibrate
