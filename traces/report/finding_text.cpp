#include "traces/report/finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/quantile.h"
#include "sim/base/text_table.h"
#include "sim/explain/shown_times.h"

namespace quintet {

namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

std::string times_text(double ratio) {
  return fixed(ratio, ratio < 1.95 ? 2 : 1) + " times";
}

class FindingMaker {
 public:
  FindingMaker(const Removed& removed, const Diagnosis& diagnosis, const Timeline& timeline)
      : what_(removed.what), diagnosis_(diagnosis), timeline_(timeline) {
    made_.kind = what_.kind;
    made_.cost = removed.saved;
    for (const std::int32_t rank : what_.ranks) {
      const Track& track = timeline.tracks[static_cast<std::size_t>(rank)];
      made_.ranks.push_back(track.rank);
      const bool known =
          std::find(made_.hosts.begin(), made_.hosts.end(), track.host) != made_.hosts.end();
      if (!track.host.empty() && !known) made_.hosts.push_back(track.host);
    }
  }

  Finding make() {
    switch (what_.kind) {
      case FindingKind::slow_ranks:
        slow_ranks();
        break;
      case FindingKind::late_launches:
        late_launches();
        break;
      case FindingKind::launch_bound:
        launch_bound();
        break;
      case FindingKind::slow_network:
        slow_network(diagnosis_.slow_places[what_.index]);
        break;
      case FindingKind::small_collectives:
        small_collectives(diagnosis_.small_collectives[what_.index]);
        break;
      case FindingKind::uneven_stages:
        uneven_stages();
        break;
      case FindingKind::uneven_computing:
        say("Ranks that do the same compute it unevenly: each time others wait for another one.",
            fmt::format("The rank that computes longest does so {} the mean.",
                        times_text(diagnosis_.rank_imbalance.ratio())),
            "Give all ranks samples of the same length, and see that nothing else runs beside "
            "them.");
        break;
      case FindingKind::exposed_communication:
      case FindingKind::pipeline_bubble:
      case FindingKind::waiting:
      case FindingKind::copies:
      case FindingKind::host_work:
      case FindingKind::idle:
        break;
    }
    return std::move(made_);
  }

 private:
  void say(std::string cause, std::string evidence, std::string remedy) {
    made_.cause = std::move(cause);
    made_.evidence = std::move(evidence);
    made_.remedy = std::move(remedy);
  }

  std::string where() const {
    std::vector<std::string> names;
    for (const Rank rank : made_.ranks) names.push_back(std::to_string(rank.value));
    std::string text = (names.size() == 1 ? "Rank " : "Ranks ") + listed(names);
    if (!made_.hosts.empty() && made_.hosts.size() <= 2) text += " on " + listed(made_.hosts);
    return text;
  }

  void slow_ranks() {
    const bool one = what_.ranks.size() == 1;
    RankComputing all;
    double ran = 0;
    for (const std::int32_t rank : what_.ranks) {
      const RankComputing& of = diagnosis_.computing[static_cast<std::size_t>(rank)];
      all.time += of.time;
      all.expected += of.expected;
      ran += of.ran / static_cast<double>(what_.ranks.size());
    }
    std::string evidence = fmt::format("It computes for {} where others take {}",
                                       short_text(all.time), short_text(all.expected));
    if (!one) evidence = "Together: " + evidence;
    const RankComputing& first =
        diagnosis_.computing[static_cast<std::size_t>(what_.ranks.front())];
    evidence += slowest_names(first);
    if (ran > 0) evidence += fmt::format("; a core ran its thread for {} of that", percent(ran, 0));
    say(fmt::format("{} compute{} {} as long as ranks that do the same.", where(), one ? "s" : "",
                    times_text(share_of(all.time, all.expected))),
        evidence + ".", remedy_of_slow(first));
  }

