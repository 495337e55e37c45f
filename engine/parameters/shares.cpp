#include "engine/parameters/shares.h"

#include <algorithm>

namespace quintet::engine {

Shares::Shares(const ParameterLayout& layout, std::set<Index> cuts, int ranks, int position)
    : ranks_(ranks), position_(position) {
  for (const Section& section : layout.sections()) {
    cuts.insert(section.begin);
    cuts.insert(section.end());
  }
  int number = 0;
  for (const Section& section : layout.sections()) {
    auto cut = cuts.find(section.begin);
    while (*cut < section.end()) {
      const Index begin = *cut, end = *++cut;
      const Index share = (end - begin + ranks - 1) / ranks;
      atoms_.push_back({{begin, end}, number, begin - section.begin, share, compact_count_});
      compact_count_ += share;
    }
    ++number;
  }
}

FlatRange Shares::held(const Atom& atom, int position) const {
  const Index begin = std::min(atom.flat.begin + position * atom.share, atom.flat.end);
  return {begin, std::min(begin + atom.share, atom.flat.end)};
}

std::vector<Atom> Shares::atoms_of(const FlatUnit& unit) const {
  std::vector<Atom> found;
  for (const FlatRange& range : unit) {
    auto atom =
        std::lower_bound(atoms_.begin(), atoms_.end(), range.begin,
                         [](const Atom& each, Index begin) { return each.flat.begin < begin; });
    for (; atom != atoms_.end() && atom->flat.begin < range.end; ++atom) found.push_back(*atom);
  }
  return found;
}

Index Shares::part_count(const FlatUnit& unit) const {
  Index count = 0;
  for (const Atom& atom : atoms_of(unit)) count += atom.share;
  return count;
}

}  // namespace quintet::engine
