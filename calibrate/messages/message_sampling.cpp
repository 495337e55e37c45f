#include "calibrate/messages/message_sampling.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>

namespace quintet::calibrate {
namespace {

constexpr Seconds aim{0.03};  // one repeat takes about so long
constexpr int most_calls = 500, pieces = 200;
constexpr Seconds long_call{0.1};
constexpr std::size_t repeats = 5, repeats_of_long = 3;
constexpr Bytes middle{1 << 16};
constexpr double others_share = 0.6;  // of the time, until which other curves begin

Bytes nearest(const std::vector<Bytes>& sizes, Bytes wanted) {
  return *std::min_element(sizes.begin(), sizes.end(), [&](Bytes left, Bytes right) {
    return std::abs(std::log(left / wanted)) < std::abs(std::log(right / wanted));
  });
}

class Sampler {
 public:
  Sampler(TimedRanks& ranks, ProbeJournal& journal, const MessageSamplingOptions& options)
      : ranks_(ranks),
        journal_(journal),
        options_(options),
        curves_(
            known_curves(curves_to_measure(ranks.seats(), ranks.methods(), ranks.sizes().largest),
                         journal.timings(), options.at)) {
    std::set<std::string> refused;
    for (const TimingRecord& each : journal.timings())
      if (each.at == options.at) (is_refusal(each) ? refused : known_).insert(each.what);
    std::erase_if(curves_,
                  [&](const KnownCurve& known) { return refused.contains(text_of(known.name)); });
  }

  Result<MessagesSampled> run() {
    using Stage = std::optional<Error> (Sampler::*)();
    for (const Stage stage : {&Sampler::clocks, &Sampler::quanta, &Sampler::usual_curves,
                              &Sampler::pairs, &Sampler::overlaps, &Sampler::other_curves})
      if (auto wrong = (this->*stage)()) return *wrong;
    for (;;) {
      const auto [known, size] = least_sure();
      if (time_up()) return sampled(MessageEnd::time_up);
      if (known == nullptr) return sampled(MessageEnd::all_measured);
      if (held_out_error(curves_) <= options_.target && doubt(*known, size) <= 2 * options_.target)
        return sampled(MessageEnd::target_reached);
      if (auto wrong = measure(*known, size)) return *wrong;
    }
  }

 private:
  bool time_up() const { return options_.clock() >= options_.time; }
  bool is_known(const std::string& what) const { return known_.contains(what); }

  void announce(const std::string& what) const {
    options_.progress({static_cast<int>(known_.size()), held_out_error(curves_),
                       options_.time - options_.clock(), what});
  }

  std::optional<Error> keep(const std::string& what, std::vector<double> seconds) {
    known_.insert(what);
    return journal_.add(TimingRecord{what, options_.at, std::move(seconds)});
  }

  Result<std::optional<Seconds>> once(const CollectiveProbe& probe, int calls) {
    return ranks_.time(probe, calls);
  }
  Result<std::optional<Seconds>> once(const PairProbe& probe, int calls) {
    const Result<Seconds> time = ranks_.time(probe, calls);
    if (!time) return time.error();
    return std::optional(*time);
  }

  // A first try says how many calls a repeat needs; where that is one, it is one of the repeats.
  // Empty where the ranks do not do it.
  template <class Probe>
  Result<std::vector<double>> repeated(const Probe& probe) {
    const Result<std::optional<Seconds>> tried = once(probe, 1);
    if (!tried) return tried.error();
    if (!*tried) return std::vector<double>();
    const Seconds one = std::max(**tried, Seconds{1e-7});
    const int calls = static_cast<int>(std::clamp(aim / one, 1.0, double{most_calls}));
    std::vector<double> seconds;
    if (calls == 1) seconds.push_back(one.value);
    const std::size_t enough = one > long_call ? repeats_of_long : repeats;
    while (seconds.size() < enough) {
      const Result<std::optional<Seconds>> time = once(probe, calls);
      if (!time) return time.error();
      if (!*time) return std::vector<double>();
      seconds.push_back((*time)->value);
    }
    return seconds;
  }

  std::optional<Error> measure(KnownCurve& known, Bytes size) {
    const std::string what = timing_of(known.name, size);
    announce(what);
    const Members& members = known.name.members;
    const Result<std::vector<double>> seconds =
        known.name.method
            ? repeated(CollectiveProbe{*known.name.method, members, size})
            : repeated(PairProbe{members.first, members.first + members.stride, size});
    if (!seconds) return seconds.error();
    if (seconds->empty()) {
      known.refused = true;
      return keep(text_of(known.name), {});
    }
    known.curve.add(size, median_of(*seconds));
    known.curve.fit();
    return keep(what, *seconds);
  }

  std::optional<Error> clocks() {
    if (is_known(clocks_words) || time_up()) return std::nullopt;
    announce(clocks_words);
    const Result<ClockReadings> read = ranks_.clocks();
    if (!read) return read.error();
    std::vector<double> seconds;
    for (const Seconds offset : read->offsets) seconds.push_back(offset.value);
    seconds.push_back(read->bound.value);
    return keep(clocks_words, std::move(seconds));
  }

  std::optional<Error> quanta() {
    if (is_known(quanta_words(0)) || time_up()) return std::nullopt;
    announce("equal pieces of work");
    const Result<std::vector<std::vector<double>>> times = ranks_.quanta(pieces);
    if (!times) return times.error();
    for (std::size_t rank = times->size(); rank-- > 0;)  // rank 0 says that all are there
      if (auto wrong = keep(quanta_words(static_cast<int>(rank)), (*times)[rank])) return wrong;
    return std::nullopt;
  }

