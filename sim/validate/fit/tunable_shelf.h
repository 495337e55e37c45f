// What ships to express rows with, and its free parameters, whose values can be exchanged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/validate/fit/free_parameter.h"
#include "sim/validate/rows/express.h"
#include "sim/validate/rows/machines.h"

namespace quintet {

// Where a parameter stands: a software stack's file, a cost table, an entry of the published
// machines, or (path "topology...." of such an entry) the topology that the entry names.
enum class ParameterHome { stack, costs, machine, topology };

struct ShelfParameter {
  ParameterHome home = ParameterHome::stack;
  std::string owner;     // the stack's name, the table's GPU, the topology's name
  std::size_t text = 0;  // of TunableShelf::texts; unused for a topology
  FreeParameter parameter;
};

struct ShelfText {
  ParameterHome home = ParameterHome::stack;
  std::size_t index = 0;  // in the shelf's stacks or costs
  std::string where, json;
};

struct TunableShelf {
  Shelf shelf;
  std::vector<ShelfParameter> free;
  std::vector<ShelfText> texts;
  std::filesystem::path topologies;
};

struct ShelfFiles {
  std::filesystem::path stacks;  // directory
  std::filesystem::path machines;
  std::vector<std::filesystem::path> costs;
  std::filesystem::path topologies;  // directory
};

// Errors name file and place: also a parameter whose path leads nowhere, or whose value is outside
// its own range.
Result<TunableShelf> read_tunable_shelf(const ShelfFiles& files);

struct Setting {
  std::size_t parameter = 0;  // of TunableShelf::free
  std::string value;          // JSON text
};

struct SetShelf {
  Shelf shelf;
  std::vector<TopologyValue> topology_values;
};

// The shelf with these values in place of its own, read anew. The error names file and path.
Result<SetShelf> with_settings(const TunableShelf& shelf, const std::vector<Setting>& settings);

}  // namespace quintet
