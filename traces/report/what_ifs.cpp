#include "traces/report/what_ifs.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "sim/base/quantile.h"
#include "sim/explain/shown_times.h"

namespace quintet {

namespace {

// Of each kind the worst so many are tried.
constexpr std::size_t most_tried = 16;
constexpr int most_removed = 8;
// Host gaps of a rank, over those of the rank in the middle.
constexpr double late_launches_from = 1.5;
constexpr double uneven_stages_from = 1.1;

std::vector<std::int32_t> all_ranks(const Diagnosis& diagnosis) {
  std::vector<std::int32_t> ranks;
  for (std::size_t rank = 0; rank < diagnosis.ranks.size(); ++rank)
    ranks.push_back(static_cast<std::int32_t>(rank));
  return ranks;
}

class WhatIfs {
 public:
  WhatIfs(const Timeline& timeline, const Diagnosis& diagnosis)
      : timeline_(timeline), diagnosis_(diagnosis) {}

  std::vector<WhatIf> list() {
    add_slow_ranks();
    add_launches();
    for (std::size_t i = 0; i < std::min(most_tried, diagnosis_.slow_places.size()); ++i)
      list_.push_back({FindingKind::slow_network, diagnosis_.slow_places[i].ranks, i,
                       diagnosis_.slow_places[i].change});
    for (std::size_t i = 0; i < diagnosis_.small_collectives.size(); ++i)
      list_.push_back(
          {FindingKind::small_collectives, {}, i, diagnosis_.small_collectives[i].change});
    return std::move(list_);
  }

 private:
  void add_slow(const std::vector<std::int32_t>& ranks) {
    list_.push_back(
        {FindingKind::slow_ranks, ranks, 0, as_expected(timeline_, diagnosis_.computing, ranks)});
  }

  // Each alone, those of a host, all: of several that are slow none alone holds up the others.
  void add_slow_ranks() {
    std::vector<std::int32_t> slow;
    for (const std::int32_t rank : all_ranks(diagnosis_))
      if (diagnosis_.computing[static_cast<std::size_t>(rank)].slowness >= slow_rank_from)
        slow.push_back(rank);
    std::stable_sort(slow.begin(), slow.end(), [this](std::int32_t one, std::int32_t other) {
      return lost(one) > lost(other);
    });
    for (std::size_t i = 0; i < std::min(slow.size(), most_tried); ++i) add_slow({slow[i]});
    if (slow.size() < 2) return;
    std::map<std::string, std::vector<std::int32_t>> by_host;
    for (const std::int32_t rank : slow)
      by_host[timeline_.tracks[static_cast<std::size_t>(rank)].host].push_back(rank);
    for (const auto& [host, ranks] : by_host)
      if (!host.empty() && ranks.size() > 1 && ranks.size() < slow.size()) add_slow(ranks);
    std::sort(slow.begin(), slow.end());
    add_slow(slow);
  }

  Duration lost(std::int32_t rank) const {
    const RankComputing& of = diagnosis_.computing[static_cast<std::size_t>(rank)];
    return of.time - of.expected;
  }

  void add_launches() {
    std::vector<Duration> gaps;
    for (const RankLaunches& rank : diagnosis_.launches) gaps.push_back(rank.gaps);
    if (gaps.empty() || *std::max_element(gaps.begin(), gaps.end()) == Duration{}) return;
    const Duration middle = lower_median(gaps);
    std::size_t late = 0;
    for (const std::int32_t rank : all_ranks(diagnosis_)) {
      const Duration own = gaps[static_cast<std::size_t>(rank)];
      const bool is_late = seconds(own).value > late_launches_from * seconds(middle).value;
      if (gaps.size() > 1 && is_late && late++ < most_tried)
        list_.push_back(
            {FindingKind::late_launches, {rank}, 0, with_gaps({rank}, share_of(middle, own))});
    }
    list_.push_back({FindingKind::launch_bound, {}, 0, with_gaps(all_ranks(diagnosis_), 0.0)});
  }

