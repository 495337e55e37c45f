#include "traces/report/slow_places.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/base/quantile.h"
#include "sim/explain/shown_times.h"

namespace quintet {

namespace {

// Kind, collective, members, places, size.
using Alike = std::tuple<SpanKind, CollectiveKind, std::size_t, std::size_t, double>;

// All exchanges alike among the same members.
struct SameMembers {
  std::set<std::int32_t> places;
  std::vector<std::int32_t> exchanges;
  Duration median, total;
  std::int64_t timed = 0;
};

class PlaceSearch {
 public:
  PlaceSearch(const Timeline& timeline, const Workload& workload,
              const std::vector<Exchange>& exchanges)
      : timeline_(timeline), exchanges_(exchanges) {
    find_places(workload);
    collect();
  }

  std::vector<SlowPlace> find() const {
    std::set<std::vector<std::int32_t>> candidates;
    for (const auto& [alike, sets] : alike_)
      for (const SameMembers& each : sets) {
        for (const std::int32_t place : each.places) candidates.insert({place});
        if (each.places.size() == 2)
          candidates.insert(std::vector<std::int32_t>(each.places.begin(), each.places.end()));
      }
    std::vector<SlowPlace> found;
    for (const std::vector<std::int32_t>& candidate : candidates) {
      SlowPlace place = compared(candidate);
      if (place.slowness() >= slow_place_from) found.push_back(std::move(place));
    }
    std::stable_sort(found.begin(), found.end(), [](const SlowPlace& one, const SlowPlace& other) {
      const Duration lost = one.time - one.expected, others = other.time - other.expected;
      return lost != others ? lost > others : one.count < other.count;
    });
    return found;
  }

 private:
  void find_places(const Workload& workload) {
    std::map<std::string, std::int32_t> numbers;
    for (const WorkloadRank& rank : workload.ranks) {
      const std::string name =
          rank.host.empty() ? "rank " + std::to_string(rank.rank.value) : rank.host;
      const auto [place, fresh] =
          numbers.try_emplace(name, static_cast<std::int32_t>(names_.size()));
      if (fresh) names_.push_back(name);
      place_of_rank_.push_back(place->second);
    }
  }

  void collect() {
    std::map<Alike, std::map<std::vector<std::int32_t>, std::size_t>> known;
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
      const Exchange& exchange = exchanges_[i];
      std::vector<std::int32_t> members;
      std::set<std::int32_t> places;
      for (const std::int32_t span : exchange.spans) {
        members.push_back(rank_of(timeline_, span));
        places.insert(place_of_rank_[static_cast<std::size_t>(members.back())]);
      }
      const Alike alike{exchange.kind, exchange.collective, members.size(), places.size(),
                        exchange.size.value};
      std::vector<SameMembers>& sets = alike_[alike];
      const std::size_t at = known[alike].try_emplace(members, sets.size()).first->second;
      if (at == sets.size()) sets.push_back({places, {}, {}, {}, 0});
      sets[at].exchanges.push_back(static_cast<std::int32_t>(i));
    }
    for (auto& [alike, sets] : alike_)
      for (SameMembers& each : sets) set_median(each);
  }

  void set_median(SameMembers& set) const {
    std::vector<Duration> times;
    for (const std::int32_t index : set.exchanges) {
      const Duration time = exchanges_[static_cast<std::size_t>(index)].time;
      if (time < Duration{}) continue;
      times.push_back(time);
      set.total += time;
    }
    set.timed = static_cast<std::int64_t>(times.size());
    if (!times.empty()) set.median = lower_median(std::move(times));
  }

  static bool touches(const SameMembers& set, const std::vector<std::int32_t>& candidate) {
    return std::all_of(candidate.begin(), candidate.end(),
                       [&](std::int32_t place) { return set.places.contains(place); });
  }

  SlowPlace compared(const std::vector<std::int32_t>& candidate) const {
    SlowPlace made;
    for (const std::int32_t place : candidate)
      made.names.push_back(names_[static_cast<std::size_t>(place)]);
    for (std::size_t rank = 0; rank < place_of_rank_.size(); ++rank)
      if (std::find(candidate.begin(), candidate.end(), place_of_rank_[rank]) != candidate.end())
        made.ranks.push_back(static_cast<std::int32_t>(rank));
    for (const auto& [alike, sets] : alike_) {
      std::vector<Duration> elsewhere;
      for (const SameMembers& each : sets)
        if (each.timed > 0 && !touches(each, candidate)) elsewhere.push_back(each.median);
      if (elsewhere.empty()) continue;
      const Duration expected = lower_median(std::move(elsewhere));
      for (const SameMembers& each : sets)
        if (each.timed > 0 && touches(each, candidate))
          add(each, std::get<4>(alike), expected, made);
    }
    return made;
  }

  void add(const SameMembers& set, double size, Duration expected, SlowPlace& to) const {
    to.count += set.timed;
    to.bytes.value += size * static_cast<double>(set.timed);
    to.time += set.total;
    to.expected += Duration{expected.picoseconds * set.timed};
    if (expected >= set.median) return;
    const double factor = seconds(expected).value / seconds(set.median).value;
    for (const std::int32_t index : set.exchanges)
      for (const std::int32_t span : exchanges_[static_cast<std::size_t>(index)].spans)
        to.change.spans.push_back({span, factor});
  }

  const Timeline& timeline_;
  const std::vector<Exchange>& exchanges_;
  std::vector<std::string> names_;
  std::vector<std::int32_t> place_of_rank_;
  std::map<Alike, std::vector<SameMembers>> alike_;
};

}  // namespace

double SlowPlace::slowness() const {
  return expected > Duration{} ? share_of(time, expected) : 1;
}

std::vector<SlowPlace> slow_places(const Timeline& timeline, const Workload& workload,
                                   const std::vector<Exchange>& exchanges) {
  return PlaceSearch(timeline, workload, exchanges).find();
}

}  // namespace quintet
