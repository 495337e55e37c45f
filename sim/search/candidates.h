// The candidates of a space: plans that can be, each once. Layer 1 is judged once per choice, the
// other parts once per kind of layer 1, so that a million candidates are counted in a fraction of a
// second.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/parallelism/compile.h"
#include "sim/search/inner_lists.h"
#include "sim/search/space.h"
#include "sim/topology/topology.h"

namespace quintet {

// A machine of the space. What it refers to must outlive the search.
struct SearchMachine {
  const Topology& topology;
  const CostTable& costs;
  CompileOptions compile;
  std::string name;
};

// All candidates with one layer 1 on one machine: leaf 0 to leaves - 1, in the order of numbers.
struct CandidateGroup {
  std::uint32_t machine = 0, inner = 0;  // positions in Candidates
  std::uint64_t layer1 = 0;              // index of the part
  std::uint64_t leaves = 0;
  std::uint64_t first = 0;  // candidates of the groups before it
};

class Candidates {
 public:
  // Fails where a part has more combinations than can be looked at (2^22), or nothing can be: then
  // the error says what most of them lack.
  static Result<Candidates> of(const Model& model, Space space,
                               std::vector<SearchMachine> machines);

  const Model& model() const { return *model_; }
  const std::vector<SearchMachine>& machines() const { return machines_; }
  const std::vector<CandidateGroup>& groups() const { return groups_; }
  std::uint64_t count() const { return count_; }
  const Space& space() const { return space_; }

  // Layer 1 of the group, on its machine.
  Draft draft_of(const CandidateGroup& group) const;
  // The same with the leaf's decisions of layers 2 to 5; `draft` is one of draft_of(group), and may
  // have had another leaf's.
  void take_leaf(const CandidateGroup& group, std::uint64_t leaf, Draft& draft) const;
  std::uint64_t number_of(const CandidateGroup& group, std::uint64_t leaf) const;
  // Leaves of which one has each bucket size, or each way to launch, that the group has.
  std::vector<std::uint64_t> unlike_in_bucket(const CandidateGroup& group) const;
  std::vector<std::uint64_t> unlike_in_launch(const CandidateGroup& group) const;
  // Of a number that is a candidate's; fails where it is none.
  Result<Draft> draft_of(std::uint64_t number) const;
  int machine_of(std::uint64_t number) const;
  // Its choice in each dimension of the space; empty where that has no effect on it.
  std::vector<std::string> choices_of(std::uint64_t number) const;

 private:
  friend class CandidateCounter;
  Candidates(const Model& model, Space space, std::vector<SearchMachine> machines);
  Error none() const;
  CandidateIndices indices_of(const CandidateGroup& group, std::uint64_t leaf) const;

  const Model* model_;
  Space space_;
  std::vector<SearchMachine> machines_;
  std::vector<MachineSize> sizes_;
  Numbering numbering_;
  std::array<PartSpace, search_part_count> parts_;  // of space_, whose dimensions stay in place
  std::vector<InnerLists> inner_;
  std::vector<CandidateGroup> groups_;
  std::uint64_t count_ = 0;
};

MachineSize size_of(const Topology& topology);

}  // namespace quintet
