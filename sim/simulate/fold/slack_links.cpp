#include "sim/simulate/fold/slack_links.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace quintet {

namespace {

// What one party puts on links, as colours, in order: equal for parties that links do not tell
// apart.
class Loads {
 public:
  explicit Loads(const std::vector<Colour>& links) : links_(links) {}

  using Load = std::pair<Colour, Colour>;  // of the link; of the place, the link and the amount

  Colour sum(const Party& party) const {
    Colour total = 0;
    each(party, [&](const Load& load) { total += load.second; });
    return total;
  }

  std::vector<Load> list(const Party& party) const {
    std::vector<Load> all;
    each(party, [&](const Load& load) { all.push_back(load); });
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  template <class Tell>
  void each(const Party& party, Tell tell) const {
    Colour place = 0;
    for (const CommunicationPrice* price : party.prices)
      for (const PhaseLoad& phase : price->phases) {
        ++place;
        for (const Usage& use : phase.uses) {
          const Colour link = links_[static_cast<std::size_t>(use.link)];
          tell({link, joined(joined(place, link), colour_of(use.per_unit))});
        }
      }
  }

  const std::vector<Colour>& links_;
};

// The colours of links that some party loads otherwise than the first of its colour does.
std::vector<bool> unequal_colours(const Parties& parties, const std::vector<Colour>& of_parties,
                                  const std::vector<Colour>& of_links, std::size_t colours) {
  std::vector<bool> unequal(colours, false);
  const Loads loads(of_links);
  struct First {
    std::size_t index = 0;
    Colour sum = 0;
  };
  std::unordered_map<Colour, First> firsts;
  for (std::size_t index = 0; index < parties.all.size(); ++index) {
    const Party& party = parties.all[index];
    const Colour sum = loads.sum(party);
    const auto [first, fresh] = firsts.try_emplace(of_parties[index], First{index, sum});
    if (fresh || first->second.sum == sum) continue;
    const auto own = loads.list(party), its = loads.list(parties.all[first->second.index]);
    std::vector<Loads::Load> differ;
    std::set_symmetric_difference(own.begin(), own.end(), its.begin(), its.end(),
                                  std::back_inserter(differ));
    for (const Loads::Load& load : differ) unequal[load.first] = true;
  }
  return unequal;
}

}  // namespace

Colours colours_presuming_slack(const Program& program, const std::vector<LinkShare>& links,
                                const Parties& parties, const Telling& binding) {
  Colours colours = refined_colours(program, links, parties, binding);
  colours.links = colours_by_load(links, parties, colours.parties);
  for (std::size_t link = 0; link < links.size(); ++link)
    colours.links[link] = joined(colours.links[link], Colour(binding[link]));
  const std::size_t count = compact(colours.links);
  const std::vector<bool> unequal = unequal_colours(parties, colours.parties, colours.links, count);
  for (const Colour link : colours.links) colours.presumed_slack.push_back(unequal[link]);
  return colours;
}

}  // namespace quintet
