// Which shipped machine a row's words for its GPU and network mean, and that machine cut or grown
// to the row's number of GPUs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/result.h"
#include "sim/topology/topology.h"

namespace quintet {

struct PublishedMachine {
  std::vector<std::string> gpus;     // names before any bracket: "A100-SXM-80GB"
  std::vector<std::string> network;  // texts one of which the row's network contains; empty: any
  std::string topology;              // file name without .json, in topologies/
  std::string source;
  bool operator==(const PublishedMachine&) const = default;
};

// traces/machines/published.json
Result<std::vector<PublishedMachine>> parse_machines(const std::string& text,
                                                     const std::string& where);
Result<std::vector<PublishedMachine>> read_machines(const std::filesystem::path& file);

// The first whose words fit; null: none.
const PublishedMachine* machine_of(const std::vector<PublishedMachine>& machines,
                                   const std::string& gpu, const std::string& network);

// Topologies by name and number of GPUs, built when first asked for; may be used by several
// threads.
class MachinePark {
 public:
  explicit MachinePark(std::filesystem::path topologies) : directory_(std::move(topologies)) {}

  // A host keeps its shape unless the row has fewer GPUs than one: then it is cut. The pointer is
  // good as long as the park.
  Result<const Topology*> with_gpus(const std::string& topology, int gpus);

 private:
  Result<Topology> build(const std::string& topology, int gpus) const;

  std::filesystem::path directory_;
  std::mutex mutex_;
  std::map<std::pair<std::string, int>, Result<Topology>> built_;
};

}  // namespace quintet
