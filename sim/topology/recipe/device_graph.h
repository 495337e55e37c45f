// The graph while it is being built (Boost.Graph inside); afterwards it is frozen into a Topology.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/topology/recipe/recipe.h"
#include "sim/topology/topology.h"

namespace quintet {

class DeviceGraph {
 public:
  DeviceGraph();
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;

  // Number of the part, entered once however often it is used.
  PartId part(const Part& part);
  DeviceId add(Device device);
  void connect(DeviceId from, DeviceId to, LinkKind kind, const WireRecipe& wire);
  void connect(DeviceId from, DeviceId to, LinkKind kind, const WireRecipe& there,
               const WireRecipe& back);

  const std::vector<Device>& devices() const { return devices_; }
  const std::vector<Link>& links() const { return links_; }

  // A device that others cannot reach without passing through GPUs (or an NVSwitch, which leads
  // only to GPUs); none when all is well.
  std::optional<DeviceId> unreachable() const;
  // The same for network switches among each other, through network switches alone.
  std::optional<DeviceId> unreachable_switch() const;

  void freeze_into(Topology& topology) &&;

 private:
  void add_direction(DeviceId from, DeviceId to, LinkKind kind, const WireRecipe& wire);

  struct Vertices;
  std::vector<Device> devices_;
  std::vector<Link> links_;
  std::vector<Part> parts_;
  std::map<std::pair<std::string, std::string>, PartId> part_ids_;
  std::unique_ptr<Vertices> vertices_;
};

}  // namespace quintet
