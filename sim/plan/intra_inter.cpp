#include "sim/plan/intra_inter.h"

namespace quintet {

std::string_view name_of(Decomposition decomposition) {
  switch (decomposition) {
    case Decomposition::flat:
      return "flat";
    case Decomposition::hierarchical:
      return "hierarchical";
  }
  return {};
}

std::string_view name_of(Forwarding forwarding) {
  switch (forwarding) {
    case Forwarding::none:
      return "none";
    case Forwarding::same_rail:
      return "same-rail";
  }
  return {};
}

Decomposition decomposition_of(const IntraInter& intra_inter, Axis axis) {
  for (const AxisDecomposition& row : intra_inter.decompositions)
    if (row.axis == axis) return row.decomposition;
  return Decomposition::flat;
}

}  // namespace quintet
