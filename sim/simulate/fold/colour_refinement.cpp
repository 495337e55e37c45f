#include "sim/simulate/fold/colour_refinement.h"

#include <map>
#include <numeric>
#include <utility>

#include "sim/program/groups.h"

namespace quintet {

namespace {

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

Colour signature(const CommunicationPrice& price) {
  Colour colour = join(of_number(price.latency.value), of_number(price.bound.value));
  colour = join(colour, of_number(price.flight.value));
  colour = join(colour, of_number(steps_of(price.phases) * price.crowded.value));
  colour = join(colour, of_number(price.spread.share));
  colour = join(colour, of_number(price.busy_sms));
  colour = join(colour, static_cast<Colour>(price.moves));
  return join(colour, join(of_number(price.memory_share), Colour(price.detail)));
}

// All that tells parties apart before their ranks and links are looked at.
Colour signature(const Party& party) {
  constexpr Colour offset_of_kind[] = {0, 1000003, 2000003, 3000017};
  Colour colour = mix(offset_of_kind[static_cast<std::size_t>(party.kind)] + party.pattern);
  for (const CommunicationPrice* price : party.prices) colour = join(colour, signature(*price));
  return colour;
}

// Number of distinct colours; colours become small numbers in order of first appearance.
std::size_t compact(std::vector<Colour>& colours) {
  std::map<Colour, Colour> numbers;
  for (Colour& colour : colours) colour = numbers.emplace(colour, numbers.size()).first->second;
  return numbers.size();
}

class Refinement {
 public:
  Refinement(const Program& program, const std::vector<LinkShare>& links, const Parties& parties)
      : parties_(parties.all) {
    for (const Party& party : parties_) colours_.parties.push_back(signature(party));
    for (int rank = 0; rank < world_size(program.grid); ++rank)
      colours_.ranks.push_back(Colour(role_of(program.grid, Rank{rank}).value));
    for (const LinkShare& link : links)
      colours_.links.push_back(
          join(of_number(link.capacity), Colour(link.sharing == Sharing::fat_pipe)));
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
      parties[index] =
          join(parties[index], join(rank_colours(parties_[index]), link_colours(parties_[index])));
      spread(index, ranks, links);
    }
    for (std::size_t index = 0; index < ranks.size(); ++index)
      colours_.ranks[index] = join(colours_.ranks[index], ranks[index]);
    for (std::size_t index = 0; index < links.size(); ++index)
      colours_.links[index] = join(colours_.links[index], links[index]);
    colours_.parties = std::move(parties);
    return compact(colours_.parties) + compact(colours_.ranks) + compact(colours_.links);
  }

  Colour rank_colours(const Party& party) const {
    if (party.kind == PartyKind::message)
      return join(colours_.ranks[party.ranks[0].index()], colours_.ranks[party.ranks[1].index()]);
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
          sum += join(colours_.links[static_cast<std::size_t>(use.link)], of_number(use.per_unit));
        total = join(total, sum);
      }
    return total;
  }

  // What a party tells its ranks and links about itself.
  void spread(std::size_t index, std::vector<Colour>& ranks, std::vector<Colour>& links) const {
    const Party& party = parties_[index];
    const Colour own = colours_.parties[index];
    for (std::size_t member = 0; member < party.ranks.size(); ++member) {
      const Colour place = party.kind == PartyKind::message ? Colour(member + 1) : 0;
      ranks[party.ranks[member].index()] += join(own, place);
    }
    for (std::size_t pattern = 0; pattern < party.prices.size(); ++pattern) {
      Colour part = join(own, Colour(pattern));
      for (const PhaseLoad& phase : party.prices[pattern]->phases) {
        for (const Usage& use : phase.uses)
          links[static_cast<std::size_t>(use.link)] += join(part, of_number(use.per_unit));
        part = mix(part);
      }
    }
  }

  const std::vector<Party>& parties_;
  Colours colours_;
};

std::vector<Colour> numbered(std::size_t count) {
  std::vector<Colour> colours(count);
  std::iota(colours.begin(), colours.end(), Colour{0});
  return colours;
}

}  // namespace

Colours refined_colours(const Program& program, const std::vector<LinkShare>& links,
                        const Parties& parties) {
  return Refinement(program, links, parties).settled();
}

Colours separate_colours(const Program& program, const std::vector<LinkShare>& links,
                         const Parties& parties) {
  return {numbered(parties.all.size()),
          numbered(static_cast<std::size_t>(world_size(program.grid))), numbered(links.size())};
}

}  // namespace quintet