  const Timeline& timeline_;
  const Diagnosis& diagnosis_;
  std::vector<WhatIf> list_;
};

// What is narrower is preferred where it saves this share of what the widest of its kind does.
double enough(FindingKind kind) {
  switch (kind) {
    case FindingKind::late_launches:
    case FindingKind::launch_bound:
      return 0.5;
    case FindingKind::slow_ranks:
      return 0.8;
    case FindingKind::slow_network:
    case FindingKind::small_collectives:
    case FindingKind::uneven_stages:
    case FindingKind::uneven_computing:
    case FindingKind::exposed_communication:
    case FindingKind::pipeline_bubble:
    case FindingKind::waiting:
    case FindingKind::copies:
    case FindingKind::host_work:
    case FindingKind::idle:
      break;
  }
  return 0.95;
}

bool is_of_launches(FindingKind kind) {
  return kind == FindingKind::late_launches || kind == FindingKind::launch_bound;
}

bool of_one_kind(const WhatIf& one, const WhatIf& other) {
  return one.kind == other.kind || (is_of_launches(one.kind) && is_of_launches(other.kind));
}

std::size_t width(const WhatIf& what) {
  return what.change.spans.size() + what.change.gaps.size();
}

class Remover {
 public:
  Remover(const Timeline& timeline, const StepGraph& graph, Duration least)
      : timeline_(timeline),
        graph_(graph),
        least_(least),
        made_{{}, Changes(graph)},
        step_(retimed_step(graph, made_.changes)) {}

  void remove(std::vector<WhatIf> list) {
    for (int turn = 0; turn < most_removed && !list.empty(); ++turn) {
      std::vector<Duration> saved;
      for (const WhatIf& what : list) saved.push_back(saving(what, Together::least));
      const std::size_t best = choose(list, saved);
      if (saved[best] < least_) return;
      take(std::move(list[best]), saved[best], Together::least);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(best));
    }
  }

  // Found in the step as it is by now.
  void even_out() {
    const Timeline stages = now();
    if (imbalance_of_stages(rank_times(stages)).ratio() >= uneven_stages_from)
      try_on({FindingKind::uneven_stages, {}, 0, as_even_stages(stages)});
    const Timeline ranks = now();
    std::vector<std::int32_t> all;
    for (std::size_t rank = 0; rank < ranks.tracks.size(); ++rank)
      all.push_back(static_cast<std::int32_t>(rank));
    try_on({FindingKind::uneven_computing, {}, 0, as_expected(ranks, rank_computing(ranks), all)});
  }

  Removal result() { return std::move(made_); }

 private:
  Timeline now() const { return retimed(graph_, timeline_, made_.changes); }

  Duration saving(const WhatIf& what, Together together) const {
    Changes changes = made_.changes;
    changes.add(what.change, together);
    return step_ - retimed_step(graph_, changes);
  }

  static std::size_t choose(const std::vector<WhatIf>& list, const std::vector<Duration>& saved) {
    const auto widest =
        static_cast<std::size_t>(std::max_element(saved.begin(), saved.end()) - saved.begin());
    std::size_t best = widest;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool saves_enough =
          seconds(saved[i]).value >= enough(list[widest].kind) * seconds(saved[widest]).value;
      if (!of_one_kind(list[i], list[widest]) || !saves_enough) continue;
      if (width(list[i]) < width(list[best])) best = i;
    }
    return best;
  }

  void try_on(WhatIf what) {
    const Duration saved = saving(what, Together::product);
    if (saved >= least_) take(std::move(what), saved, Together::product);
  }

  void take(WhatIf what, Duration saved, Together together) {
    made_.changes.add(what.change, together);
    step_ = retimed_step(graph_, made_.changes);
    made_.removed.push_back({std::move(what), saved});
  }

  const Timeline& timeline_;
  const StepGraph& graph_;
  Duration least_;
  Removal made_;
  Duration step_;
};

}  // namespace

Removal remove_causes(const Timeline& timeline, const StepGraph& graph, const Diagnosis& diagnosis,
                      Duration least) {
  Remover remover(timeline, graph, least);
  remover.remove(WhatIfs(timeline, diagnosis).list());
  remover.even_out();
  return remover.result();
}

}  // namespace quintet
