#include "sim/validate/rows/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/quantity_text.h"
#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"
#include "sim/topology/file/topology_file.h"
#include "sim/validate/rows/json_path.h"

namespace quintet {

namespace {

std::vector<std::string> texts(JsonObject& fields, const char* key) {
  std::vector<std::string> found;
  const nlohmann::json* const json = fields.raw(key);
  const bool array = json && json->is_array() &&
                     std::all_of(json->begin(), json->end(),
                                 [](const nlohmann::json& text) { return text.is_string(); });
  if (!array) return fields.fail(key, "expected an array of texts"), found;
  for (const nlohmann::json& text : *json) found.push_back(text.get<std::string>());
  return found;
}

// Fewer GPUs than a host has: as many of its PCIe switches as divide them, as many NICs at most.
void cut(nlohmann::json& host, int gpus) {
  host["gpu"]["count"] = gpus;
  if (host.contains("pcie"))
    host["pcie"]["switches"] = std::min(host["pcie"].value("switches", 1), gpus);
  if (host.contains("nic")) host["nic"]["count"] = std::min(host["nic"].value("count", 1), gpus);
}

// Groups of equal size keep equivalent ranks equivalent, and the simulation short: the largest
// group that divides the hosts, if it is at least half as large as the file's.
void even_groups(nlohmann::json& machine, int hosts) {
  if (!machine.contains("network") || !machine["network"].contains("hosts_per_leaf")) return;
  nlohmann::json& size = machine["network"]["hosts_per_leaf"];
  const int most = size.is_number_integer() ? size.get<int>() : 0;
  for (int each = std::min(most, hosts); each > 0 && 2 * each >= most; --each)
    if (hosts % each == 0) {
      size = each;
      return;
    }
}

// All uplinks of a leaf as one, to a spine that has a port for every leaf.
void join_cables(nlohmann::json& machine, int hosts) {
  if (!machine.contains("network") || machine["network"].value("family", "") != "rail_optimised")
    return;
  nlohmann::json& network = machine["network"];
  const std::string rate = network["trunk"].value("bandwidth", "");
  const Result<Bandwidth> cable = parse_bandwidth(rate);
  if (!cable) return;  // the topology's reader says what is wrong
  const int down = network.value("hosts_per_leaf", 1);
  const double up = network.contains("leaf_uplinks")
                        ? network["leaf_uplinks"].get<int>()
                        : down / network.value("oversubscription", 1.0);
  network["trunk"]["bandwidth"] = fmt::format("{} B/s", std::llround(cable->value * up));
  network["leaf_uplinks"] = 1;
  network.erase("oversubscription");
  network["tiers"] = 2;
  nlohmann::json spine = network["switch"];
  spine["ports"] = (hosts + down - 1) / down * machine["host"]["nic"].value("count", 1);
  network["spine_switch"] = spine;
  network.erase("core_switch");
}

}  // namespace

Result<std::vector<PublishedMachine>> parse_machines(const std::string& text,
                                                     const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  std::vector<PublishedMachine> machines;
  for (JsonObject& fields : root.objects_or_empty("machines")) {
    PublishedMachine machine;
    machine.gpus = texts(fields, "gpus");
    machine.network = texts(fields, "network");
    machine.topology = fields.text("topology");
    machine.routing = fields.one_of_or<Routing>("routing", Routing::rail_pinned,
                                                {{"ecmp", Routing::ecmp},
                                                 {"rail_pinned", Routing::rail_pinned},
                                                 {"spray", Routing::spray}});
    machine.source = fields.text("source");
    fields.raw("free");  // tunable_shelf.h reads it
    machines.push_back(std::move(machine));
    if (!fields.failed()) fields.refuse_unknown_keys();
    root.adopt(fields);
  }
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  return machines;
}

Result<std::vector<PublishedMachine>> read_machines(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_machines(*text, file.string());
}

const PublishedMachine* machine_of(const std::vector<PublishedMachine>& machines,
                                   const std::string& gpu, const std::string& network) {
  const std::string name = gpu.substr(0, gpu.find(" ("));
  const auto found =
      std::find_if(machines.begin(), machines.end(), [&](const PublishedMachine& machine) {
        const bool same =
            std::find(machine.gpus.begin(), machine.gpus.end(), name) != machine.gpus.end();
        const bool wired =
            machine.network.empty() || std::any_of(machine.network.begin(), machine.network.end(),
                                                   [&](const std::string& text) {
                                                     return network.find(text) != std::string::npos;
                                                   });
        return same && wired;
      });
  return found == machines.end() ? nullptr : &*found;
}

Result<std::string> machine_text(const std::filesystem::path& directory,
                                 const std::string& topology) {
  const std::filesystem::path file = directory / (topology + ".json");
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  Result<nlohmann::json> machine = parse_json(*text, file.string());
  if (!machine) return machine.error();
  if (!machine->contains("host") || !(*machine)["host"].is_string()) return dumped(*machine);
  const std::filesystem::path host = directory / (*machine)["host"].get<std::string>();
  const Result<std::string> host_text = read_text_file(host);
  if (!host_text) return host_text.error();
  Result<nlohmann::json> parts = parse_json(*host_text, host.string());
  if (!parts) return parts.error();
  (*machine)["host"] = std::move(*parts);
  return dumped(*machine);
}

Result<const Topology*> MachinePark::with_gpus(const std::string& topology, int gpus,
                                               Routing routing) {
  const std::lock_guard lock(mutex_);
  const std::tuple key{topology, gpus, routing};
  auto found = built_.find(key);
  if (found == built_.end()) found = built_.emplace(key, build(topology, gpus, routing)).first;
  if (!found->second) return found->second.error();
  return &*found->second;
}

Result<Topology> MachinePark::build(const std::string& topology, int gpus, Routing routing) const {
  const std::filesystem::path file = directory_ / (topology + ".json");
  Result<std::string> text = machine_text(directory_, topology);
  for (const TopologyValue& value : values_)
    if (text && value.topology == topology) text = with_json_at(*text, value.path, value.value);
  if (!text) return text.error();
  Result<nlohmann::json> json = parse_json(*text, file.string());
  if (!json) return json.error();
  nlohmann::json& machine = *json;
  if (!machine.contains("host") || !machine["host"].is_object() ||
      !machine["host"].contains("gpu") || !machine["host"]["gpu"].contains("count"))
    return Error{file.string(), "has no GPU hosts of one kind to take GPUs from"};
  const int per_host = machine["host"]["gpu"]["count"].get<int>();
  if (gpus > per_host && gpus % per_host != 0)
    return Error{file.string(), fmt::format("{} GPUs are not whole hosts of {}", gpus, per_host)};
  const int hosts = std::max(1, gpus / per_host);
  if (gpus < per_host) cut(machine["host"], gpus);
  if (hosts == 1) machine.erase("network");
  even_groups(machine, hosts);
  if (routing == Routing::spray) join_cables(machine, hosts);
  machine["hosts"] = hosts;
  return parse_topology(dumped(machine), file.string(), directory_);
}

}  // namespace quintet
