// The space of a search: what is fixed, what may be one of several, and the numbers of all
// candidates. Pure.
//
//   number = ((((machine x who computes) x how bytes leave) x what stays inside) x collectives)
//
// in mixed radix, each factor the product of its dimensions' choices, so that a number says a plan,
// a plan's choices say its number, and a range of numbers is a part of the space. Not every number
// is a candidate: plans that cannot be, and those that differ from an earlier one in nothing but
// decisions without effect, are passed over (candidates.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/model.h"
#include "sim/plan/plan.h"

namespace quintet {

// What decisions are enumerated together. Host-net's and the network's are: which queue pairs there
// are matters only by how they are routed.
enum class SearchPart { parallelism, fabric, intra_inter, ccl };
inline constexpr int search_part_count = 4;

struct MachineSize {
  int hosts = 1, ranks = 1, ranks_per_host = 1;
  bool operator==(const MachineSize&) const = default;
};

// A plan that is being made of choices.
struct Draft {
  Plan plan;
  MachineSize machine;
  std::int64_t global_batch = 0;  // 0: micro_batches says how long a step is
  bool data_given = false;        // else as many replicas as fill the machine
};

struct SearchField;  // search_fields.h

struct Choice {
  std::string text;  // the value as it was asked for
  Plan sample;       // that has it
};

struct Dimension {
  const SearchField* field = nullptr;
  std::vector<Choice> choices;  // one or more
};

struct Space {
  Draft base;
  std::vector<Dimension> dimensions;  // in the order of search_fields(); the last varies first
};

using ChoiceNumbers =
    std::vector<std::uint32_t>;  // one per dimension of a part: which of its choices

// The dimensions of a part, and how many combinations of their choices there are (at most 2^62).
struct PartSpace {
  std::vector<const Dimension*> dimensions;
  std::uint64_t size = 1;
};
PartSpace part_of(const Space& space, SearchPart part);
ChoiceNumbers digits_of(const PartSpace& part, std::uint64_t index);
std::uint64_t index_of(const PartSpace& part, const ChoiceNumbers& digits);

// What of a candidate each part decides.
struct CandidateIndices {
  std::uint64_t machine = 0;
  std::array<std::uint64_t, search_part_count> parts{};  // by SearchPart
  bool operator==(const CandidateIndices&) const = default;
};

// Numbers of a space on so many machines.
class Numbering {
 public:
  Numbering(const Space& space, std::uint64_t machines);
  // All numbers are below it; 2^62 where there are more.
  std::uint64_t size() const { return size_; }
  std::uint64_t number_of(const CandidateIndices& indices) const;
  CandidateIndices indices_of(std::uint64_t number) const;

 private:
  std::uint64_t machines_ = 1, size_ = 1;
  std::array<std::uint64_t, search_part_count> radix_{};
};

// The product, or `most` where it would be more.
std::uint64_t limited_product(std::uint64_t left, std::uint64_t right,
                              std::uint64_t most = std::uint64_t{1} << 62);

}  // namespace quintet
