#include "sim/explain/difference/causes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "sim/explain/difference/cause_facts.h"
#include "sim/explain/difference/charges.h"
#include "sim/explain/difference/difference.h"
#include "sim/explain/difference/slow_ranks.h"

namespace quintet {
namespace {

constexpr double off_from = 0.15;  // an operator's ratio, of the common one
// For an operator to be told apart: of the difference, and of the step.
constexpr double least_share = 0.1, least_of_step = 0.01;

// Which cause a charge belongs to; `slow` is the number of the slow rank or host, from 0.
struct Place {
  CauseKind kind = CauseKind::idle;
  int slow = -1;
  OperatorKind work = OperatorKind::norm;
  Phase phase = Phase::forward;
  Axis axis = Axis::tensor;
  auto operator<=>(const Place&) const = default;
};

struct SideSums {
  RankTime predicted = 0, measured = 0;
};
using Sums = std::map<Place, SideSums>;

// Slow ranks, or whole slow hosts: members are indices into Difference::per_rank.
struct Slow {
  std::vector<std::size_t> members;
  bool is_host = false;
};

// Hosts that are slow altogether become one.
std::vector<Slow> slow_ones(const Timeline& measured, const Difference& difference) {
  const std::vector<double> slow = slowness(difference.per_rank);
  std::map<std::string, std::vector<std::size_t>> hosts;
  for (std::size_t i = 0; i < slow.size(); ++i) hosts[measured.tracks[i].host].push_back(i);
  std::vector<Slow> found;
  for (const auto& [host, ranks] : hosts) {
    std::vector<std::size_t> members;
    for (const std::size_t rank : ranks)
      if (slow[rank] >= slow_from) members.push_back(rank);
    if (!host.empty() && hosts.size() > 1 && ranks.size() > 1 && members.size() == ranks.size())
      found.push_back({members, true});
    else
      for (const std::size_t rank : members) found.push_back({{rank}, false});
  }
  return found;
}

class Grouping {
 public:
  Grouping(const Timeline& predicted, const Timeline& measured, const Difference& difference)
      : predicted_(predicted),
        measured_(measured),
        difference_(difference),
        facts_(measured, difference),
        slow_(slow_ones(measured, difference)),
        slow_of_(measured.tracks.size(), -1) {
    for (std::size_t number = 0; number < slow_.size(); ++number)
      for (const std::size_t member : slow_[number].members)
        slow_of_[member] = static_cast<int>(number);
    std::map<std::int32_t, std::size_t> tracks;
    for (std::size_t i = predicted.tracks.size(); i-- > 0;)
      tracks[predicted.tracks[i].rank.value] = i;
    for (const RankDifference& each : difference.per_rank)
      shown_by_.push_back(tracks.at(each.shown_by.value));
    add_measured();
    add_predicted();
  }

  std::vector<Cause> causes();

 private:
  void add_measured();
  void add_predicted();
  void add_shared(const Charge& charge, RankTime time);
  void merge_operators();
  Cause cause_at(const Place& place) const;
  void describe_slow(Cause& cause, const Slow& slow) const;
  std::vector<std::size_t> all_but(const std::vector<std::size_t>& left_out) const;
  std::vector<std::size_t> usual() const;

  const Timeline& predicted_;
  const Timeline& measured_;
  const Difference& difference_;
  CauseFacts facts_;
  std::vector<Slow> slow_;
  std::vector<int> slow_of_;           // per measured track; -1: as the others
  std::vector<std::size_t> shown_by_;  // per measured track: the predicted one
  Sums sums_;
};

Place place_of(const Charge& charge) {
  switch (charge.deed) {
    case Deed::compute:
      return {.kind = CauseKind::operators, .work = charge.work, .phase = charge.phase};
    case Deed::moves:
      return {.kind = CauseKind::network, .axis = charge.axis};
    case Deed::copies:
      return {.kind = CauseKind::copies};
    case Deed::host:
      return {.kind = CauseKind::host_work};
    case Deed::idle:
      return {.kind = CauseKind::idle};
    case Deed::unexplained:
      break;
  }
  return {.kind = CauseKind::unexplained};
}

void Grouping::add_measured() {
  const std::vector<Charges> all = charges(measured_);
  for (std::size_t track = 0; track < all.size(); ++track)
    for (const auto& [charge, time] : all[track]) {
      Place place = place_of(charge);
      const int slow = slow_of_[static_cast<std::size_t>(charge.track)];
      if (charge.deed == Deed::compute && slow >= 0)
        place = {.kind = CauseKind::rank, .slow = slow};
      sums_[place].measured += rank_time(time, measured_.tracks[track].ranks);
    }
}

void Grouping::add_predicted() {
  const std::vector<Charges> all = charges(predicted_);
  std::map<Charge, RankTime> totals;
  for (std::size_t track = 0; track < shown_by_.size(); ++track)
    for (const auto& [charge, time] : all[shown_by_[track]])
      totals[charge] += rank_time(time, measured_.tracks[track].ranks);
  for (const auto& [charge, time] : totals) add_shared(charge, time);
}

// A predicted track may show several ranks: each of them answers for an equal share.
void Grouping::add_shared(const Charge& charge, RankTime time) {
  RankTime rest = time;
  if (charge.deed == Deed::compute) {
    RankTime shown = 0;
    for (std::size_t track = 0; track < shown_by_.size(); ++track)
      if (shown_by_[track] == static_cast<std::size_t>(charge.track))
        shown += measured_.tracks[track].ranks;
    for (std::size_t track = 0; track < shown_by_.size(); ++track) {
      if (shown_by_[track] != static_cast<std::size_t>(charge.track) || slow_of_[track] < 0)
        continue;
      const RankTime share = time / shown * measured_.tracks[track].ranks;
      sums_[{.kind = CauseKind::rank, .slow = slow_of_[track]}].predicted += share;
      rest -= share;
    }
  }
  sums_[place_of(charge)].predicted += rest;
}

std::vector<std::size_t> Grouping::all_but(const std::vector<std::size_t>& left_out) const {
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < slow_of_.size(); ++i)
    if (std::find(left_out.begin(), left_out.end(), i) == left_out.end()) ranks.push_back(i);
  return ranks;
}

std::vector<std::size_t> Grouping::usual() const {
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < slow_of_.size(); ++i)
    if (slow_of_[i] < 0) ranks.push_back(i);
  return ranks;
}

