#include "calibrate/messages/message_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace quintet::calibrate {
namespace {

constexpr int fewest_sizes = 3;
constexpr std::size_t fewest_errors = 5;  // that quantiles are made of

// Sizes left out, each with its error.
struct Errors {
  std::vector<LeftOutSample> small, large;

  void add(Bytes size, const LeftOutSample& error) {
    (size <= residual_split ? small : large).push_back(error);
  }
  void add(const TimeCurve& curve) {
    for (std::size_t place = 0; place < curve.left_out().size(); ++place)
      add(curve.all_samples()[place].size, curve.left_out()[place]);
  }
  Residuals of_all() const {
    std::vector<LeftOutSample> all = small;
    all.insert(all.end(), large.begin(), large.end());
    return residuals_of(all);
  }
  ResidualsBySize by_size() const {
    if (small.size() < fewest_errors || large.size() < fewest_errors) return {};
    return {residuals_of(small), residuals_of(large)};
  }
};

class Results {
 public:
  Results(const MessageWorld& world, const std::vector<TimingRecord>& timings) : world_(world) {
    std::set<std::string> refused;
    for (const TimingRecord& each : timings)
      if (each.at == world.at && is_refusal(each))
        refused.insert(each.what);
      else if (each.at == world.at)
        timings_[each.what] = each.seconds;
    curves_ = known_curves(curves_to_measure(world.seats, world.methods, world.sizes.largest),
                           timings, world.at);
    for (KnownCurve& known : curves_) known.refused = refused.contains(text_of(known.name));
  }

  void add_to(CostTable& table) {
    for (const KnownCurve& known : curves_)
      if (known.curve.samples() < fewest_sizes)
        (known.refused ? refused_ : missing_).push_back(text_of(known.name));
      else if (known.name.method)
        table.communication.curves.push_back(collective(known));
      else
        table.communication.messages.push_back(message(known));
    table.communication.pairs = pairs();
    table.communication.among = among();
    table.overlap.rows = overlap();
    if (!table.overlap.rows.empty()) table.overlap.source = world_.source;
    say_missing(table.not_measured);
  }

 private:
  const std::vector<double>* timing(const std::string& what) const {
    const auto found = timings_.find(what);
    return found == timings_.end() ? nullptr : &found->second;
  }

  int hosts_of(const Members& members) const {
    std::set<int> hosts;
    for (int place = 0; place < members.count; ++place)
      hosts.insert(
          world_.seats[static_cast<std::size_t>(members.first + place * members.stride)].host);
    return static_cast<int>(hosts.size());
  }

  std::string source_of(const KnownCurve& known) const {
    return fmt::format("{}; {} sizes", world_.source, known.curve.samples());
  }

  CollectiveCurve collective(const KnownCurve& known) const {
    CollectiveCurve curve;
    curve.kind = known.name.method->kind;
    curve.algorithm = known.name.method->algorithm;
    curve.protocol = known.name.method->protocol;
    curve.ranks = known.name.members.count;
    curve.hosts = hosts_of(known.name.members);
    if (curve.hosts > 1) curve.network = world_.network(known.name.members);
    curve.points = known.curve.points();
    curve.source = source_of(known);
    Errors errors;
    errors.add(known.curve);
    curve.residuals = errors.of_all();
    curve.by_size = errors.by_size();
    return curve;
  }

  // Residuals also of other pairs over the like network: the curve stands for all of them.
  MessageCurve message(const KnownCurve& known) const {
    MessageCurve curve;
    if (hosts_of(known.name.members) > 1) curve.network = world_.network(known.name.members);
    curve.points = known.curve.points();
    curve.source = source_of(known);
    Errors errors;
    errors.add(known.curve);
    for (const PairProbe& pair : timed_pairs()) {
      const Members members{pair.from, pair.to - pair.from, 2};
      const bool alike = (hosts_of(members) > 1) == curve.network.has_value() &&
                         (!curve.network || world_.network(members) == curve.network);
      if (!alike || members == known.name.members) continue;
      const Seconds real = median_of(*timing(timing_of(pair)));
      const Seconds said = *known.curve.time(std::max(pair.size, known.curve.least()));
      errors.add(pair.size, {real / said - 1, 0});
    }
    curve.residuals = errors.of_all();
    curve.by_size = errors.by_size();
    return curve;
  }

