// Finds the best candidates of a space, and proves it.
//
//   bounds      every group of candidates (one layer 1, one machine) is left out where none of it
//               fits in memory, else gets a bound of all its candidates; groups are looked at in
//               that order
//   probing     two candidates of each group, far apart, are judged at the cheap fidelity: what is
//               found so excludes much from the start
//   estimating  every candidate whose bound is not above the K-th best found is judged at the cheap
//               fidelity (analytic; fluid where that does not cover it)
//   simulating  the K best are judged at fluid
//   proving     only where asked for: every candidate whose bound is not above the best so many
//               found at fluid is judged at fluid, too
//
// A candidate is passed over only by a proof: its bound is above what was found, it does not fit in
// memory, or it exceeds a limit. So the winner, and the list, are those of a full enumeration,
// whatever the number of threads and parts and however often the search was stopped. Ties go to
// the lower number.
#pragma once

#include <chrono>
#include <string_view>

#include "sim/search/evaluator_pool.h"
#include "sim/search/judging.h"

namespace quintet {

// Which of how many processes share the work: each takes every so-many-th piece of it.
struct SearchShare {
  int part = 0, parts = 1;
  bool operator==(const SearchShare&) const = default;
};

struct SearchPlanned {
  int threads = 1;
  std::size_t simulate = 100;  // K; 0: nothing is simulated but what is not covered otherwise
  std::size_t list = 10;       // best ones that are wanted
  bool prove = false;          // at fluid
  SearchShare share = {};
};

enum class SearchPhase { probing, estimating, simulating, proving, done };
std::string_view name_of(SearchPhase phase);

// All that a search knows at a moment: what is saved.
struct SearchState {
  SearchPhase phase = SearchPhase::probing;
  std::uint64_t position = 0;    // pieces of the phase that are done; probing: groups; simulating:
                                 // candidates
  std::vector<Found> estimated;  // the best K, or as many as are wanted
  std::vector<Found> simulated;  // at fluid, in order
  SearchCounts counts;
  std::string failure;  // why a candidate cannot be priced
  bool operator==(const SearchState&) const = default;
};

struct SearchProgress {
  double share = 0;             // of the phase
  std::optional<Found> best;    // so far
  std::optional<double> bound;  // no candidate that is left can be better; none: not known
};

// What is wanted of all that is known, which may be less than all.
std::vector<Found> best_of(const SearchState& state, const SearchPlanned& planned);

class Search {
 public:
  // Bounds all groups.
  Search(const SearchQuestion& question, const SearchPlanned& planned);

  // Goes on from there.
  void resume(SearchState state) { state_ = std::move(state); }
  // About a second of work. False: all is done, or `stop` was set, by which a round that was begun
  // is given up.
  bool advance(const std::atomic<bool>& stop);

  const SearchState& state() const { return state_; }
  SearchProgress progress() const;
  // Of all groups' bounds, in their order.
  std::uint64_t bounds_digest() const;

 private:
  struct Order {
    std::uint32_t group = 0;
    double bound = 0;         // no candidate of it is better
    std::uint64_t first = 0;  // piece
  };

  void bound_groups();
  const Order& order_of(std::uint64_t piece) const;
  Piece piece_of(std::uint64_t number) const;
  std::vector<Piece> next_round(std::uint64_t& position, double worst, std::size_t keep,
                                JudgedBy by) const;
  // Pieces of how many of the groups; `position` is moved behind them.
  std::vector<Piece> next_probes(std::uint64_t& position, double worst) const;
  bool probe(const std::atomic<bool>& stop);
  bool sweep(std::vector<Found>& into, std::size_t keep, JudgedBy by,
             const std::atomic<bool>& stop);
  // Adds what is found. False: it was stopped before it had judged all.
  bool judge(const std::vector<Piece>& round, BestList& best, std::vector<Found>& into,
             bool counted, const std::atomic<bool>& stop);
  void skip(double worst);
  std::vector<PieceOutcome> judged_all(const std::vector<Piece>& round,
                                       const std::atomic<bool>& stop);
  void account(const std::vector<PieceOutcome>& outcomes);
  void set_round(std::chrono::duration<double> took);
  bool simulate_best(const std::atomic<bool>& stop);
  void end_phase();
  std::size_t kept() const { return std::max(planned_.simulate, planned_.list); }

  SearchQuestion question_;
  SearchPlanned planned_;
  EvaluatorPool pool_;
  std::vector<Order> order_;
  std::uint64_t pieces_ = 0;
  std::uint64_t unbounded_ = 0;  // the first piece of groups whose bound says nothing
  std::size_t round_ = 0;        // pieces of the next
  SearchState state_;
};

}  // namespace quintet
