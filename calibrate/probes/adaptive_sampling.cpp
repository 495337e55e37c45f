#include "calibrate/probes/adaptive_sampling.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>

namespace quintet::calibrate {
namespace {

constexpr Seconds measured_for{1};  // steps that count take about so long together
// Times the time given, until every form was measured once: without one, plans of its kind cannot
// be predicted at all.
constexpr double patience = 3;

class Sampler {
 public:
  Sampler(const std::vector<Candidate>& candidates, const Prober& prober, ProbeJournal& journal,
          const SamplingOptions& options)
      : candidates_(candidates), prober_(prober), journal_(journal), options_(options) {
    for (const ProbeRecord& record : journal.records()) take(record);
    knowledge_.fit();
  }

  Result<Sampled> run() {
    for (;;) {
      const Candidate* const next = choose();
      const double held_out = forms_left().empty() ? knowledge_.held_out_error() : 1;
      if (next == nullptr) return sampled(SamplingEnd::all_measured);
      if (held_out <= options_.target && to_repeat() == nullptr)
        return sampled(SamplingEnd::target_reached);
      const Seconds now = options_.clock();
      if (now >= options_.time * (forms_left().empty() ? 1 : patience))
        return sampled(SamplingEnd::time_up);
      options_.progress({static_cast<int>(journal_.records().size()), held_out, now,
                         options_.time - now, next->probe.name});
      Result<ProbeRecord> record = prober_(*next, steps_of(*next));
      if (!record) return record.error();
      take(*record);
      if (auto wrong = journal_.add(std::move(*record))) return *wrong;
      knowledge_.fit();
    }
  }

 private:
  void take(const ProbeRecord& record) {
    knowledge_.add(record.operators);
    ++times_measured_[record.probe];
    for (const StagingCosts& each : record.staging)
      staging_[each.communication].push_back(each.rate);
    for (const Candidate& each : candidates_)
      if (each.probe.name == record.probe) forms_.insert(each.probe.form);
  }

  Seconds step_time(const Candidate& candidate) const {
    Seconds all;
    for (const CountedOperator& each : candidate.operators) {
      const auto known = knowledge_.time(each.work);
      all += static_cast<double>(each.count) *
             (known ? *known : Seconds{natural_work(each.work) / options_.unknown_rate});
    }
    return all / static_cast<double>(options_.cores);
  }

  ProbeSteps steps_of(const Candidate& candidate) const {
    const double fitting = measured_for / std::max(step_time(candidate), Seconds{1e-4});
    return {2, static_cast<int>(std::clamp(fitting, 3.0, 20.0))};
  }

  Seconds duration(const Candidate& candidate) const {
    const ProbeSteps steps = steps_of(candidate);
    return options_.preparation +
           step_time(candidate) * static_cast<double>(steps.warm_up + steps.steps);
  }

  int times_measured(const Candidate& candidate) const {
    const auto found = times_measured_.find(candidate.probe.name);
    return found == times_measured_.end() ? 0 : found->second;
  }

  std::set<std::string> forms_left() const {
    std::set<std::string> left;
    for (const Candidate& each : candidates_)
      if (!forms_.contains(each.probe.form)) left.insert(each.probe.form);
    return left;
  }

  double promise(const Candidate& candidate) const {
    double promise = 0;
    for (const CountedOperator& each : candidate.operators)
      promise += knowledge_.weight(each.work) * knowledge_.deviation(each.work);
    return promise / duration(candidate).value;
  }

  bool affordable(const Candidate& candidate) const {
    return duration(candidate) <= options_.longest;
  }

  // The first of each form: one in the middle of what the form has, another place for each.
  const Candidate* first_of(const std::string& form) const {
    std::vector<const Candidate*> all;
    for (const Candidate& each : candidates_)
      if (each.probe.form == form && affordable(each)) all.push_back(&each);
    if (all.empty()) {  // the cheapest, at whatever cost: without it a form stays unknown
      for (const Candidate& each : candidates_)
        if (each.probe.form == form) all.push_back(&each);
      return *std::min_element(all.begin(), all.end(), [&](const auto* left, const auto* right) {
        return duration(*left) < duration(*right);
      });
    }
    constexpr double golden = 0.618;  // places that fill an interval evenly
    const double place = std::fmod(0.5 + golden * static_cast<double>(forms_.size()), 1.0);
    return all[static_cast<std::size_t>(place * static_cast<double>(all.size()))];
  }

  // The cheapest that has most of what was contradicted and was not measured twice already.
  const Candidate* to_repeat() const {
    const std::vector<PricedOperator> doubted = knowledge_.contradicted();
    const Candidate* best = nullptr;
    double most = 0;
    for (const Candidate& each : candidates_) {
      if (const int times = times_measured(each); times == 0 || times >= 3) continue;
      double weight = 0;
      for (const CountedOperator& one : each.operators)
        if (std::find(doubted.begin(), doubted.end(), one.work) != doubted.end())
          weight += knowledge_.weight(one.work);
      if (weight > most) {
        most = weight;
        best = &each;
      }
    }
    constexpr double worthwhile = 0.02;  // of a typical step
    return most >= worthwhile ? best : nullptr;
  }

  const Candidate* choose() {
    if (const std::set<std::string> left = forms_left(); !left.empty())
      return first_of(*left.begin());
    again_ = !again_;  // in turns: a young curve doubts much that more samples would explain
    if (const Candidate* const doubted = to_repeat(); doubted != nullptr && again_) return doubted;
    again_ = false;
    const Candidate* best = nullptr;
    double most = 0;
    for (const Candidate& each : candidates_) {
      if (times_measured(each) > 0 || !affordable(each)) continue;
      if (const double value = promise(each); value > most) {
        most = value;
        best = &each;
      }
    }
    return best;
  }

  Sampled sampled(SamplingEnd end) const {
    Sampled result{end,
                   knowledge_,
                   {},
                   static_cast<int>(journal_.records().size()),
                   knowledge_.held_out_error()};
    for (auto [name, rates] : staging_) {
      std::sort(rates.begin(), rates.end());
      result.staging.push_back({name, rates[rates.size() / 2]});
    }
    return result;
  }

  const std::vector<Candidate>& candidates_;
  const Prober& prober_;
  ProbeJournal& journal_;
  const SamplingOptions& options_;
  OperatorKnowledge knowledge_;
  std::map<std::string, int> times_measured_;
  std::map<std::string, std::vector<Bandwidth>> staging_;
  std::set<std::string> forms_;
  bool again_ = false;  // the last one was doubted
};

}  // namespace

Result<Sampled> sample_operators(const std::vector<Candidate>& candidates, const Prober& prober,
                                 ProbeJournal& journal, const SamplingOptions& options) {
  assert(options.clock);
  return Sampler(candidates, prober, journal, options).run();
}

}  // namespace quintet::calibrate
