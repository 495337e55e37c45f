#include <algorithm>
#include <map>
#include <numeric>

#include "sim/program/groups.h"
#include "sim/simulate/world.h"

namespace quintet {

namespace {

using Colour = std::uint64_t;

// splitmix64: spreads neighbouring inputs over all 64 bits, so that unequal signatures get unequal
// colours.
Colour mix(Colour value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}
Colour join(Colour left, Colour right) {
  return mix(left ^ (mix(right) + 0x632be59bd9b4e019ULL));
}
Colour of_number(double number) {
  Colour bits;
  static_assert(sizeof bits == sizeof number);
  __builtin_memcpy(&bits, &number, sizeof bits);
  return mix(bits);
}

// One flow as refinement sees it: all collectives of a group, or one message of a pair.
struct Party {
  std::vector<Rank> ranks;                   // a message: sender, receiver
  std::vector<const Transport*> transports;  // one per pattern; all of a group's, one for a message
  Colour kind = 0;
};

Colour signature(const Transport& transport) {
  Colour colour = join(of_number(transport.latency.value), of_number(transport.bound.value));
  colour = join(colour, of_number(transport.flight.value));
  colour = join(colour, of_number(transport.crowded.value));
  colour = join(colour, of_number(transport.busy_sms));
  return join(colour, join(of_number(transport.memory_share), Colour(transport.detail)));
}

// Number of distinct colours; colours become small numbers in order of first appearance.
std::size_t compact(std::vector<Colour>& colours) {
  std::map<Colour, Colour> numbers;
  for (Colour& colour : colours) colour = numbers.emplace(colour, numbers.size()).first->second;
  return numbers.size();
}

class Refinement {
 public:
  Refinement(const Program& program, const Communications& all) : program_(program), all_(all) {
    collect_groups();
    collect_messages();
    collect_kernels();
    ranks_.resize(static_cast<std::size_t>(world_size(program.grid)));
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      ranks_[rank] = Colour(role_of(program.grid, id_at<Rank>(rank)).value);
    for (const LinkShare& link : all.links)
      links_.push_back(join(of_number(link.capacity), Colour(link.sharing == Sharing::fat_pipe)));
  }

  // Colours settle when a round splits nothing; each round but the last adds a colour, so it ends.
  void refine() {
    std::size_t before = 0;
    for (std::size_t now = round(); now != before; now = round()) before = now;
  }

  // Every rank, party and link a class of its own.
  void separate() {
    std::iota(ranks_.begin(), ranks_.end(), Colour{0});
    std::iota(links_.begin(), links_.end(), Colour{0});
    std::iota(colours_.begin(), colours_.end(), Colour{0});
  }

  FoldedWorld world() {
    FoldedWorld folded;
    compact(ranks_);
    compact(colours_);
    fold_links(folded);
    fold_ranks(folded);
    fold_groups(folded);
    fold_messages(folded);
    fold_kernels(folded);
    return folded;
  }

 private:
  void collect_groups() {
    for (std::size_t communicator = 0; communicator < all_.groups.size(); ++communicator)
      for (std::size_t group = 0; group < all_.groups[communicator].size(); ++group) {
        Party party;
        party.ranks = all_.groups[communicator][group];
        party.kind = mix(communicator);
        for (const auto& pattern : all_.collectives[communicator]) {
          party.transports.push_back(&pattern[group]);
          party.kind = join(party.kind, signature(pattern[group]));
        }
        add(std::move(party));
      }
  }

  void collect_messages() {
    first_message_ = parties_.size();
    for (std::size_t pattern = 0; pattern < all_.messages.size(); ++pattern)
      for (std::size_t sender = 0; sender < all_.messages[pattern].size(); ++sender) {
        Party party;
        party.ranks = {id_at<Rank>(sender), all_.receivers[pattern][sender]};
        party.transports = {&all_.messages[pattern][sender]};
        party.kind = join(mix(1000003 + pattern), signature(all_.messages[pattern][sender]));
        add(std::move(party));
      }
  }

