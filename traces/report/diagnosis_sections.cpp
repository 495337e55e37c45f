#include <fmt/format.h>

#include <algorithm>

#include "sim/base/text_table.h"
#include "sim/explain/shown_times.h"
#include "traces/report/diagnosis_report.h"
#include "traces/report/finding_text.h"

namespace quintet {

namespace {

constexpr std::size_t most_ranks = 16, most_rows = 10;

// Says how many rows of a table there are beyond those shown.
void say_left_out(ReportSection& section, std::size_t all, std::size_t shown) {
  if (all > shown)
    section.sentences.push_back(
        fmt::format("{} more are left out; the JSON has them.", all - shown));
}

class Sections {
 public:
  explicit Sections(const Diagnosis& diagnosis) : of_(diagnosis), shown_(diagnosis.step) {}

  std::vector<ReportSection> list() const {
    std::vector<ReportSection> all{findings(),    ranks(),     idle(), collectives(), stragglers(),
                                   slow_places(), computing(), path(), remarks()};
    std::erase_if(all, [](const ReportSection& section) {
      return section.sentences.empty() && section.table.empty();
    });
    return all;
  }

 private:
  std::string ms(Duration time) const { return shown_.ms(time); }
  std::string rank_name(std::size_t rank) const {
    return std::to_string(of_.ranks[rank].breakdown.rank.value);
  }

  ReportSection findings() const {
    ReportSection section{"What costs the step its time"};
    section.sentences.push_back(fmt::format("The step takes {}; {} of it is computing.",
                                            ms(of_.step),
                                            percent_of(of_.mean.breakdown.compute, of_.step)));
    if (of_.findings.empty())
      section.sentences.push_back("Nothing else costs a hundredth of it or more.");
    for (std::size_t i = 0; i < of_.findings.size(); ++i) {
      const Finding& finding = of_.findings[i];
      section.sentences.push_back("");
      section.sentences.push_back(fmt::format("{}. {} Costs about {}, {} of the step.", i + 1,
                                              finding.cause, ms(finding.cost),
                                              percent_of(finding.cost, of_.step)));
      section.sentences.push_back("   " + finding.evidence);
      section.sentences.push_back("   " + finding.remedy);
    }
    return section;
  }

  TextRow rank_row(const std::string& name, const RankTimes& rank) const {
    const RankBreakdown& parts = rank.breakdown;
    return {name,
            ms(parts.compute),
            ms(rank.exposed()),
            ms(parts.bubble),
            ms(parts.waiting),
            ms(parts.copy),
            ms(parts.host),
            ms(parts.idle),
            ms(parts.step),
            ms(rank.hidden),
            percent(rank.overlap(), 0)};
  }

  ReportSection ranks() const {
    ReportSection section{"Where each rank's time goes"};
    section.sentences.push_back(
        "The columns from computing to idle sum to the step. Exposed: data moves and nothing "
        "computes. Hidden: it moves while the rank computes; overlap: hidden of all moving.");
    section.table.push_back({"rank", "computing", "exposed", "bubble", "waiting", "copies", "host",
                             "idle", "step", "hidden", "overlap"});
    for (std::size_t rank = 0; rank < std::min(most_ranks, of_.ranks.size()); ++rank)
      section.table.push_back(rank_row(rank_name(rank), of_.ranks[rank]));
    section.table.push_back(rank_row("mean", of_.mean));
    say_left_out(section, of_.ranks.size(), most_ranks);
    if (of_.ranks.size() > 1)
      section.sentences.push_back(fmt::format(
          "The rank that computes longest, {}, does so {:.2f} times the mean of all ranks.",
          rank_name(static_cast<std::size_t>(of_.rank_imbalance.at)), of_.rank_imbalance.ratio()));
    if (of_.stage_imbalance.at >= 0)
      section.sentences.push_back(
          fmt::format("The stage that computes longest, {}, does so {:.2f} times the mean of all.",
                      of_.stage_imbalance.at, of_.stage_imbalance.ratio()));
    return section;
  }

  ReportSection idle() const {
    ReportSection section{"When nothing computes and no data moves"};
    const RankTimes& mean = of_.mean;
    if (mean.breakdown.host + mean.breakdown.idle + mean.breakdown.waiting +
            mean.breakdown.bubble ==
        Duration{})
      return {};
    section.sentences.push_back(
        "Mean over ranks. Host wait: the next kernel had not been launched. Kernel wait: gaps "
        "below "
        "30 ns between kernels (HTA's bound).");
    section.table.push_back({"cause", "time", "of the step"});
    const auto row = [&](const char* name, Duration time) {
      section.table.push_back({name, ms(time), percent_of(time, of_.step)});
    };
    row("host wait", mean.launch_gaps);
    row("host work", mean.host_work);
    row("waiting for peers", mean.breakdown.waiting);
    row("pipeline bubble", mean.breakdown.bubble);
    row("kernel wait", mean.kernel_wait);
    row("other", mean.unexplained);
    std::int64_t kernels = 0;
    Duration computing;
    for (const RankLaunches& rank : of_.launches) {
      kernels += rank.kernels;
      computing += Duration{rank.mean_kernel.picoseconds * rank.kernels};
    }
    if (kernels > 0)
      section.sentences.push_back(
          fmt::format("{} kernels compute, {} each on average.", kernels,
                      short_text(Duration{computing.picoseconds / kernels})));
    return section;
  }