  std::optional<Error> usual_curves() {
    for (KnownCurve& known : curves_)
      if (known.name.usual && !time_up())
        if (auto wrong = first_sizes(known)) return wrong;
    return std::nullopt;
  }

  // What plans must ask for waits, where time is short, for more sizes of what they all get.
  std::optional<Error> other_curves() {
    for (KnownCurve& known : curves_)
      if (!known.name.usual && options_.clock() < others_share * options_.time)
        if (auto wrong = first_sizes(known)) return wrong;
    return std::nullopt;
  }

  // The ends, as far as they are affordable, and one in the middle that tells how far that is.
  std::optional<Error> first_sizes(KnownCurve& known) {
    const std::vector<Bytes> sizes = sizes_of(known.name);
    for (const Bytes size : {sizes.front(), nearest(sizes, middle)})
      if (known.curve.samples_at(size) == 0 && !known.refused && !time_up())
        if (auto wrong = measure(known, size)) return wrong;
    if (known.refused) return std::nullopt;
    const Bytes last = largest_affordable(known, sizes);
    if (known.curve.samples() == 2 && known.curve.most() < last && !time_up())
      return measure(known, last);
    return std::nullopt;
  }

  // As if bytes alone took the time of those from the middle on, which is more than they do.
  Bytes largest_affordable(const KnownCurve& known, const std::vector<Bytes>& sizes) const {
    const Bytes most = known.curve.most();
    const std::optional<Seconds> there = known.curve.time(most);
    Bytes last = sizes.front();
    for (const Bytes size : sizes)
      if (size <= most || (there && *there * (size / most) <= options_.longest)) last = size;
    return last;
  }

  std::optional<Error> pairs() {
    const int ranks = static_cast<int>(ranks_.seats().size());
    for (PairProbe pair : pairs_among(ranks, options_.pairs_up_to))
      for (const Bytes size : {small_message, ranks_.sizes().large_message}) {
        pair.size = size;
        const std::string what = timing_of(pair);
        if (is_known(what) || time_up()) continue;
        announce(what);
        const Result<std::vector<double>> seconds = repeated(pair);
        if (!seconds) return seconds.error();
        if (auto wrong = keep(what, *seconds)) return wrong;
      }
    return std::nullopt;
  }

  std::optional<Error> overlaps() {
    const int ranks = static_cast<int>(ranks_.seats().size());
    for (const ComputeClass compute : {ComputeClass::product, ComputeClass::memory})
      for (const CommunicationClass moving :
           {CommunicationClass::reducing, CommunicationClass::copying}) {
        const std::string what = overlap_words(compute, moving);
        if (ranks < 2 || is_known(what) || time_up()) continue;
        announce(what);
        const Bytes size = ranks_.sizes().overlap;
        const Result<std::optional<Seconds>> one =
            ranks_.time(CollectiveProbe{usual_of(moving), {0, 1, ranks}, size}, 1);
        if (!one) return one.error();
        const Seconds each = std::max(one->value_or(Seconds{}), Seconds{1e-6});
        const double calls = std::clamp(ranks_.sizes().overlap_time / each, 2.0, 1000.0);
        const Result<OverlapSample> sample =
            ranks_.overlap({compute, moving, size, static_cast<int>(calls)});
        if (!sample) return sample.error();
        // Of many ranks on few cores one may not have had its turn.
        if (!(sample->work_alone > 0 && sample->work_beside > 0)) continue;
        if (auto wrong = keep(what, {1 / sample->work_alone, 1 / sample->work_beside,
                                     sample->time_alone.value, sample->time_beside.value}))
          return wrong;
      }
    return std::nullopt;
  }

  Method usual_of(CommunicationClass moving) const {
    const CollectiveKind kind = moving == CommunicationClass::reducing ? CollectiveKind::all_reduce
                                                                       : CollectiveKind::all_gather;
    const std::vector<Method> methods = ranks_.methods();
    return *std::find_if(methods.begin(), methods.end(),
                         [&](const Method& method) { return method.kind == kind; });
  }

  static double doubt(const KnownCurve& known, Bytes size) {
    return known.curve.deviation(size) * (known.name.usual ? 1.0 : 0.5);
  }

  std::pair<KnownCurve*, Bytes> least_sure() {
    std::pair<KnownCurve*, Bytes> best{nullptr, {}};
    double most = 0;
    for (KnownCurve& known : curves_)
      for (const Bytes size : sizes_of(known.name)) {
        const bool inside =
            !known.refused && known.curve.least() < size && size < known.curve.most();
        if (!inside || known.curve.samples_at(size) > 0) continue;
        if (const double here = doubt(known, size); here > most) {
          most = here;
          best = {&known, size};
        }
      }
    return best;
  }

  MessagesSampled sampled(MessageEnd end) const {
    return {end, static_cast<int>(known_.size()), held_out_error(curves_)};
  }

  TimedRanks& ranks_;
  ProbeJournal& journal_;
  const MessageSamplingOptions& options_;
  std::vector<KnownCurve> curves_;
  std::set<std::string> known_;  // TimingRecord::what
};

}  // namespace

Result<MessagesSampled> sample_messages(TimedRanks& ranks, ProbeJournal& journal,
                                        const MessageSamplingOptions& options) {
  assert(options.clock);
  return Sampler(ranks, journal, options).run();
}

}  // namespace quintet::calibrate