  static std::string slowest_names(const RankComputing& of) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(of.names.size(), 3); ++i) {
      const NamedComputing& name = of.names[i];
      if (name.time <= name.expected || name.expected <= Duration{}) break;
      text += fmt::format("{}{} {}", i == 0 ? "; most is lost in " : ", ", short_name(name.name),
                          times_text(share_of(name.time, name.expected)));
    }
    return text;
  }

  std::string remedy_of_slow(const RankComputing& of) const {
    std::vector<double> ran;
    for (const RankComputing& each : diagnosis_.computing) ran.push_back(each.ran);
    if (of.ran >= 0 && of.ran < 0.9 * lower_median(ran))
      return "Its thread does not get a core: look for other processes, limits and pinning on that "
             "host.";
    Duration as_fast;
    for (const NamedComputing& name : of.names)
      if (share_of(name.time, name.expected) < 1 + (of.slowness - 1) / 4) as_fast += name.expected;
    if (2 * as_fast.picoseconds > of.expected.picoseconds)
      return "Most of its operators are as fast as elsewhere, so its work differs: give ranks "
             "batches that cost the same, such as by the length of their samples.";
    return "All its work is slow: look at that device's clocks, temperature and neighbours "
           "(nvidia-smi -q -d PERFORMANCE), and leave it out of the job if it stays so.";
  }

  void late_launches() {
    const RankLaunches& own = diagnosis_.launches[static_cast<std::size_t>(what_.ranks.front())];
    std::vector<Duration> gaps;
    for (const RankLaunches& each : diagnosis_.launches) gaps.push_back(each.gaps);
    say(fmt::format("{} launches kernels late, and the others wait for it.", where()),
        fmt::format("Its GPU waits {} for launches, on the rank in the middle that is {}; {}.",
                    short_text(own.gaps), short_text(lower_median(gaps)), gaps_text(own)),
        "Look what that CPU does meanwhile: other processes, data loading, garbage collection, "
        "threads on the wrong socket.");
  }

  static std::string gaps_text(const RankLaunches& of) {
    std::string text = fmt::format("{} gaps, the longest {}", of.count, short_text(of.longest));
    if (!of.meanwhile.empty())
      text += fmt::format("; its threads spend {} of them in {}", short_text(of.meanwhile_time),
                          short_name(of.meanwhile));
    return text;
  }

  // Of all ranks, the longest of each; what threads do is of the rank whose gaps are longest.
  static RankLaunches all_launches(const Diagnosis& diagnosis) {
    RankLaunches sum;
    Duration most, computing;
    for (const RankLaunches& each : diagnosis.launches) {
      sum.gaps += each.gaps;
      sum.count += each.count;
      sum.kernels += each.kernels;
      computing += Duration{each.mean_kernel.picoseconds * each.kernels};
      sum.longest += each.longest;
      if (each.gaps <= most) continue;
      most = each.gaps;
      sum.meanwhile = each.meanwhile;
    }
    sum.mean_kernel = {computing.picoseconds / std::max<std::int64_t>(1, sum.kernels)};
    return sum;
  }

  void launch_bound() {
    const RankLaunches sum = all_launches(diagnosis_);
    const Duration gap{sum.gaps.picoseconds / std::max<std::int64_t>(1, sum.count)};
    // A few long ones make up most.
    const bool seldom = 2 * sum.longest.picoseconds > sum.gaps.picoseconds;
    say(seldom ? "GPUs stand still in a few long gaps, for the CPU has launched nothing."
               : "GPUs wait for the CPU to launch kernels: the step is launch-bound.",
        fmt::format("{} of the step a rank; {} gaps of {} on average, among {} kernels of {} on "
                    "average{}.",
                    percent_of(diagnosis_.mean.launch_gaps, diagnosis_.step), sum.count,
                    short_text(gap), sum.kernels, short_text(sum.mean_kernel),
                    sum.meanwhile.empty()
                        ? ""
                        : "; meanwhile threads are mostly in " + short_name(sum.meanwhile)),
        seldom ? "See what the CPU does in them: loading data, copying results back, "
                 "synchronising; take it off the way of the step."
               : "Launch fewer and larger kernels: CUDA graphs, torch.compile, fused optimizers, "
                 "larger micro-batches.");
  }

  void slow_network(const SlowPlace& place) {
    made_.hosts.clear();
    const bool hosts =
        !timeline_.tracks[static_cast<std::size_t>(place.ranks.front())].host.empty();
    if (hosts) made_.hosts = place.names;
    const auto rate = [&](Duration time) { return short_text(place.bytes / seconds(time)); };
    const bool pair = place.names.size() == 2;
    say(fmt::format("Data moves {} slower {} {} than the same data elsewhere.",
                    times_text(place.slowness()), pair ? "between" : "to and from",
                    listed(place.names)),
        fmt::format("{} exchanges of {} on average take {}, elsewhere they would take {}: {} "
                    "against {}.",
                    place.count, short_text(place.bytes / static_cast<double>(place.count)),
                    short_text(place.time), short_text(place.expected), rate(place.time),
                    rate(place.expected)),
        pair
            ? "Look at the link between them: cables, ports, error counters, routes that it shares."
            : "Look at that host's NIC, cable and switch port (rates, error counters), and at what "
              "else uses them.");
  }

  void small_collectives(const SmallCollectives& small) {
    const GroupCollectives& group = diagnosis_.collectives[small.group];
    made_.group = diagnosis_.group_names[static_cast<std::size_t>(group.group)];
    say(fmt::format("{} {}s of group {} are so small that {} of their time is latency.",
                    small.count, name_of(group.kind), made_.group, percent(small.latency_share, 0)),
        fmt::format(
            "They are {} on average and take {} each before the first byte counts{}, moving "
            "{} together.",
            short_text(small.bytes / static_cast<double>(small.count)),
            short_text(duration(group.fit->latency)),
            group.fit->assumed ? " (assumed: half of what 16 KiB take)" : "",
            short_text(small.bytes)),
        fmt::format("Merge them to about {} each, {} instead of {}: a larger bucket "
                    "(bucket_cap_mb, ccl.bucket), or fewer and larger tensors.",
                    short_text(small.worth), small.merged, small.count));
  }

  void uneven_stages() {
    const Imbalance& uneven = diagnosis_.stage_imbalance;
    say(fmt::format("Stage {} of the pipeline computes {} the mean of all stages.", uneven.at,
                    times_text(uneven.ratio())),
        fmt::format("{} against {}.", short_text(uneven.most), short_text(uneven.mean)),
        "Move layers from that stage to others; embedding and head count as layers.");
  }

  const WhatIf& what_;
  const Diagnosis& diagnosis_;
  const Timeline& timeline_;
  Finding made_;
};

}  // namespace

Finding finding_of(const Removed& removed, const Diagnosis& diagnosis, const Timeline& timeline) {
  return FindingMaker(removed, diagnosis, timeline).make();
}

}  // namespace quintet