// What is not far from the common ratio, or too little to be told apart, is computing.
void Grouping::merge_operators() {
  const double common = ratio(facts_.computing(usual()));
  const auto& [predicted, step] = difference_.step;
  const double least =
      std::max(least_share * std::abs(static_cast<double>((step - predicted).picoseconds)),
               least_of_step * static_cast<double>(step.picoseconds)) *
      difference_.ranks;
  SideSums merged;
  for (auto each = sums_.begin(); each != sums_.end();) {
    const auto& [place, sums] = *each;
    const double change = std::abs(static_cast<double>(sums.measured - sums.predicted));
    const double own = ratio(facts_.operator_time(place.work, place.phase, usual()));
    const bool apart =
        change >= least && change > 0 && common > 0 && std::abs(own / common - 1) > off_from;
    if (place.kind != CauseKind::operators || apart) {
      ++each;
      continue;
    }
    merged.predicted += sums.predicted;
    merged.measured += sums.measured;
    each = sums_.erase(each);
  }
  if (merged.predicted != 0 || merged.measured != 0) sums_[{.kind = CauseKind::computing}] = merged;
}

void Grouping::describe_slow(Cause& cause, const Slow& slow) const {
  const std::size_t first = slow.members.front();
  cause.kind = slow.is_host ? CauseKind::host : CauseKind::rank;
  if (!slow.is_host) cause.rank = measured_.tracks[first].rank;
  cause.host = measured_.tracks[first].host;
  const std::vector<std::size_t> others = all_but(slow.members);
  cause.work_time = facts_.computing(slow.members);
  cause.others = facts_.computing(others);
  cause.ran = facts_.ran(slow.members);
  cause.others_ran = facts_.ran(others);
}

Cause Grouping::cause_at(const Place& place) const {
  Cause cause;
  cause.kind = place.kind;
  switch (place.kind) {
    case CauseKind::rank:
    case CauseKind::host:
      describe_slow(cause, slow_[static_cast<std::size_t>(place.slow)]);
      break;
    case CauseKind::operators:
      cause.work = place.work;
      cause.phase = place.phase;
      cause.work_time = facts_.operator_time(place.work, place.phase, usual());
      cause.others = facts_.computing(usual());
      break;
    case CauseKind::computing:
      cause.work_time = facts_.computing(usual());
      cause.others = facts_.computing(all_but(usual()));
      break;
    case CauseKind::network:
      cause.axis = place.axis;
      facts_.describe_axis(cause);
      break;
    case CauseKind::copies:
      cause.work_time = {difference_.predicted.copy, difference_.measured.copy};
      break;
    case CauseKind::host_work:
      cause.work_time = {difference_.predicted.host, difference_.measured.host};
      break;
    case CauseKind::idle:
    case CauseKind::unexplained:
      break;
  }
  return cause;
}

std::vector<Cause> Grouping::causes() {
  merge_operators();
  std::vector<Cause> found;
  std::vector<RankTime> predicted, measured;
  for (const auto& [place, sums] : sums_) {
    found.push_back(cause_at(place));
    predicted.push_back(sums.predicted);
    measured.push_back(sums.measured);
  }
  const RankTime ranks = difference_.ranks;
  const auto predicted_means = mean_parts(predicted, ranks, difference_.step.predicted);
  const auto measured_means = mean_parts(measured, ranks, difference_.step.measured);
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i].charged = {predicted_means[i], measured_means[i]};
  std::erase_if(found, [](const Cause& cause) { return cause.charged == Compared{}; });
  std::stable_sort(found.begin(), found.end(), [](const Cause& one, const Cause& other) {
    return std::abs(one.charged.difference().picoseconds) >
           std::abs(other.charged.difference().picoseconds);
  });
  return found;
}

}  // namespace

std::vector<Cause> causes(const Timeline& predicted, const Timeline& measured,
                          const Difference& difference) {
  return Grouping(predicted, measured, difference).causes();
}

}  // namespace quintet
