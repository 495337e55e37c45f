#include "sim/simulate/run/priced_states.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "sim/program/groups.h"

namespace quintet {
namespace {

// From the numbers of a machine that lost links to those of the whole one; core pools stand behind.
class Renumbering {
 public:
  Renumbering(const MachineState& state, const Topology& whole)
      : numbers_(state.whole_link), more_(whole.links.size() - state.topology.links.size()) {}

  std::size_t operator()(std::size_t link) const {
    if (numbers_.empty()) return link;
    return link < numbers_.size() ? numbers_[link].index() : link + more_;
  }

  void apply(CommunicationPrice& price) const {
    if (numbers_.empty()) return;
    for (PhaseLoad& phase : price.phases)
      for (Usage& use : phase.uses)
        use.link = static_cast<std::int32_t>((*this)(static_cast<std::size_t>(use.link)));
  }

 private:
  const std::vector<LinkId>& numbers_;
  std::size_t more_;
};

template <class Apply>
void each_price(Communications& all, Apply apply) {
  for (auto& patterns : all.collectives)
    for (auto& groups : patterns)
      for (CommunicationPrice& price : groups) apply(price);
  for (auto* const lists : {&all.messages})
    for (auto& senders : *lists)
      for (CommunicationPrice& price : senders) apply(price);
  for (auto* const list : {&all.kernels, &all.copies.out, &all.copies.in})
    for (CommunicationPrice& price : *list) apply(price);
}

// A link that is not there keeps the rate that it had: nobody asks it to carry anything.
std::vector<LinkShare> whole_links(const Communications& all, const MachineState& state,
                                   const Topology& whole, const Renumbering& number) {
  const std::size_t pools = all.links.size() - state.topology.links.size();
  std::vector<LinkShare> links(whole.links.size() + pools);
  for (std::size_t link = 0; link < whole.links.size(); ++link)
    links[link].capacity = whole.links[link].rate().value;
  for (std::size_t link = 0; link < all.links.size(); ++link) links[number(link)] = all.links[link];
  for (const LinkId link : state.dead) links[link.index()].capacity = 0;
  return links;
}

// Where all compute alike, a list says so all the same, for a state in which they do not.
std::vector<ComputeKind> kinds_by_rank(const Communications& all, const MachineState& state,
                                       std::size_t ranks) {
  std::vector<ComputeKind> kinds;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const ComputeKinds& computing = all.computing;
    const auto kind =
        computing.of_rank.empty() ? 0 : static_cast<std::size_t>(computing.of_rank[rank]);
    kinds.push_back(computing.kinds[kind]);
    if (!state.rank_shares.empty()) kinds.back().speed *= state.rank_shares[rank];
  }
  return kinds;
}

template <class Entry>
void append(std::vector<Entry>& to, std::vector<Entry>&& more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

class Joining {
 public:
  Joining(const Program& program, const Topology& whole)
      : ranks_(static_cast<std::size_t>(world_size(program.grid))), whole_(whole) {}

  void add(Communications&& fresh, const MachineState& state) {
    const Renumbering number(state, whole_);
    const auto before = static_cast<std::int32_t>(joined_.all.details.size());
    each_price(fresh, [&](CommunicationPrice& price) {
      number.apply(price);
      price.detail += before;
    });
    fresh.links = whole_links(fresh, state, whole_, number);
    kinds_.push_back(kinds_by_rank(fresh, state, ranks_));
    links_.push_back(fresh.links);
    joined_.may_stand = joined_.may_stand || !state.dead.empty();
    if (links_.size() == 1) {
      joined_.all = std::move(fresh);
      return;
    }
    for (std::size_t each = 0; each < fresh.patterns.size(); ++each) {
      append(joined_.all.patterns[each], std::move(fresh.patterns[each]));
      append(joined_.all.collectives[each], std::move(fresh.collectives[each]));
    }
    append(joined_.all.message_patterns, std::move(fresh.message_patterns));
    append(joined_.all.messages, std::move(fresh.messages));
    append(joined_.all.receivers, std::move(fresh.receivers));
    append(joined_.all.details, std::move(fresh.details));
  }

  PricedStates result() && {
    joined_.states = static_cast<int>(links_.size());
    for (std::size_t state = 1; state < links_.size(); ++state) {
      WorldChange turn;
      turn.state = static_cast<std::int32_t>(state);
      for (const LinkShare& link : links_[state]) turn.capacities.push_back(link.capacity);
      joined_.turns.push_back(std::move(turn));
    }
    if (links_.size() > 1) {
      tell_links_apart();
      free_bounds();
    }
    find_kinds();
    return std::move(joined_);
  }

 private:
  // What begins while a link is slow and is still moving when it is not goes on at full rate: links
  // say what they let through now, and bounds what algorithm and protocol reach in the best state.
  void free_bounds() {
    for (auto& patterns : joined_.all.collectives) free_bounds(patterns);
    free_bounds(joined_.all.messages);
  }

  void free_bounds(std::vector<std::vector<CommunicationPrice>>& prices) {
    const std::size_t patterns = prices.size() / links_.size();
    for (std::size_t pattern = 0; pattern < patterns; ++pattern)
      for (std::size_t party = 0; party < prices[pattern].size(); ++party) {
        Bandwidth best;
        for (std::size_t at = pattern; at < prices.size(); at += patterns)
          best = std::max(best, prices[at][party].bound);
        for (std::size_t at = pattern; at < prices.size(); at += patterns)
          prices[at][party].bound = best;
      }
  }

  void tell_links_apart() {
    std::map<std::vector<double>, std::int32_t> known;
    for (std::size_t link = 0; link < links_.front().size(); ++link) {
      std::vector<double> capacities;
      for (const auto& links : links_) capacities.push_back(links[link].capacity);
      const auto number = static_cast<std::int32_t>(known.size());
      joined_.all.futures.push_back(known.emplace(std::move(capacities), number).first->second);
    }
  }

  // Ranks are of one kind that are so in every state.
  void find_kinds() {
    std::vector<std::size_t> firsts;  // a rank of each kind
    std::vector<std::int32_t> of_rank;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const auto alike = [&](std::size_t other) {
        return std::all_of(kinds_.begin(), kinds_.end(),
                           [&](const auto& kinds) { return kinds[rank] == kinds[other]; });
      };
      const auto known = std::find_if(firsts.begin(), firsts.end(), alike);
      of_rank.push_back(static_cast<std::int32_t>(known - firsts.begin()));
      if (known == firsts.end()) firsts.push_back(rank);
    }
    ComputeKinds& computing = joined_.all.computing;
    const bool one = firsts.size() == 1 && computing.of_rank.empty();
    computing.kinds.clear();
    for (const std::size_t rank : firsts) computing.kinds.push_back(kinds_.front()[rank]);
    if (!one) computing.of_rank = std::move(of_rank);
    for (WorldChange& turn : joined_.turns)
      for (const std::size_t rank : firsts)
        turn.speeds.push_back(kinds_[static_cast<std::size_t>(turn.state)][rank].speed /
                              kinds_.front()[rank].speed);
  }

  std::size_t ranks_;
  const Topology& whole_;
  PricedStates joined_;
  std::vector<std::vector<LinkShare>> links_;    // per state
  std::vector<std::vector<ComputeKind>> kinds_;  // per state and rank
};

}  // namespace

PricedStates priced_states(const Program& program, const Plan& plan, const Topology& whole,
                           const CostTable& costs, std::span<const MachineState> states) {
  Joining joining(program, whole);
  for (const MachineState& state : states)
    joining.add(communications(program, plan, state.topology, costs), state);
  return std::move(joining).result();
}

}  // namespace quintet