  void collect_kernels() {
    first_kernels_ = parties_.size();
    for (std::size_t rank = 0; rank < all_.kernels.size(); ++rank) {
      Party party;
      party.ranks = {id_at<Rank>(rank)};
      party.transports = {&all_.kernels[rank]};
      party.kind = join(mix(2000003), signature(all_.kernels[rank]));
      add(std::move(party));
    }
  }

  void add(Party party) {
    colours_.push_back(party.kind);
    parties_.push_back(std::move(party));
  }

  bool is_message(std::size_t party) const {
    return party >= first_message_ && party < first_kernels_;
  }

  std::size_t round() {
    std::vector<Colour> parties = colours_;
    std::vector<Colour> ranks(ranks_.size(), 0), links(links_.size(), 0);
    for (std::size_t index = 0; index < parties_.size(); ++index) {
      parties[index] = join(colours_[index], join(rank_colours(index), link_colours(index)));
      spread(index, ranks, links);
    }
    for (std::size_t index = 0; index < ranks.size(); ++index)
      ranks_[index] = join(ranks_[index], ranks[index]);
    for (std::size_t index = 0; index < links.size(); ++index)
      links_[index] = join(links_[index], links[index]);
    colours_ = std::move(parties);
    return compact(colours_) + compact(ranks_) + compact(links_);
  }

  Colour rank_colours(std::size_t index) const {
    const Party& party = parties_[index];
    if (is_message(index))
      return join(ranks_[party.ranks[0].index()], ranks_[party.ranks[1].index()]);
    Colour sum = 0;  // a sum of mixed colours does not depend on the order of members
    for (const Rank rank : party.ranks) sum += mix(ranks_[rank.index()]);
    return sum;
  }

  Colour link_colours(std::size_t index) const {
    Colour total = 0;
    for (std::size_t pattern = 0; pattern < parties_[index].transports.size(); ++pattern) {
      Colour sum = 0;
      for (const Usage& use : parties_[index].transports[pattern]->uses)
        sum += join(links_[static_cast<std::size_t>(use.link)], of_number(use.per_unit));
      total = join(total, sum);
    }
    return total;
  }

  // What a party tells its ranks and links about itself.
  void spread(std::size_t index, std::vector<Colour>& ranks, std::vector<Colour>& links) const {
    const Party& party = parties_[index];
    for (std::size_t member = 0; member < party.ranks.size(); ++member) {
      const Colour place = is_message(index) ? Colour(member + 1) : 0;
      ranks[party.ranks[member].index()] += join(colours_[index], place);
    }
    for (std::size_t pattern = 0; pattern < party.transports.size(); ++pattern)
      for (const Usage& use : party.transports[pattern]->uses)
        links[static_cast<std::size_t>(use.link)] +=
            join(join(colours_[index], Colour(pattern)), of_number(use.per_unit));
  }

  void fold_links(FoldedWorld& folded) {
    std::vector<bool> used(links_.size(), false);
    for (const Party& party : parties_)
      for (const Transport* transport : party.transports)
        for (const Usage& use : transport->uses) used[static_cast<std::size_t>(use.link)] = true;
    std::map<Colour, std::int32_t> numbers;
    class_of_link_.assign(links_.size(), -1);
    for (std::size_t link = 0; link < links_.size(); ++link) {
      if (!used[link]) continue;
      const auto [found, fresh] =
          numbers.emplace(links_[link], static_cast<std::int32_t>(folded.links.size()));
      class_of_link_[link] = found->second;
      if (fresh) {
        folded.links.push_back(all_.links[link]);
        folded.shown_links.push_back(id_at<LinkId>(link));
        folded.link_counts.push_back(0);
      }
      ++folded.link_counts[static_cast<std::size_t>(found->second)];
    }
    folded.class_of_link = class_of_link_;
    load_shown_links(folded);
  }

