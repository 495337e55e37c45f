#include <algorithm>
#include <map>
#include <tuple>

#include "sim/program/groups.h"
#include "sim/simulate/fold/colour_refinement.h"
#include "sim/simulate/fold/parties.h"
#include "sim/simulate/fold/slack_links.h"
#include "sim/simulate/fold/undisturbed.h"
#include "sim/simulate/fold/world.h"

namespace quintet {

namespace {

// Shows one member of every class, and finds what it does to the members shown of others.
class Classes {
 public:
  Classes(const Program& program, const Communications& all, const Parties& parties,
          const Colours& colours)
      : program_(program),
        all_(all),
        parties_(parties.all),
        first_message_(parties.first_message),
        first_kernels_(parties.first_kernels),
        first_copies_(parties.first_copies),
        colours_(colours.parties),
        ranks_(colours.ranks),
        links_(colours.links),
        slack_(colours.presumed_slack) {}

  FoldedWorld world() {
    FoldedWorld folded;
    list_moves(folded);
    fold_links(folded);
    fold_ranks(folded);
    fold_groups(folded);
    fold_messages(folded);
    fold_kernels(folded);
    fold_copies(folded);
    find_undisturbed(program_, folded);
    return folded;
  }

 private:
  // Collectives by communicator and pattern, then messages by pattern, then what has no size of its
  // own: kernels and copies.
  void list_moves(FoldedWorld& folded) {
    for (const std::vector<CollectivePattern>& patterns : all_.patterns) {
      first_move_.push_back(folded.moves.size());
      for (const CollectivePattern& pattern : patterns)
        folded.moves.push_back({pattern.collective.size});
    }
    first_message_move_ = folded.moves.size();
    for (const MessagePattern& pattern : all_.message_patterns)
      folded.moves.push_back({pattern.size});
    folded.moves.push_back({});
  }

  std::size_t move_of(const Party& party, std::size_t pattern) const {
    switch (party.kind) {
      case PartyKind::group:
        return first_move_[party.pattern] + pattern;
      case PartyKind::message:
        return first_message_move_ + party.pattern;
      case PartyKind::kernels:
      case PartyKind::copies:
        break;
    }
    return first_message_move_ + all_.message_patterns.size();
  }

  void fold_links(FoldedWorld& folded) {
    std::vector<char> used(links_.size(), 0);
    for (const Party& party : parties_)
      for (std::size_t pattern = 0; pattern < party.prices.size(); ++pattern)
        if (party.alike[pattern] == static_cast<std::int32_t>(pattern))
          for (const PhaseLoad& phase : party.prices[pattern]->phases)
            for (const Usage& use : phase.uses) used[static_cast<std::size_t>(use.link)] = 1;
    constexpr std::int32_t none = -1;
    std::vector<std::int32_t> numbers(links_.size(), none);  // by colour: these are small
    class_of_link_.assign(links_.size(), -1);
    for (std::size_t link = 0; link < links_.size(); ++link) {
      if (used[link] == 0) continue;
      std::int32_t& number = numbers[links_[link]];
      const bool fresh = number == none;
      if (fresh) number = static_cast<std::int32_t>(folded.links.size());
      class_of_link_[link] = number;
      if (fresh) {
        folded.links.push_back(all_.links[link]);
        folded.shown_links.push_back(id_at<LinkId>(link));
        folded.link_counts.push_back(0);
        folded.presumed_slack.push_back(is_slack(link));
      }
      ++folded.link_counts[static_cast<std::size_t>(number)];
    }
    folded.class_of_link = class_of_link_;
    load_shown_links(folded);
  }

  bool is_slack(std::size_t link) const { return !slack_.empty() && slack_[link]; }

  // How much each class of parties puts on the shown link of each class: the same on every link of
  // the class.
  void load_shown_links(const FoldedWorld& folded) {
    load_.resize(folded.links.size());
    std::vector<char> shown(links_.size(), 0);
    for (const LinkId link : folded.shown_links) shown[link.index()] = 1;
    std::vector<std::vector<ShownUse>> uses;  // of each of a party's patterns
    for (std::size_t index = 0; index < parties_.size(); ++index) {
      const Party& party = parties_[index];
      if (uses.size() < party.prices.size()) uses.resize(party.prices.size());
      for (std::size_t pattern = 0; pattern < party.prices.size(); ++pattern) {
        const auto first = static_cast<std::size_t>(party.alike[pattern]);
        if (first == pattern) list_shown(party.prices[pattern]->phases, shown, uses[pattern]);
        for (const ShownUse& use : uses[first]) {
          if (folded.presumed_slack[use.link_class])
            load_slack(static_cast<std::int32_t>(use.link_class), index, pattern, use.per_unit);
          else
            load_[use.link_class][{colours_[index], pattern, use.phase}] += use.per_unit;
        }
      }
    }
  }

