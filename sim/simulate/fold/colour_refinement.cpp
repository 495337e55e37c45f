#include "sim/simulate/fold/colour_refinement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/base/digest.h"
#include "sim/program/groups.h"

namespace quintet {

namespace {

Colour signature(const CommunicationPrice& price) {
  Colour colour = joined(colour_of(price.latency.value), colour_of(price.bound.value));
  colour = joined(colour, colour_of(price.flight.value));
  if (price.held > Seconds{}) colour = joined(colour, colour_of(price.held.value));
  colour = joined(colour, colour_of(steps_of(price.phases) * price.crowded.value));
  colour = joined(colour, colour_of(price.spread.share));
  colour = joined(colour, colour_of(price.busy_sms));
  colour = joined(colour, static_cast<Colour>(price.moves));
  return joined(colour, joined(colour_of(price.memory_share), Colour(price.detail)));
}

// Equal in all that signature() looks at.
bool same_but_links(const CommunicationPrice& one, const CommunicationPrice& other) {
  return one.latency == other.latency && one.bound == other.bound && one.flight == other.flight &&
         one.held == other.held && one.crowded == other.crowded && one.spread == other.spread &&
         one.busy_sms == other.busy_sms && one.moves == other.moves &&
         one.memory_share == other.memory_share && one.detail == other.detail &&
         steps_of(one.phases) == steps_of(other.phases);
}

// Most prices are those of the party before but for their links: their signature is known.
class Signatures {
 public:
  // All that tells parties apart before their ranks and links are looked at.
  Colour of(const Party& party) {
    constexpr Colour offset_of_kind[] = {0, 1000003, 2000003, 3000017};
    Colour colour =
        spread_bits(offset_of_kind[static_cast<std::size_t>(party.kind)] + party.pattern);
    if (known_.size() < party.prices.size()) known_.resize(party.prices.size());
    for (std::size_t number = 0; number < party.prices.size(); ++number) {
      const CommunicationPrice& price = *party.prices[number];
      Known& known = known_[number];
      if (known.price == nullptr || !same_but_links(*known.price, price))
        known = {&price, signature(price)};
      colour = joined(colour, known.colour);
    }
    for (const double rate : party.alone) colour = joined(colour, colour_of(rate));
    return colour;
  }

 private:
  struct Known {
    const CommunicationPrice* price = nullptr;
    Colour colour = 0;
  };
  std::vector<Known> known_;  // by place among a party's prices
};

Colour own_colour(const LinkShare& link) {
  return joined(colour_of(link.capacity), Colour(link.sharing == Sharing::fat_pipe));
}

// What a party tells the links that it loads about itself: a sum of what it does as each pattern
// and phase. Patterns that put the same on links tell it in one go.
class Spreading {
 public:
  template <class Tells>
  void spread(const Party& party, Colour own, std::vector<Colour>& links, Tells tells) {
    for (std::size_t first = 0; first < party.prices.size(); ++first) {
      if (party.alike[first] != static_cast<std::int32_t>(first)) continue;
      parts_.clear();
      for (std::size_t pattern = first; pattern < party.prices.size(); ++pattern)
        if (party.alike[pattern] == static_cast<std::int32_t>(first))
          parts_.push_back(joined(own, Colour(pattern)));
      for (const PhaseLoad& phase : party.prices[first]->phases) {
        double last = 0;
        Colour told = sum_of(last);
        for (const Usage& use : phase.uses) {
          const auto link = static_cast<std::size_t>(use.link);
          if (!tells(link)) continue;
          if (use.per_unit != last) told = sum_of(last = use.per_unit);
          links[link] += told;
        }
        for (Colour& part : parts_) part = spread_bits(part);
      }
    }
  }

 private:
  Colour sum_of(double per_unit) const {
    const Colour amount = colour_of(per_unit);
    Colour sum = 0;
    for (const Colour part : parts_) sum += joined(part, amount);
    return sum;
  }
  std::vector<Colour> parts_;  // of the patterns, in this phase
};

// A rank's role, and how it computes where ranks differ in that.
Colour own_colour(const Program& program, const Parties& parties, int rank) {
  const auto role = Colour(role_of(program.grid, Rank{rank}).value);
  if (parties.kind_of_rank.empty()) return role;
  return joined(role, Colour(parties.kind_of_rank[static_cast<std::size_t>(rank)]));
}

// A link that will not carry alike later is another one now.
Colour own_colour(const LinkShare& link, const Parties& parties, std::size_t number) {
  if (parties.future_of_link.empty()) return own_colour(link);
  return joined(own_colour(link), Colour(parties.future_of_link[number]));
}

class Refinement {
 public:
  Refinement(const Program& program, const std::vector<LinkShare>& links, const Parties& parties,
             const Telling& telling)
      : parties_(parties.all),
        telling_(telling),
        any_tells_(std::find(telling.begin(), telling.end(), true) != telling.end()) {
    Signatures signatures;
    colours_.parties.reserve(parties_.size());
    for (const Party& party : parties_) colours_.parties.push_back(signatures.of(party));
    for (int rank = 0; rank < world_size(program.grid); ++rank)
      colours_.ranks.push_back(own_colour(program, parties, rank));
    for (std::size_t link = 0; link < links.size(); ++link)
      colours_.links.push_back(telling_[link] ? own_colour(links[link], parties, link) : 0);
  }