  // These are two probes for each pair that was timed with both sizes, the small and the large one.
  std::vector<PairProbe> timed_pairs() const {
    std::vector<PairProbe> timed;
    const int ranks = static_cast<int>(world_.seats.size());
    for (const PairProbe& pair : pairs_among(ranks, ranks)) {
      const PairProbe small{pair.from, pair.to, small_message};
      const PairProbe large{pair.from, pair.to, world_.sizes.large_message};
      if (timing(timing_of(small)) == nullptr || timing(timing_of(large)) == nullptr) continue;
      timed.push_back(small);
      timed.push_back(large);
    }
    return timed;
  }

  std::vector<PairCosts> pairs() const {
    std::vector<PairCosts> all;
    const std::vector<PairProbe> timed = timed_pairs();
    for (std::size_t place = 0; place + 1 < timed.size(); place += 2) {
      const Seconds latency = median_of(*timing(timing_of(timed[place])));
      const Seconds large = median_of(*timing(timing_of(timed[place + 1])));
      // No more than half of the large one counts as latency, however late the small one came.
      const Seconds moving = std::max(large - latency, 0.5 * large);
      all.push_back(
          {timed[place].from, timed[place].to, latency, world_.sizes.large_message / moving});
    }
    return all;
  }

  std::optional<MeasuredRanks> among() const {
    const std::vector<double>* const clocks = timing(clocks_words);
    const std::size_t ranks = world_.seats.size();
    if (clocks == nullptr || clocks->size() != ranks + 1) return std::nullopt;
    MeasuredRanks measured;
    measured.ranks = static_cast<int>(ranks);
    measured.hosts = hosts_of({0, 1, measured.ranks});
    measured.source = world_.source;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      measured.clock_offset = std::max(measured.clock_offset, Seconds{std::abs((*clocks)[rank])});
    measured.clock_bound = Seconds{clocks->back()};
    add_jitter(measured);
    return measured;
  }

  void add_jitter(MeasuredRanks& measured) const {
    std::vector<LeftOutSample> away;
    std::vector<double> medians;
    for (int rank = 0; rank < measured.ranks; ++rank) {
      const std::vector<double>* const pieces = timing(quanta_words(rank));
      if (pieces == nullptr) return;
      medians.push_back(median_of(*pieces).value);
      for (const double each : *pieces) away.push_back({each / medians.back() - 1, 0});
    }
    measured.quantum = median_of(medians);
    measured.jitter = residuals_of(away);
    const auto slowest = std::max_element(medians.begin(), medians.end());
    measured.slowest = *slowest / measured.quantum.value;
    measured.slowest_rank = static_cast<int>(slowest - medians.begin());
  }

  std::vector<OverlapRow> overlap() const {
    std::vector<OverlapRow> rows;
    for (const ComputeClass compute : {ComputeClass::product, ComputeClass::memory})
      for (const CommunicationClass moving :
           {CommunicationClass::reducing, CommunicationClass::copying}) {
        const std::vector<double>* const seen = timing(overlap_words(compute, moving));
        if (seen == nullptr || seen->size() != 4) continue;
        rows.push_back({compute, moving, (*seen)[1] / (*seen)[0], (*seen)[3] / (*seen)[2]});
      }
    return rows;
  }

  void say_missing(std::vector<std::string>& sentences) const {
    const std::size_t ranks = world_.seats.size();
    if (!missing_.empty())
      sentences.push_back(
          fmt::format("too few sizes of {} collectives, which the model of transfers prices: {}",
                      missing_.size(), list(missing_)));
    if (!refused_.empty())
      sentences.push_back(
          fmt::format("{} collectives that these ranks do not do by that algorithm: {}",
                      refused_.size(), list(refused_)));
    const std::size_t timed = timed_pairs().size() / 2, all = ranks * (ranks - 1) / 2;
    if (timed < all)
      sentences.push_back(fmt::format("messages of {} of {} pairs of ranks", all - timed, all));
    if (ranks > 1 && overlap().size() < 4)
      sentences.emplace_back("how much computing and communication slow each other");
    const bool reduces =
        std::any_of(world_.methods.begin(), world_.methods.end(),
                    [](const Method& method) { return method.kind == CollectiveKind::reduce; });
    sentences.push_back(fmt::format("collectives among other than {} ranks and halves of them{}",
                                    ranks, reduces ? "" : ", and reductions to one rank"));
  }

  static std::string list(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& each : names) text += (text.empty() ? "" : "; ") + each;
    return text;
  }

  const MessageWorld& world_;
  std::map<std::string, std::vector<double>> timings_;
  std::vector<KnownCurve> curves_;
  std::vector<std::string> missing_, refused_;
};

}  // namespace

void add_message_results(const MessageWorld& world, const std::vector<TimingRecord>& timings,
                         CostTable& table) {
  Results(world, timings).add_to(table);
}

}  // namespace quintet::calibrate