  // What a pattern puts on a link that shows its class.
  struct ShownUse {
    std::size_t link_class = 0, phase = 0;
    double per_unit = 0;
  };

  void list_shown(const std::vector<PhaseLoad>& phases, const std::vector<char>& shown,
                  std::vector<ShownUse>& uses) const {
    uses.clear();
    for (std::size_t phase = 0; phase < phases.size(); ++phase)
      for (const Usage& use : phases[phase].uses)
        if (shown[static_cast<std::size_t>(use.link)] != 0)
          uses.push_back({class_of(use.link), phase, use.per_unit});
  }

  // Several phases of one party are one move.
  void load_slack(std::int32_t link, std::size_t party, std::size_t pattern, double per_unit) {
    SlackLoad& load = slack_loads_[{colours_[party], pattern}][link];
    load.use.link = link;
    load.use.per_unit = (load.last_party < 0 ? 0.0 : load.use.per_unit) + per_unit;
    load.use.moves = (load.last_party < 0 ? 0 : load.use.moves) +
                     (load.last_party == static_cast<std::int64_t>(party) ? 0 : 1);
    load.last_party = static_cast<std::int64_t>(party);
  }

  std::size_t class_of(std::int32_t link) const {
    return static_cast<std::size_t>(class_of_link_[static_cast<std::size_t>(link)]);
  }

  std::int32_t add_price(FoldedWorld& folded, std::size_t index, std::size_t pattern) const {
    const Party& party = parties_[index];
    FoldedPrice fresh{*party.prices[pattern]};
    for (std::size_t phase = 0; phase < fresh.price.phases.size(); ++phase)
      fresh.price.phases[phase].uses =
          folded_uses(fresh.price.phases[phase].uses, {colours_[index], pattern, phase});
    fresh.whole = whole_load(fresh.price.phases);
    if (!party.alone.empty()) fresh.alone = {party.alone[pattern]};
    if (const auto slack = slack_loads_.find({colours_[index], pattern});
        slack != slack_loads_.end())
      for (const auto& [link, load] : slack->second) fresh.slack.push_back(load.use);
    fresh.move = static_cast<std::int32_t>(move_of(party, pattern));
    folded.prices.push_back(std::move(fresh));
    return static_cast<std::int32_t>(folded.prices.size()) - 1;
  }

  // A phase of a class of parties, by pattern and place.
  using PhaseKey = std::tuple<Colour, std::size_t, std::size_t>;

  std::vector<Usage> folded_uses(const std::vector<Usage>& members, const PhaseKey& key) const {
    std::vector<Usage> uses;
    for (const Usage& use : members) {
      if (is_slack(static_cast<std::size_t>(use.link))) continue;
      const std::size_t link_class = class_of(use.link);
      uses.push_back({static_cast<std::int32_t>(link_class), load_[link_class].at(key)});
    }
    std::sort(uses.begin(), uses.end(),
              [](const Usage& left, const Usage& right) { return left.link < right.link; });
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    return uses;
  }

