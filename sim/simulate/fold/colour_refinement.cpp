#include "sim/simulate/fold/colour_refinement.h"

#include <numeric>
#include <unordered_map>
#include <utility>

#include "sim/base/digest.h"
#include "sim/program/groups.h"

namespace quintet {

namespace {

// So that unequal signatures get unequal colours.
Colour mix(Colour value) {
  return spread_bits(value);
}

}  // namespace

Colour joined(Colour left, Colour right) {
  return mix(left ^ (mix(right) + 0x632be59bd9b4e019ULL));
}

Colour colour_of(double number) {
  Colour bits;
  static_assert(sizeof bits == sizeof number);
  __builtin_memcpy(&bits, &number, sizeof bits);
  return mix(bits);
}

std::size_t compact(std::vector<Colour>& colours) {
  std::unordered_map<Colour, Colour> numbers;
  for (Colour& colour : colours) colour = numbers.emplace(colour, numbers.size()).first->second;
  return numbers.size();
}

namespace {

Colour signature(const CommunicationPrice& price) {
  Colour colour = joined(colour_of(price.latency.value), colour_of(price.bound.value));
  colour = joined(colour, colour_of(price.flight.value));
  colour = joined(colour, colour_of(steps_of(price.phases) * price.crowded.value));
  colour = joined(colour, colour_of(price.spread.share));
  colour = joined(colour, colour_of(price.busy_sms));
  colour = joined(colour, static_cast<Colour>(price.moves));
  return joined(colour, joined(colour_of(price.memory_share), Colour(price.detail)));
}

// All that tells parties apart before their ranks and links are looked at.
Colour signature(const Party& party) {
  constexpr Colour offset_of_kind[] = {0, 1000003, 2000003, 3000017};
  Colour colour = mix(offset_of_kind[static_cast<std::size_t>(party.kind)] + party.pattern);
  for (const CommunicationPrice* price : party.prices) colour = joined(colour, signature(*price));
  for (const double rate : party.alone) colour = joined(colour, colour_of(rate));
  return colour;
}

Colour own_colour(const LinkShare& link) {
  return joined(colour_of(link.capacity), Colour(link.sharing == Sharing::fat_pipe));
}

// What a party tells the links that it loads about itself.
template <class Tells>
void spread(const Party& party, Colour own, std::vector<Colour>& links, Tells tells) {
  for (std::size_t pattern = 0; pattern < party.prices.size(); ++pattern) {
    Colour part = joined(own, Colour(pattern));
    for (const PhaseLoad& phase : party.prices[pattern]->phases) {
      for (const Usage& use : phase.uses)
        if (const auto link = static_cast<std::size_t>(use.link); tells(link))
          links[link] += joined(part, colour_of(use.per_unit));
      part = mix(part);
    }
  }
}

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
      : parties_(parties.all), telling_(telling) {
    for (const Party& party : parties_) colours_.parties.push_back(signature(party));
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
    for (std::size_t index = 0; index < links.size(); ++index)
      colours_.links[index] = joined(colours_.links[index], links[index]);
    colours_.parties = std::move(parties);
    return compact(colours_.parties) + compact(colours_.ranks) + compact(colours_.links);
  }

  Colour rank_colours(const Party& party) const {
    if (party.kind == PartyKind::message)
      return joined(colours_.ranks[party.ranks[0].index()], colours_.ranks[party.ranks[1].index()]);
    Colour sum = 0;  // a sum of mixed colours does not depend on the order of members
    for (const Rank rank : party.ranks) sum += mix(colours_.ranks[rank.index()]);
    return sum;
  }

  Colour link_colours(const Party& party) const {
    Colour total = 0;
    for (const CommunicationPrice* price : party.prices)
      for (const PhaseLoad& phase : price->phases) {
        Colour sum = Colour(phase.steps);
        for (const Usage& use : phase.uses)
          if (const auto link = static_cast<std::size_t>(use.link); telling_[link])
            sum += joined(colours_.links[link], colour_of(use.per_unit));
        total = joined(total, sum);
      }
    return total;
  }

  // What a party tells its ranks and links about itself.
  void tell(std::size_t index, std::vector<Colour>& ranks, std::vector<Colour>& links) const {
    const Party& party = parties_[index];
    const Colour own = colours_.parties[index];
    for (std::size_t member = 0; member < party.ranks.size(); ++member) {
      const Colour place = party.kind == PartyKind::message ? Colour(member + 1) : 0;
      ranks[party.ranks[member].index()] += joined(own, place);
    }
    spread(party, own, links, [this](std::size_t link) { return telling_[link]; });
  }

  const std::vector<Party>& parties_;
  const Telling& telling_;
  Colours colours_;
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
  for (std::size_t index = 0; index < parties.all.size(); ++index)
    spread(parties.all[index], of_parties[index], colours, [](std::size_t) { return true; });
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
