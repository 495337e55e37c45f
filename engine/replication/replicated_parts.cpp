#include "engine/replication/replicated_parts.h"

namespace quintet::engine {

namespace {

TensorShapes tensors_between(const ParameterLayout& layout, const FlatUnit& unit) {
  TensorShapes shapes;
  for (const FlatRange& range : unit)
    for (const Section& section : layout.sections())
      for (const LocalTensor& tensor : section.tensors) {
        const Index begin = section.begin + tensor.offset;
        if (begin >= range.begin && begin < range.end)
          shapes.push_back({tensor.rows, tensor.columns});
      }
  return shapes;
}

}  // namespace

std::vector<FlatRange> ReplicatedParts::gaps() const {
  std::vector<FlatRange> found;
  Index at = 0;
  for (const PartOfAtom& part : parts) {
    if (part.place > at) found.push_back({at, part.place});
    at = part.place + part.count;
  }
  if (at < cut.elements) found.push_back({at, cut.elements});
  return found;
}

ReplicatedParts replicated_parts(const FlatUnit& unit, const ParameterLayout& layout,
                                 const Shares& shares, const Replicator& replicator) {
  ReplicatedParts made;
  const std::vector<Atom> atoms = shares.atoms_of(unit);
  made.first = atoms.empty() ? 0 : atoms.front().compact;
  made.held = shares.part_count(unit);
  made.cut = shares.ranks() == 1 ? unit_of_tensors(tensors_between(layout, unit), replicator)
                                 : unit_of_line(made.held, replicator);
  for (const Atom& atom : shares.atoms())
    if (atom.compact >= made.first && atom.compact < made.first + made.held)
      if (const Index count = shares.held(atom).count(); count > 0)
        made.parts.push_back({&atom, atom.compact - made.first, count});
  return made;
}

}  // namespace quintet::engine
