// What of a rank's own elements replicas exchange together: one call of the program, by its range
// of flat elements, and where in that line of elements this rank's gradients and weights stand.
#pragma once

#include <vector>

#include "engine/parameters/shares.h"
#include "sim/parallelism/replication/replicated_unit.h"

namespace quintet::engine {

// Elements that stand behind one another both here and in an atom.
struct PartOfAtom {
  const Atom* atom = nullptr;
  Index place = 0;  // in the line
  Index count = 0;
};

struct ReplicatedParts {
  Index first = 0;  // of this rank's own elements, the line's first
  Index held = 0;   // with the padding of shares; what follows fills a chunk
  ReplicatedUnit cut;
  std::vector<PartOfAtom> parts;
  // Elements of the line that are nobody's.
  std::vector<FlatRange> gaps() const;
};

// Whole tensors where no rank has a mere share, else one line (replicated_unit.h).
ReplicatedParts replicated_parts(const FlatUnit& unit, const ParameterLayout& layout,
                                 const Shares& shares, const Replicator& replicator);

}  // namespace quintet::engine
