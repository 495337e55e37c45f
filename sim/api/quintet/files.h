// What a prediction is made of: models, machines, plans and cost tables, as plain values.
//
// Each is the JSON of its file and what was read of it. Whoever takes one reads `file` alone; the
// other members are there to look at. They are checked when they are made: every function here
// throws Failure with the place where something is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quintet/export.h"

namespace quintet::api {

struct File {
  std::string where;   // its path, or what the caller calls it, in messages
  std::string json;    // docs/formats has all fields, with their units
  std::string folder;  // in which files that it names ("like", "host") are looked for
  bool operator==(const File&) const = default;
};

struct Model {
  File file;
  std::string name;
  std::int64_t parameters = 0;
  int layers = 0;
  int hidden = 0;  // width of the residual stream
  int heads = 0;
  int vocabulary = 0;
  int longest_sequence = 0;  // tokens
  bool operator==(const Model&) const = default;
};

struct Topology {
  File file;
  std::optional<int> hosts_asked;  // in the place of the file's number
  std::string name, description;
  std::string device;  // "H100-SXM-80GB"; "CPU"
  int hosts = 0;
  int ranks = 0;  // GPUs, or rank slots of hosts without
  bool operator==(const Topology&) const = default;
};

// Without a file (`Plan{}`): what PredictOptions::set says, the rest as `quintet simulate` chooses
// it without one.
struct Plan {
  File file;
  std::string name;
  int ranks = 0;
  bool operator==(const Plan&) const = default;
};

struct Costs {
  File file;
  std::string name;
  std::string gpu;  // of which it was measured; "any"
  bool operator==(const Costs&) const = default;
};

// A path, or the name of one that comes with Quintet ("llama-3-70b", "dgx-h100-1024").
QUINTET_API Model load_model(const std::string& name_or_path);
QUINTET_API Topology load_topology(const std::string& name_or_path, std::optional<int> hosts = {});
QUINTET_API Plan load_plan(const std::string& name_or_path);
QUINTET_API Costs load_costs(const std::string& name_or_path);

// JSON text. `name`: what messages call it. Files that a machine names are looked for among the
// shipped ones.
QUINTET_API Model model_of(const std::string& json, const std::string& name = "model");
QUINTET_API Topology topology_of(const std::string& json, std::optional<int> hosts = {},
                                 const std::string& name = "topology");
QUINTET_API Plan plan_of(const std::string& json, const std::string& name = "plan");
QUINTET_API Costs costs_of(const std::string& json, const std::string& name = "costs");

// Which come with Quintet, by name.
QUINTET_API std::vector<std::string> shipped_models();
QUINTET_API std::vector<std::string> shipped_topologies();
QUINTET_API std::vector<std::string> shipped_plans();
QUINTET_API std::vector<std::string> shipped_costs();

}  // namespace quintet::api
