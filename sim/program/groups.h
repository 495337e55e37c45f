// From axes to ranks: coordinates, communicators, neighbours. Pure.
#pragma once

#include <vector>

#include "sim/base/ids.h"
#include "sim/program/program.h"

namespace quintet {

// Ranks in all: the product of the axes.
int world_size(const Grid& grid);
int size_of(const Grid& grid, Axis axis);
int coordinate(const Grid& grid, Rank rank, Axis axis);
RoleId role_of(const Grid& grid, Rank rank);  // by its pipeline coordinate

// The members of the group that `rank` belongs to, in order along the parts (first part fastest);
// empty if the communicator's stages leave the rank out.
std::vector<Rank> group_of(const Grid& grid, const Communicator& communicator, Rank rank);

// All groups of a communicator, each once, in order of their first rank.
std::vector<std::vector<Rank>> all_groups(const Grid& grid, const Communicator& communicator);

// Ranks of each of its groups; all have as many.
int group_size(const Grid& grid, const Communicator& communicator);

// The rank `offset` further along `axis`, cyclically.
Rank neighbour(const Grid& grid, Rank rank, Axis axis, int offset);

}  // namespace quintet
