#include "calibrate/messages/message_curves.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/quantity_text.h"

namespace quintet::calibrate {
namespace {

constexpr double smallest = 256, largest = 64 << 20;

std::string members_text(const Members& members) {
  return "ranks " + std::to_string(members.first) + "+" + std::to_string(members.stride) + "x" +
         std::to_string(members.count);
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
std::vector<CurveName> messages_among(const std::vector<RankSeat>& seats) {
  std::vector<CurveName> names;
  for (const bool across : {false, true})
    for (std::size_t to = 1; to < seats.size(); ++to)
      if ((seats[to].host != seats[0].host) == across) {
        names.push_back({{}, {0, static_cast<int>(to), 2}, true});
        break;
      }
  return names;
}

}  // namespace

std::string text_of(const CurveName& name) {
  std::string text = "message";
  if (name.method) {
    text = std::string(name_of(name.method->kind)) + " by " +
           std::string(name_of(name.method->algorithm));
    if (name.method->protocol) text += " " + std::string(name_of(*name.method->protocol));
  }
  return text + ", " + members_text(name.members);
}

std::string timing_of(const CurveName& name, Bytes size) {
  return text_of(name) + ", " + std::to_string(std::llround(size.value)) + " B";
}

std::string timing_of(const PairProbe& pair) {
  return timing_of(CurveName{{}, {pair.from, pair.to - pair.from, 2}, true}, pair.size);
}

std::vector<CurveName> curves_to_measure(const std::vector<RankSeat>& seats,
                                         const std::vector<Method>& methods) {
  if (seats.size() < 2) return {};
  const std::vector<Members> groups = groups_of(seats);
  std::vector<CurveName> names = messages_among(seats), others;
  std::set<CollectiveKind> seen;
  for (const Method& method : methods) {
    const bool usual = seen.insert(method.kind).second;
    for (const Members& group : groups)
      if (fits(method, group, seats)) (usual ? names : others).push_back({method, group, usual});
  }
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

std::vector<Bytes> sizes_of(const CurveName& name) {
  const double grain = 4.0 * name.members.count;
  std::vector<Bytes> sizes;
  for (double size = smallest; size <= largest * 1.01; size *= std::sqrt(2.0)) {
    const Bytes whole{std::max(1.0, std::round(size / grain)) * grain};
    if (sizes.empty() || whole > sizes.back()) sizes.push_back(whole);
  }
  return sizes;
}

void TimeCurve::add(Bytes size, Seconds time) {
  samples_.push_back({{size.value}, time.value});
}

void TimeCurve::fit() {
  if (samples_.size() >= 2) curve_.emplace(samples_, likeliest_smoothness(samples_));
}

int TimeCurve::samples_at(Bytes size) const {
  return static_cast<int>(
      std::count_if(samples_.begin(), samples_.end(),
                    [&](const CurveSample& each) { return each.sizes[0] == size.value; }));
}

Bytes TimeCurve::least() const {
  double least = largest;
  for (const CurveSample& each : samples_) least = std::min(least, each.sizes[0]);
  return {least};
}

Bytes TimeCurve::most() const {
  double most = 0;
  for (const CurveSample& each : samples_) most = std::max(most, each.sizes[0]);
  return {most};
}

double TimeCurve::deviation(Bytes size) const {
  return curve_ ? curve_->at(std::vector{size.value}).deviation : 1;
}

std::optional<Seconds> TimeCurve::time(Bytes size) const {
  if (!curve_) return std::nullopt;
  return Seconds{curve_->at(std::vector{size.value}).value};
}

std::vector<LeftOut> TimeCurve::left_out() const {
  return curve_ ? curve_->left_out() : std::vector<LeftOut>{};
}

std::vector<CurvePoint> TimeCurve::points() const {
  if (!curve_ || !(least() < most())) return {};
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
