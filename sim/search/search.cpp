#include "sim/search/search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "sim/base/digest.h"
#include "sim/base/parallel.h"

namespace quintet {
namespace {

constexpr std::uint64_t leaves_of_piece = 64;
constexpr std::size_t first_round = 8, longest_round = 1 << 16;  // pieces

std::uint64_t pieces_of(const CandidateGroup& group) {
  return (group.leaves + leaves_of_piece - 1) / leaves_of_piece;
}

}  // namespace

std::string_view name_of(SearchPhase phase) {
  switch (phase) {
    case SearchPhase::probing:
      return "probing";
    case SearchPhase::estimating:
      return "estimating";
    case SearchPhase::simulating:
      return "simulating";
    case SearchPhase::proving:
      return "proving";
    case SearchPhase::done:
      return "done";
  }
  return {};
}

std::vector<Found> best_of(const SearchState& state, const SearchPlanned& planned) {
  std::vector<Found> best =
      planned.simulate == 0 && !planned.prove ? state.estimated : state.simulated;
  // Stopped before anything was simulated.
  if (best.empty() && state.phase != SearchPhase::done) best = state.estimated;
  if (best.size() > planned.list) best.resize(planned.list);
  return best;
}

Search::Search(const SearchQuestion& question, const SearchPlanned& planned)
    : question_(question),
      planned_(planned),
      pool_(question.candidates, question.factory),
      round_(first_round) {
  bound_groups();
}

void Search::bound_groups() {
  const std::vector<CandidateGroup>& groups = question_.candidates.groups();
  std::vector<GroupBound> bounds(groups.size());
  for_each_index(groups.size(), planned_.threads, [&](std::size_t i) {
    bounds[i] =
        pool_.with([&](ThreadEvaluators& own) { return bound_of(question_, groups[i], own); });
  });
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (bounds[i].fits)
      order_.push_back({static_cast<std::uint32_t>(i), bounds[i].least, 0});
    else if (planned_.share.part == 0)
      state_.counts.too_large += groups[i].leaves;
  // What no bound is known of comes last.
  std::sort(order_.begin(), order_.end(), [](const Order& left, const Order& right) {
    return std::tuple(left.bound <= 0, left.bound, left.group) <
           std::tuple(right.bound <= 0, right.bound, right.group);
  });
  for (Order& each : order_) {
    each.first = pieces_;
    pieces_ += pieces_of(groups[each.group]);
    if (each.bound > 0) unbounded_ = pieces_;
  }
}

const Search::Order& Search::order_of(std::uint64_t piece) const {
  const auto after =
      std::upper_bound(order_.begin(), order_.end(), piece,
                       [](std::uint64_t wanted, const Order& each) { return wanted < each.first; });
  return *std::prev(after);
}

Piece Search::piece_of(std::uint64_t number) const {
  const Order& own = order_of(number);
  const std::uint64_t begin = (number - own.first) * leaves_of_piece;
  const std::uint64_t leaves = question_.candidates.groups()[own.group].leaves;
  return {own.group, begin, std::min(leaves, begin + leaves_of_piece)};
}

// Pieces of this share from `position` on, which is moved behind them.
std::vector<Piece> Search::next_round(std::uint64_t& position, double worst, std::size_t keep,
                                      JudgedBy by) const {
  const auto parts = static_cast<std::uint64_t>(planned_.share.parts);
  std::vector<Piece> round;
  for (; position < pieces_ && round.size() < round_; ++position) {
    if (position % parts != static_cast<std::uint64_t>(planned_.share.part)) continue;
    Piece piece = piece_of(position);
    piece.limit = worst;
    piece.keep = keep;
    piece.by = by;
    round.push_back(piece);
  }
  return round;
}

// Groups stand in the order of their bounds: when one is worse than all that is wanted, so are
// those behind it that have one.
void Search::skip(double worst) {
  if (state_.position < unbounded_ && order_of(state_.position).bound > worst)
    state_.position = unbounded_;
}

bool Search::sweep(std::vector<Found>& into, std::size_t keep, JudgedBy by,
                   const std::atomic<bool>& stop) {
  BestList best(keep);
  for (const Found& found : into) best.add(found);
  skip(best.worst());
  std::uint64_t position = state_.position;
  const std::vector<Piece> round = next_round(position, best.worst(), keep, by);
  if (round.empty()) return end_phase(), true;
  if (!judge(round, best, into, true, stop)) return false;
  state_.position = position;
  return true;
}

// What is found of a round that is given up is true, and will be found again.
bool Search::judge(const std::vector<Piece>& round, BestList& best, std::vector<Found>& into,
                   bool counted, const std::atomic<bool>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<PieceOutcome> outcomes = judged_all(round, stop);
  for (const PieceOutcome& outcome : outcomes)
    for (const Found& found : outcome.found) best.add(found);
  into = best.all();
  if (!std::all_of(outcomes.begin(), outcomes.end(), [](const auto& each) { return each.whole; }))
    return false;
  if (counted) account(outcomes);
  set_round(std::chrono::steady_clock::now() - begin);
  return true;
}

std::vector<Piece> Search::next_probes(std::uint64_t& position, double worst) const {
  const auto parts = static_cast<std::uint64_t>(planned_.share.parts);
  std::vector<Piece> round;
  for (; position < order_.size() && round.size() < round_; ++position) {
    const Order& own = order_[position];
    if (position % parts != static_cast<std::uint64_t>(planned_.share.part) || own.bound > worst)
      continue;
    const std::uint64_t leaves = question_.candidates.groups()[own.group].leaves;
    for (const std::uint64_t leaf : {std::uint64_t{0}, leaves / 2})
      round.push_back({own.group, leaf, leaf + 1, worst, kept(), JudgedBy::estimate});
  }
  return round;
}

bool Search::probe(const std::atomic<bool>& stop) {
  BestList best(kept());
  for (const Found& found : state_.estimated) best.add(found);
  std::uint64_t position = state_.position;
  const std::vector<Piece> round = next_probes(position, best.worst());
  if (round.empty()) return end_phase(), true;
  if (!judge(round, best, state_.estimated, false, stop)) return false;
  state_.position = position;
  return true;
}

std::vector<PieceOutcome> Search::judged_all(const std::vector<Piece>& round,
                                             const std::atomic<bool>& stop) {
  std::vector<PieceOutcome> outcomes(round.size());
  for_each_index(round.size(), planned_.threads, [&](std::size_t i) {
    outcomes[i] =
        pool_.with([&](ThreadEvaluators& own) { return judged(question_, round[i], own, stop); });
  });
  return outcomes;
}

void Search::account(const std::vector<PieceOutcome>& outcomes) {
  for (const PieceOutcome& outcome : outcomes) {
    state_.counts += outcome.counts;
    if (state_.failure.empty()) state_.failure = outcome.failure;
  }
}

// Rounds are about as long as one may wait for a state to be saved.
void Search::set_round(std::chrono::duration<double> took) {
  constexpr double wanted = 0.7;
  const double longer = std::clamp(wanted / std::max(took.count(), 1e-4), 0.25, 4.0);
  const auto pieces = static_cast<std::size_t>(static_cast<double>(round_) * longer);
  round_ = std::clamp<std::size_t>(pieces, 1, longest_round);
}

bool Search::simulate_best(const std::atomic<bool>& stop) {
  const std::size_t most = std::min(planned_.simulate, state_.estimated.size());
  const std::size_t begin = state_.position;
  const std::size_t count =
      std::min<std::size_t>(most - begin, 2 * static_cast<std::size_t>(planned_.threads));
  std::vector<std::optional<Result<std::optional<Found>>>> outcomes(count);
  for_each_index(count, planned_.threads, [&](std::size_t i) {
    if (stop) return;
    outcomes[i] = pool_.with([&](ThreadEvaluators& own) {
      return simulated(question_, state_.estimated[begin + i].number, own);
    });
  });
  BestList best(most);
  for (const Found& found : state_.simulated) best.add(found);
  for (const auto& outcome : outcomes) {
    if (!outcome) break;
    ++state_.position;
    ++state_.counts.simulated;
    if (!*outcome) {
      ++state_.counts.failed;
      if (state_.failure.empty()) state_.failure = outcome->error().text();
    } else if (**outcome) {
      best.add(***outcome);
    }
  }
  state_.simulated = best.all();
  if (stop) return false;
  if (state_.position >= most) end_phase();
  return true;
}

void Search::end_phase() {
  state_.position = 0;
  round_ = first_round;
  switch (state_.phase) {
    case SearchPhase::probing:
      state_.phase = SearchPhase::estimating;
      return;
    case SearchPhase::estimating:
      state_.phase = SearchPhase::simulating;
      if (planned_.simulate > 0 && !state_.estimated.empty()) return;
      [[fallthrough]];
    case SearchPhase::simulating:
      state_.phase = planned_.prove ? SearchPhase::proving : SearchPhase::done;
      return;
    case SearchPhase::proving:
    case SearchPhase::done:
      state_.phase = SearchPhase::done;
      return;
  }
}

bool Search::advance(const std::atomic<bool>& stop) {
  if (stop) return false;
  switch (state_.phase) {
    case SearchPhase::probing:
      return probe(stop);
    case SearchPhase::estimating:
      return sweep(state_.estimated, kept(), JudgedBy::estimate, stop);
    case SearchPhase::simulating:
      return simulate_best(stop);
    case SearchPhase::proving:
      return sweep(state_.simulated, planned_.list, JudgedBy::simulation, stop);
    case SearchPhase::done:
      return false;
  }
  return false;
}

std::uint64_t Search::bounds_digest() const {
  Digest digest;
  for (const Order& each : order_) digest.add(std::uint64_t{each.group}).add(each.bound);
  return digest.value();
}

SearchProgress Search::progress() const {
  SearchProgress progress;
  const std::vector<Found> best = best_of(state_, planned_);
  if (!best.empty()) progress.best = best.front();
  const bool sweeping =
      state_.phase == SearchPhase::estimating || state_.phase == SearchPhase::proving;
  const bool probing = state_.phase == SearchPhase::probing;
  const auto all =
      static_cast<double>(sweeping  ? pieces_
                          : probing ? order_.size()
                                    : std::max<std::size_t>(state_.estimated.size(), 1));
  progress.share = state_.phase == SearchPhase::done
                       ? 1.0
                       : static_cast<double>(state_.position) / std::max(all, 1.0);
  if (sweeping && state_.position < unbounded_ && unbounded_ == pieces_)
    progress.bound = order_of(state_.position).bound;
  return progress;
}

}  // namespace quintet