  void fold_ranks(FoldedWorld& folded) const {
    for (const auto colour : ranks_)
      folded.class_of_rank.push_back(static_cast<std::int32_t>(colour));
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank] < folded.ranks.size()) {
        ++folded.ranks[ranks_[rank]].ranks;
        continue;
      }
      RankClass fresh;
      fresh.shown = id_at<Rank>(rank);
      fresh.role = role_of(program_.grid, fresh.shown);
      if (!all_.computing.of_rank.empty()) fresh.computes = all_.computing.of_rank[rank];
      fresh.groups.assign(program_.communicators.size(), -1);
      fresh.neighbours.assign(all_.message_patterns.size(), -1);
      fresh.sends.assign(all_.message_patterns.size(), -1);
      folded.ranks.push_back(std::move(fresh));
    }
  }

  void fold_groups(FoldedWorld& folded) const {
    std::vector<bool> seen(parties_.size(), false);  // by colour: these are small
    std::size_t index = 0;
    for (std::size_t communicator = 0; communicator < all_.groups.size(); ++communicator)
      for (std::size_t group = 0; group < all_.groups[communicator].size(); ++group, ++index) {
        if (seen[colours_[index]]) continue;
        seen[colours_[index]] = true;
        const auto number = static_cast<std::int32_t>(folded.groups.size());
        GroupClass fresh{id_at<CommunicatorId>(communicator), {}};
        for (const Rank rank : parties_[index].ranks) {
          const auto rank_class = static_cast<std::int32_t>(ranks_[rank.index()]);
          fresh.members.push_back(rank_class);
          folded.ranks[static_cast<std::size_t>(rank_class)].groups[communicator] = number;
        }
        std::sort(fresh.members.begin(), fresh.members.end());
        fresh.members.erase(std::unique(fresh.members.begin(), fresh.members.end()),
                            fresh.members.end());
        folded.groups.push_back(std::move(fresh));
        std::vector<std::int32_t>& prices = folded.group_prices.emplace_back();
        for (std::size_t pattern = 0; pattern < parties_[index].prices.size(); ++pattern)
          prices.push_back(add_price(folded, index, pattern));
      }
  }

  void fold_messages(FoldedWorld& folded) const {
    std::size_t index = first_message_;
    for (std::size_t pattern = 0; pattern < all_.messages.size(); ++pattern)
      for (std::size_t sender = 0; sender < all_.messages[pattern].size(); ++sender, ++index) {
        RankClass& from = folded.ranks[ranks_[sender]];
        if (from.shown.index() != sender) continue;
        from.neighbours[pattern] =
            static_cast<std::int32_t>(ranks_[all_.receivers[pattern][sender].index()]);
        from.sends[pattern] = add_price(folded, index, 0);
      }
  }

  void fold_kernels(FoldedWorld& folded) const {
    for (std::size_t rank = 0; rank < all_.kernels.size(); ++rank) {
      RankClass& its = folded.ranks[ranks_[rank]];
      if (its.shown.index() == rank) its.kernels = add_price(folded, first_kernels_ + rank, 0);
    }
  }

  void fold_copies(FoldedWorld& folded) const {
    const std::size_t ranks = all_.copies.out.size();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      RankClass& its = folded.ranks[ranks_[rank]];
      if (its.shown.index() != rank) continue;
      its.copies_out = add_price(folded, first_copies_ + rank, 0);
      its.copies_in = add_price(folded, first_copies_ + ranks + rank, 0);
    }
  }

  const Program& program_;
  const Communications& all_;
  const std::vector<Party>& parties_;
  std::size_t first_message_, first_kernels_, first_copies_;
  const std::vector<Colour>& colours_;  // of parties
  const std::vector<Colour>&ranks_, &links_;
  const std::vector<bool>& slack_;  // per link; empty: none
  std::vector<std::int32_t> class_of_link_;
  std::vector<std::map<PhaseKey, double>> load_;  // per link class
  struct SlackLoad {
    SlackUse use;
    std::int64_t last_party = -1;
  };
  // Each class of parties has its own, by pattern: per link class.
  std::map<std::pair<Colour, std::size_t>, std::map<std::int32_t, SlackLoad>> slack_loads_;
  std::vector<std::size_t> first_move_;  // per communicator
  std::size_t first_message_move_ = 0;
};

}  // namespace

FoldedWorld fold(const Program& program, const Communications& communications, Folding folding) {
  const Parties parties = parties_of(communications);
  Colours colours;
  switch (folding) {
    case Folding::equivalent:
      colours = refined_colours(program, communications.links, parties,
                                Telling(communications.links.size(), true));
      break;
    case Folding::none:
      colours = separate_colours(program, communications.links, parties);
      break;
  }
  return Classes(program, communications, parties, colours).world();
}

FoldedWorld fold_presuming_slack(const Program& program, const Communications& communications,
                                 const std::vector<bool>& binding) {
  Parties parties = parties_of(communications);
  find_rates_alone(parties, communications.links);
  const Colours colours = colours_presuming_slack(program, communications.links, parties, binding);
  return Classes(program, communications, parties, colours).world();
}

}  // namespace quintet
