#include "sim/simulate/fold/slack_links.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace quintet {

namespace {

// What one party puts on links, as colours, in order: equal for parties that links do not tell
// apart.
class Loads {
 public:
  explicit Loads(const std::vector<Colour>& links) : links_(links) {}

  using Load = std::pair<Colour, Colour>;  // of the link; of the place, the link and the amount

  // Equal for parties of equal lists, and for hardly any others. Of patterns that put the same on
  // links, the first is looked at.
  Colour sum(const Party& party) {
    Colour total = 0;
    sums_.clear();
    for (std::size_t pattern = 0; pattern < party.prices.size(); ++pattern) {
      const auto first = static_cast<std::size_t>(party.alike[pattern]);
      sums_.push_back(first < pattern ? sums_[first] : sum(party.prices[pattern]->phases));
      total = joined(total, sums_.back());
    }
    return total;
  }

  std::vector<Load> list(const Party& party) const {
    std::vector<Load> all;
    each(party, [&](const Load& load) { all.push_back(load); });
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  Colour sum(const std::vector<PhaseLoad>& phases) const {
    Colour total = 0;
    for (const PhaseLoad& phase : phases) {
      Colour sum = 0, amount = colour_of(0.0);
      double last = 0;
      for (const Usage& use : phase.uses) {
        if (use.per_unit != last) amount = colour_of(last = use.per_unit);
        sum += joined(links_[static_cast<std::size_t>(use.link)], amount);
      }
      total = joined(total, sum);
    }
    return total;
  }

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
  std::vector<Colour> sums_;  // of the patterns of the party that is looked at
};

// The colours of links that some party loads otherwise than the first of its colour does.
std::vector<bool> unequal_colours(const Parties& parties, const std::vector<Colour>& of_parties,
                                  const std::vector<Colour>& of_links, std::size_t colours) {
  std::vector<bool> unequal(colours, false);
  Loads loads(of_links);
  struct First {
    std::size_t index = 0;
    Colour sum = 0;
    std::vector<Loads::Load> list{};      // once another differs from it
    std::unordered_set<Colour> others{};  // sums of those that were compared with it
  };
  std::unordered_map<Colour, First> firsts;
  for (std::size_t index = 0; index < parties.all.size(); ++index) {
    const Party& party = parties.all[index];
    const Colour sum = loads.sum(party);
    const auto [first, fresh] = firsts.try_emplace(of_parties[index], First{index, sum});
    if (fresh || first->second.sum == sum) continue;
    First& its = first->second;
    if (!its.others.insert(sum).second) continue;
    if (its.list.empty()) its.list = loads.list(parties.all[its.index]);
    const auto own = loads.list(party);
    std::vector<Loads::Load> differ;
    std::set_symmetric_difference(own.begin(), own.end(), its.list.begin(), its.list.end(),
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
