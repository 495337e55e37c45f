// What `quintet simulate` is told of machines beside their files: what is wrong with them, and by
// which cost tables they compute.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/json/field_change.h"
#include "sim/topology/faults/faults.h"
#include "sim/topology/topology.h"
#include "sim/usage/verb.h"

namespace quintet {

struct NamedCosts {
  std::string file;  // several: joined for messages; a guess: its name
  CostTable costs;
};

// What machines without GPUs compute by, unless told.
inline constexpr const char* shipped_for_cores = "cpu-core";

// A file or a shipped name, with fields changed.
Result<NamedCosts> costs_named(const std::string& given, const FieldChanges& changes);

// For each kind of GPU the shipped table measured on it, or a guess by its peak rates; the first
// host's first (CostTable::other_gpus); without GPUs the table of another machine's cores. Fails
// where a guess is to be changed.
Result<NamedCosts> costs_of_machine(const Topology& topology, const FieldChanges& changes);

// Shipped tables that are of no GPU: for machines without any.
std::vector<std::string> shipped_for_any_machine();

// "16 x 8 H100-SXM-80GB"; of several kinds of hosts all of them, joined by " + ".
std::string hosts_text(const Topology& topology);

// --slow, --fail, --delay and --hold, to be repeated.
Options fault_options(Faults& into);

}  // namespace quintet
