// What the executor needs to know of ranks, groups and links, in classes: everything that behaves
// alike is one class with a multiplicity. Unfolded, every class has one member; the executor cannot
// tell the difference.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/network/fabric.h"
#include "sim/network/link_load.h"
#include "sim/price/communications.h"
#include "sim/program/program.h"

namespace quintet {

struct RankClass {
  Rank shown;  // its first member
  int ranks = 1;
  RoleId role;
  std::vector<std::int32_t> groups;  // per communicator: its group class, -1 when left out
  std::vector<std::int32_t>
      neighbours;  // per message pattern: the class that receives, -1: never sends it
  std::vector<std::int32_t> sends;  // per message pattern: index into FoldedWorld::prices
  std::int32_t kernels = -1;        // index into it: what kernels load of shared cores; -1: nothing
  // Index into it: copies to the host's memory and from it; -1: there are none, or the rank's
  // thread copies itself.
  std::int32_t copies_out = -1, copies_in = -1;
  std::int32_t computes = 0;  // index into ComputeKinds::kinds
};

struct GroupClass {
  CommunicatorId communicator;
  std::vector<std::int32_t> members;  // rank classes, each once
};

// What a class of communications takes.
struct FoldedPrice {
  CommunicationPrice price;    // its phases load link classes
  std::vector<Usage> whole{};  // whole_load of these
  // Link classes presumed slack, of which members cross different ones: what all members together
  // put on each link of such a class.
  std::vector<SlackUse> slack{};
  // A bound beside the price's own, for those: of links that a member has to itself.
  Bandwidth alone{std::numeric_limits<double>::infinity()};
  std::int32_t move = 0;     // index into FoldedWorld::moves
  bool undisturbed = false;  // nobody else loads its links while it moves (undisturbed.h)
};

// All communications of the program that differ in who takes part only.
struct Move {
  Bytes size;  // of each
};

struct FoldedWorld {
  std::vector<LinkShare> links;     // link classes
  std::vector<LinkId> shown_links;  // first member of each
  std::vector<int> link_counts;
  std::vector<bool> presumed_slack;         // per link class: outside of the sharing
  std::vector<std::int32_t> class_of_link;  // per link of the topology; -1: nobody uses it
  std::vector<RankClass> ranks;
  std::vector<std::int32_t> class_of_rank;  // index into `ranks`, per rank of the program
  std::vector<GroupClass> groups;
  std::vector<FoldedPrice> prices;
  std::vector<Move> moves;
  // FoldedPrice of a collective: [group class][position of the instruction among its
  // communicator's patterns].
  std::vector<std::vector<std::int32_t>> group_prices;
};

enum class Folding {
  equivalent,  // ranks, groups and links that cannot be told apart are one (colour refinement)
  none,        // one class per rank: slow; the truth that folding is tested against
};

// Exact: coefficients are multiples of 2^-34, so sums over a class equal the sums of its members to
// the last bit. All links tell apart.
FoldedWorld fold(const Program& program, const Communications& communications, Folding folding);

// Links that tell ranks apart and are not in `binding` (per link) are presumed slack, in order to
// fold further (slack_links.h): exact as long as the fabric finds none of them overfull.
FoldedWorld fold_presuming_slack(const Program& program, const Communications& communications,
                                 const std::vector<bool>& binding);

}  // namespace quintet
