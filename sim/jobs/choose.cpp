#include "sim/jobs/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "sim/base/parallel.h"
#include "sim/jobs/policy.h"
#include "sim/jobs/routes.h"

namespace quintet {

std::string_view name_of(Minimised minimised) {
  switch (minimised) {
    case Minimised::worst_slowdown:
      return "worst-slowdown";
    case Minimised::makespan:
      return "makespan";
  }
  return {};
}

namespace {

struct Candidate {
  std::string name;
  JobDecisions decisions;
};

constexpr int hashes = 6;

class Choosing {
 public:
  Choosing(const JobsOnMachine& machine, const std::vector<JobReference>& references,
           const ChooseWish& wish)
      : machine_(machine), references_(references), wish_(wish) {}

  Result<Chosen> chosen() {
    if (auto error = simulate(placements(), 0.4)) return *error;
    Chosen result;
    for (const char* const name : {"packed", "random", "first-fit"})
      for (const JobChoice& each : seen_)
        if (each.name == name) result.baselines.push_back(each);
    if (auto error = simulate(with_routes(best_of_all()), 0.2)) return *error;
    if (auto error = simulate(with_classes_and_begins(best_of_all()), 0.4)) return *error;
    result.best = best_of_all().front();
    result.simulated = static_cast<int>(seen_.size());
    return result;
  }

 private:
  // All at once; the error is that of the first that fails.
  std::optional<Error> simulate(const std::vector<Candidate>& all, double share) {
    if (failed_) return failed_;
    std::vector<std::optional<Result<Outlook>>> found(all.size());
    const double before = done_;
    for_each_index(
        all.size(), wish_.threads,
        [&](std::size_t each) {
          found[each] = outlook(machine_, all[each].decisions, references_, wish_.joint);
        },
        [&](double of_these) {
          if (wish_.progress) wish_.progress(before + share * of_these);
        });
    done_ += share;
    for (std::size_t each = 0; each < all.size(); ++each) {
      if (!*found[each]) return found[each]->error();
      seen_.push_back({all[each].name, all[each].decisions, std::move(**found[each])});
    }
    return std::nullopt;
  }

  std::pair<double, double> judged(const JobChoice& choice) const {
    const double slowdown = choice.outlook.worst_slowdown, makespan = choice.outlook.makespan.value;
    switch (wish_.minimised) {
      case Minimised::worst_slowdown:
        return {slowdown, makespan};
      case Minimised::makespan:
        return {makespan, slowdown};
    }
    return {};
  }

  // The best seen so far, no two of the same decisions.
  std::vector<JobChoice> best_of_all() const {
    std::vector<JobChoice> sorted = seen_;
    std::stable_sort(sorted.begin(), sorted.end(), [this](const auto& one, const auto& other) {
      return judged(one) < judged(other);
    });
    std::vector<JobChoice> best;
    for (JobChoice& each : sorted) {
      const bool known = std::any_of(best.begin(), best.end(), [&](const JobChoice& other) {
        return other.decisions == each.decisions;
      });
      if (!known) best.push_back(std::move(each));
      if (best.size() == static_cast<std::size_t>(wish_.kept)) break;
    }
    return best;
  }

  Candidate placement(const std::string& name, const PlacementWish& wish) const {
    return {name,
            decisions_in(machine_, placed(machine_, alone_times(machine_, references_), wish))};
  }

  // Those whose sums and messages are the most of their step come first.
  std::vector<std::size_t> most_communicating() const {
    std::vector<double> shares;
    const Candidate packed = placement("", {PlacementRule::packed, 1, {}});
    for (std::size_t job = 0; job < machine_.jobs.size(); ++job) {
      const Result<AloneJob> step = alone(machine_, machine_.jobs[job], packed.decisions[job]);
      shares.push_back(step ? busiest_link_time(*step) / seconds(step->step) : 0.0);
    }
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
      return shares[one] > shares[other];
    });
    return order;
  }

  std::vector<Candidate> placements() const {
    std::vector<Candidate> all;
    for (const PlacementRule rule : {PlacementRule::packed, PlacementRule::random,
                                     PlacementRule::first_fit, PlacementRule::spread})
      all.push_back(placement(std::string(name_of(rule)), {rule, wish_.seed, {}}));
    const std::vector<std::size_t> order = most_communicating();
    for (const PlacementRule rule : {PlacementRule::packed, PlacementRule::spread})
      all.push_back(placement(fmt::format("{}, most communicating first", name_of(rule)),
                              {rule, wish_.seed, order}));
    for (int each = 1; each <= wish_.random_placements; ++each)
      all.push_back(
          placement(fmt::format("random {}", each),
                    {PlacementRule::random, wish_.seed + static_cast<std::uint64_t>(each), {}}));
    return all;
  }

  std::vector<Candidate> with_routes(const std::vector<JobChoice>& best) {
    std::vector<Candidate> all;
    for (const JobChoice& each : best) {
      Result<JobDecisions> routed = least_full_routes(machine_, each.decisions, hashes);
      if (!routed) {
        failed_ = routed.error();
        return {};
      }
      if (*routed != each.decisions) all.push_back({each.name + "; routes chosen", *routed});
    }
    return all;
  }

  std::vector<Candidate> with_classes_and_begins(const std::vector<JobChoice>& best) {
    std::vector<Candidate> all;
    for (const JobChoice& each : best) {
      const Result<std::vector<AloneJob>> steps = alone_steps(machine_, each.decisions);
      if (!steps) {
        failed_ = steps.error();
        return {};
      }
      const Candidate classes{each.name + "; classes by GPU intensity",
                              classes_by_intensity(machine_, each.decisions, *steps)};
      all.push_back(classes);
      for (const Candidate& from : {Candidate{each.name, each.decisions}, classes}) {
        const auto turned = turned_begins(from.decisions, *steps, wish_.seed);
        if (!turned) continue;
        all.push_back({from.name + "; begins turned", turned->free});
        if (turned->drawn_out <= most_drawn_out)
          all.push_back({from.name + "; begins turned, paced", turned->paced});
      }
    }
    return all;
  }

  const JobsOnMachine& machine_;
  const std::vector<JobReference>& references_;
  const ChooseWish& wish_;
  std::vector<JobChoice> seen_;
  std::optional<Error> failed_;
  double done_ = 0;  // share of all work
};

}  // namespace

Result<Chosen> choose(const JobsOnMachine& machine, const std::vector<JobReference>& references,
                      const ChooseWish& wish) {
  return Choosing(machine, references, wish).chosen();
}

}  // namespace quintet