  ReportSection collectives() const {
    if (of_.collectives.empty()) return {};
    ReportSection section{"Collectives"};
    section.sentences.push_back(
        "Moving: from the arrival of the last member to the end. Waiting: until then, mean over "
        "members. Bus bandwidth: nccl-tests' factor times bytes over moving. Latency and half size "
        "(half of the time is latency) by a fit over sizes.");
    section.table.push_back({"group", "kind", "ranks", "count", "bytes", "moving", "waiting",
                             "bus bandwidth", "latency", "half size", "last"});
    for (std::size_t i = 0; i < std::min(most_rows, of_.collectives.size()); ++i)
      section.table.push_back(collective_row(of_.collectives[i]));
    say_left_out(section, of_.collectives.size(), most_rows);
    return section;
  }

  TextRow collective_row(const GroupCollectives& group) const {
    std::string last = "-";
    if (!group.last.empty())
      last = fmt::format("rank {}, {} times by {}",
                         rank_name(static_cast<std::size_t>(group.last.front().rank)),
                         group.last.front().times,
                         short_text(Duration{group.last.front().after_next.picoseconds /
                                             group.last.front().times}));
    return {of_.group_names[static_cast<std::size_t>(group.group)],
            std::string(name_of(group.kind)),
            std::to_string(group.members),
            std::to_string(group.count),
            short_text(group.bytes),
            ms(group.moving),
            ms(group.waiting),
            short_text(group.bus_bandwidth),
            group.fit ? short_text(duration(group.fit->latency)) : "-",
            group.fit ? short_text(group.fit->half_size()) : "-",
            last};
  }

  ReportSection stragglers() const {
    if (of_.stragglers.empty()) return {};
    ReportSection section{"Who is waited for in collectives"};
    section.sentences.push_back(
        "Waited: by the others, their mean, summed. Beyond the others: what the rank computes "
        "longer than expected, waits for launches longer than the rank in the middle, and its "
        "exchanges take longer than elsewhere.");
    section.table.push_back(
        {"rank", "last", "waited", "cause", "computing", "launches", "communication"});
    for (std::size_t i = 0; i < std::min(most_rows, of_.stragglers.size()); ++i) {
      const Straggler& each = of_.stragglers[i];
      section.table.push_back({rank_name(static_cast<std::size_t>(each.late.rank)),
                               std::to_string(each.late.times) + " times", ms(each.late.waited),
                               std::string(name_of(each.cause)), ms(each.computing), ms(each.gaps),
                               ms(each.communication)});
    }
    say_left_out(section, of_.stragglers.size(), most_rows);
    return section;
  }

  ReportSection slow_places() const {
    if (of_.slow_places.empty()) return {};
    ReportSection section{"Where data moves slower than elsewhere"};
    section.table.push_back({"place", "exchanges", "bytes", "took", "elsewhere", "times"});
    for (std::size_t i = 0; i < std::min(most_rows, of_.slow_places.size()); ++i) {
      const SlowPlace& place = of_.slow_places[i];
      section.table.push_back(
          {place.names.size() == 2 ? place.names[0] + " - " + place.names[1] : place.names[0],
           std::to_string(place.count), short_text(place.bytes), ms(place.time), ms(place.expected),
           fixed(place.slowness(), 2)});
    }
    say_left_out(section, of_.slow_places.size(), most_rows);
    return section;
  }

  ReportSection computing() const {
    ReportSection section{"Ranks that compute slower than others do the same"};
    section.table.push_back({"rank", "computing", "expected", "slowness", "most lost in"});
    for (std::size_t rank = 0; rank < of_.computing.size(); ++rank) {
      const RankComputing& each = of_.computing[rank];
      if (each.slowness < slow_rank_from || section.table.size() > most_rows) continue;
      section.table.push_back({rank_name(rank), ms(each.time), ms(each.expected),
                               fixed(each.slowness, 2),
                               each.names.empty() ? "-" : short_name(each.names.front().name)});
    }
    return section.table.size() > 1 ? section : ReportSection{};
  }

  ReportSection path() const {
    ReportSection section{"What the step waits for: its critical path"};
    if (of_.path.empty()) return {};
    section.table.push_back({"what", "time", "of the step", "pieces"});
    const auto add = [&](const std::string& name, Duration time, std::int64_t pieces) {
      section.table.push_back({name, ms(time), percent_of(time, of_.step), std::to_string(pieces)});
    };
    for (const PathShare& share : of_.path) add(share.name, share.time, share.pieces);
    for (std::size_t i = 0; i < std::min(most_rows, of_.path_names.size()); ++i)
      add("  " + short_name(of_.path_names[i].name), of_.path_names[i].time,
          of_.path_names[i].pieces);
    section.sentences.push_back("First by kind, summing to the step; indented the longest names.");
    return section;
  }

  ReportSection remarks() const { return {"What the recording does not say", of_.remarks}; }

  const Diagnosis& of_;
  ShownTimes shown_;
};

}  // namespace

std::vector<ReportSection> diagnosis_sections(const Diagnosis& diagnosis) {
  return Sections(diagnosis).list();
}

std::string diagnosis_text(const Diagnosis& diagnosis) {
  return report_text(diagnosis_sections(diagnosis));
}

}  // namespace quintet
