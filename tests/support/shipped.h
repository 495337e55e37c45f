// The files that come with Quintet, for tests that want real input.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "sim/cost/file/cost_table_file.h"
#include "sim/model/model_file.h"
#include "sim/plan/plan_file.h"
#include "sim/topology/file/topology_file.h"

namespace quintet::test {

inline std::string source(const std::string& path) {
  return std::string(QUINTET_SOURCE_DIR) + "/" + path;
}

template <class T>
T required(Result<T> result) {
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().text());
  return result ? std::move(*result) : T{};
}

inline Model shipped_model(const std::string& name) {
  return required(read_model(source("traces/models/" + name + "/config.json")));
}
inline Topology shipped_topology(const std::string& name, std::optional<int> hosts = std::nullopt) {
  return required(read_topology(source("topologies/" + name + ".json"), {hosts, {}}));
}
inline Plan shipped_plan(const std::string& name) {
  return required(read_plan(source("traces/plans/" + name + ".json")));
}
inline CostTable shipped_costs(const std::string& name) {
  return required(read_cost_table(source("traces/costs/" + name + ".json")));
}

}  // namespace quintet::test
