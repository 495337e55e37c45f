// Who of the ranks that share a copy of the state holds which flat element. The elements are cut at
// every place where something that is sent or gathered begins or ends; each piece is divided
// evenly, with padding. Whatever the program moves is then the same share of every rank.
#pragma once

#include <set>
#include <vector>

#include "engine/device/buffer.h"
#include "engine/parameters/flat_units.h"

namespace quintet::engine {

struct Atom {
  FlatRange flat;
  int section = 0;
  Index section_offset = 0;  // of flat.begin
  Index share = 0;           // elements per rank, padded
  Index compact = 0;         // where the share begins in a rank's own elements
};

class Shares {
 public:
  Shares(const ParameterLayout& layout, std::set<Index> cuts, int ranks, int position);

  int ranks() const { return ranks_; }
  int position() const { return position_; }
  Index compact_count() const { return compact_count_; }
  const std::vector<Atom>& atoms() const { return atoms_; }

  // What a rank holds of an atom; may be empty.
  FlatRange held(const Atom& atom, int position) const;
  FlatRange held(const Atom& atom) const { return held(atom, position_); }

  std::vector<Atom> atoms_of(const FlatUnit& unit) const;
  Index part_count(const FlatUnit& unit) const;  // elements per rank, padded

 private:
  std::vector<Atom> atoms_;
  int ranks_ = 1, position_ = 0;
  Index compact_count_ = 0;
};

}  // namespace quintet::engine