  // Colours settle when a round splits nothing; each round but the last adds a colour, so it ends.
  Colours settled() && {
    std::size_t before = 0;
    for (std::size_t now = round(); now != before; now = round()) before = now;
    return std::move(colours_);
  }

 private:
  std::size_t round() {
    std::vector<Colour> parties = colours_.parties;
    std::vector<Colour> ranks(colours_.ranks.size(), 0), links(colours_.links.size(), 0);
    for (std::size_t index = 0; index < parties_.size(); ++index) {
      parties[index] = joined(parties[index],
                              joined(rank_colours(parties_[index]), link_colours(parties_[index])));
      tell(index, ranks, links);
    }
    for (std::size_t index = 0; index < ranks.size(); ++index)
      colours_.ranks[index] = joined(colours_.ranks[index], ranks[index]);
    colours_.parties = std::move(parties);
    return compact(colours_.parties) + compact(colours_.ranks) + tell_links_apart(links);
  }

  // Links that tell nobody apart are of one colour, and stay so.
  std::size_t tell_links_apart(const std::vector<Colour>& told) {
    if (!any_tells_) return colours_.links.empty() ? 0 : 1;
    for (std::size_t index = 0; index < told.size(); ++index)
      colours_.links[index] = joined(colours_.links[index], told[index]);
    return compact(colours_.links);
  }

  Colour rank_colours(const Party& party) const {
    if (party.kind == PartyKind::message)
      return joined(colours_.ranks[party.ranks[0].index()], colours_.ranks[party.ranks[1].index()]);
    Colour sum = 0;  // a sum of mixed colours does not depend on the order of members
    for (const Rank rank : party.ranks) sum += spread_bits(colours_.ranks[rank.index()]);
    return sum;
  }

  // Of a party's patterns that put the same on links, the first is looked at.
  Colour link_colours(const Party& party) {
    Colour total = 0;
    sums_.clear();
    begins_.clear();
    for (std::size_t pattern = 0; pattern < party.prices.size(); ++pattern) {
      const auto first = static_cast<std::size_t>(party.alike[pattern]);
      begins_.push_back(first < pattern ? begins_[first] : sums_.size());
      const std::vector<PhaseLoad>& phases = party.prices[pattern]->phases;
      if (first == pattern)
        for (const PhaseLoad& phase : phases) sums_.push_back(sum_of(phase));
      for (std::size_t phase = 0; phase < phases.size(); ++phase)
        total = joined(total, sums_[begins_.back() + phase]);
    }
    return total;
  }

  Colour sum_of(const PhaseLoad& phase) const {
    Colour sum = Colour(phase.steps);
    if (!any_tells_) return sum;
    double last = 0;
    Colour amount = colour_of(last);
    for (const Usage& use : phase.uses) {
      const auto link = static_cast<std::size_t>(use.link);
      if (!telling_[link]) continue;
      if (use.per_unit != last) amount = colour_of(last = use.per_unit);
      sum += joined(colours_.links[link], amount);
    }
    return sum;
  }

  // What a party tells its ranks and links about itself.
  void tell(std::size_t index, std::vector<Colour>& ranks, std::vector<Colour>& links) {
    const Party& party = parties_[index];
    const Colour own = colours_.parties[index];
    for (std::size_t member = 0; member < party.ranks.size(); ++member) {
      const Colour place = party.kind == PartyKind::message ? Colour(member + 1) : 0;
      ranks[party.ranks[member].index()] += joined(own, place);
    }
    if (any_tells_)
      spreading_.spread(party, own, links, [this](std::size_t link) { return telling_[link]; });
  }

  const std::vector<Party>& parties_;
  const Telling& telling_;
  const bool any_tells_;
  Colours colours_;
  Spreading spreading_;
  // Of the party that is looked at: of each phase of each pattern, and where those of one begin.
  std::vector<Colour> sums_;
  std::vector<std::size_t> begins_;
};

std::vector<Colour> numbered(std::size_t count) {
  std::vector<Colour> colours(count);
  std::iota(colours.begin(), colours.end(), Colour{0});
  return colours;
}

}  // namespace

Colours refined_colours(const Program& program, const std::vector<LinkShare>& links,
                        const Parties& parties, const Telling& telling) {
  return Refinement(program, links, parties, telling).settled();
}

std::vector<Colour> colours_by_load(const std::vector<LinkShare>& links, const Parties& parties,
                                    const std::vector<Colour>& of_parties) {
  std::vector<Colour> colours;
  for (const LinkShare& link : links) colours.push_back(own_colour(link));
  Spreading spreading;
  for (std::size_t index = 0; index < parties.all.size(); ++index)
    spreading.spread(parties.all[index], of_parties[index], colours,
                     [](std::size_t) { return true; });
  compact(colours);
  return colours;
}

Colours separate_colours(const Program& program, const std::vector<LinkShare>& links,
                         const Parties& parties) {
  return {numbered(parties.all.size()),
          numbered(static_cast<std::size_t>(world_size(program.grid))),
          numbered(links.size()),
          {}};
}

}  // namespace quintet