  // How much each class of parties puts on the shown link of each class: the same on every link of
  // the class.
  void load_shown_links(const FoldedWorld& folded) {
    load_.resize(folded.links.size());
    for (std::size_t index = 0; index < parties_.size(); ++index)
      for (std::size_t pattern = 0; pattern < parties_[index].transports.size(); ++pattern)
        for (const Usage& use : parties_[index].transports[pattern]->uses) {
          const auto link_class =
              static_cast<std::size_t>(class_of_link_[static_cast<std::size_t>(use.link)]);
          if (folded.shown_links[link_class].value == use.link)
            load_[link_class][{colours_[index], pattern}] += use.per_unit;
        }
  }

  std::int32_t add_transport(FoldedWorld& folded, std::size_t party, std::size_t pattern) const {
    Transport transport = *parties_[party].transports[pattern];
    std::vector<Usage> uses;
    for (const Usage& use : transport.uses) {
      const std::int32_t link_class = class_of_link_[static_cast<std::size_t>(use.link)];
      uses.push_back(
          {link_class, load_[static_cast<std::size_t>(link_class)].at({colours_[party], pattern})});
    }
    std::sort(uses.begin(), uses.end(),
              [](const Usage& left, const Usage& right) { return left.link < right.link; });
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    transport.uses = std::move(uses);
    folded.transports.push_back(std::move(transport));
    return static_cast<std::int32_t>(folded.transports.size()) - 1;
  }

  void fold_ranks(FoldedWorld& folded) const {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank] < folded.ranks.size()) {
        ++folded.ranks[ranks_[rank]].ranks;
        continue;
      }
      RankClass fresh;
      fresh.shown = id_at<Rank>(rank);
      fresh.role = role_of(program_.grid, fresh.shown);
      fresh.groups.assign(program_.communicators.size(), -1);
      fresh.neighbours.assign(all_.message_patterns.size(), -1);
      fresh.sends.assign(all_.message_patterns.size(), -1);
      folded.ranks.push_back(std::move(fresh));
    }
  }

  void fold_groups(FoldedWorld& folded) const {
    std::map<Colour, bool> seen;
    std::size_t index = 0;
    for (std::size_t communicator = 0; communicator < all_.groups.size(); ++communicator)
      for (std::size_t group = 0; group < all_.groups[communicator].size(); ++group, ++index) {
        if (!seen.emplace(colours_[index], true).second) continue;
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
        std::vector<std::int32_t>& transports = folded.group_transports.emplace_back();
        for (std::size_t pattern = 0; pattern < parties_[index].transports.size(); ++pattern)
          transports.push_back(add_transport(folded, index, pattern));
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
        from.sends[pattern] = add_transport(folded, index, 0);
      }
  }

  void fold_kernels(FoldedWorld& folded) const {
    for (std::size_t rank = 0; rank < all_.kernels.size(); ++rank) {
      RankClass& its = folded.ranks[ranks_[rank]];
      if (its.shown.index() == rank) its.kernels = add_transport(folded, first_kernels_ + rank, 0);
    }
  }

  const Program& program_;
  const Communications& all_;
  std::vector<Party> parties_;  // groups of all communicators, then messages, then ranks' kernels
  std::size_t first_message_ = 0, first_kernels_ = 0;
  std::vector<Colour> colours_;  // of parties
  std::vector<Colour> ranks_, links_;
  std::vector<std::int32_t> class_of_link_;
  std::vector<std::map<std::pair<Colour, std::size_t>, double>> load_;  // per link class
};

}  // namespace

FoldedWorld fold(const Program& program, const Communications& communications, Folding folding) {
  Refinement refinement(program, communications);
  switch (folding) {
    case Folding::equivalent:
      refinement.refine();
      break;
    case Folding::none:
      refinement.separate();
      break;
  }
  return refinement.world();
}

}  // namespace quintet
