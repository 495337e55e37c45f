// Which shipped machine a row's words for its GPU and network mean, and that machine cut or grown
// to the row's number of GPUs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/base/result.h"
#include "sim/plan/network.h"
#include "sim/topology/topology.h"

namespace quintet {

struct PublishedMachine {
  std::vector<std::string> gpus;     // names before any bracket: "A100-SXM-80GB"
  std::vector<std::string> network;  // texts one of which the row's network contains; empty: any
  std::string topology;              // file name without .json, in topologies/
  Routing routing = Routing::rail_pinned;
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

// A shipped machine's file with its host's in it, as JSON.
Result<std::string> machine_text(const std::filesystem::path& directory,
                                 const std::string& topology);

// A number of a machine to be taken instead of the file's.
struct TopologyValue {
  std::string topology;  // file name without .json
  std::string path;      // json_path.h, in machine_text()
  std::string value;     // JSON text
};

// Topologies by name and number of GPUs, built when first asked for; may be used by several
// threads.
class MachinePark {
 public:
  explicit MachinePark(std::filesystem::path topologies, std::vector<TopologyValue> values = {})
      : directory_(std::move(topologies)), values_(std::move(values)) {}

  // A host keeps its shape unless the row has fewer GPUs than one: then it is cut. The pointer is
  // good as long as the park.
  // Sprayed packets fill parallel cables evenly, so a machine that sprays is built with one thick
  // cable per leaf in place of all: the same rates at a fraction of the flows' links. What pods
  // with as much bandwidth above as below them never limit is left out.
  Result<const Topology*> with_gpus(const std::string& topology, int gpus,
                                    Routing routing = Routing::rail_pinned);

 private:
  Result<Topology> build(const std::string& topology, int gpus, Routing routing) const;

  std::filesystem::path directory_;
  std::vector<TopologyValue> values_;
  std::mutex mutex_;
  std::map<std::tuple<std::string, int, Routing>, Result<Topology>> built_;
};

}  // namespace quintet
