#include <cstdio>
#include <memory>
#include <optional>

#include "sim/asked/settings.h"
#include "sim/command/commands.h"
#include "sim/command/inputs.h"
#include "sim/topology/describe/describe.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/complain.h"
#include "sim/usage/shipped.h"

namespace quintet {

namespace {

struct TopologyArguments {
  std::string topology;
  std::vector<std::string> path;
  std::optional<int> hosts;
  std::vector<std::string> set;
  bool json = false;
};

Result<DeviceId> device_of(const Topology& topology, const std::string& name) {
  if (const auto found = device_named(topology, name)) return *found;
  const std::string example = topology.device(rank_slots(topology).front()).name;
  return Error{"--path " + name,
               "no device of this name; devices are called like \"" + example + "\""};
}

ExitCode describe_topology(const TopologyArguments& arguments) {
  const auto file = find_file(FileKind::topology, arguments.topology);
  if (!file) return complain(file.error());
  const Result<AskedChanges> asked =
      one_combination(arguments.set, {AskedFile::topology}, "this shows a machine");
  if (!asked) return complain(asked.error());
  const Result<Topology> topology = read_topology(*file, {arguments.hosts, {}, asked->topology});
  if (!topology) return complain(topology.error());
  std::optional<std::pair<DeviceId, DeviceId>> path;
  if (!arguments.path.empty()) {
    const Result<DeviceId> from = device_of(*topology, arguments.path[0]);
    if (!from) return complain(from.error());
    const Result<DeviceId> to = device_of(*topology, arguments.path[1]);
    if (!to) return complain(to.error());
    path = {*from, *to};
  }
  std::string text = arguments.json ? topology_json_text(*topology, path) : describe(*topology);
  if (path && !arguments.json) text += "\n" + describe_path(*topology, path->first, path->second);
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

Options options(TopologyArguments& into) {
  using enum Need;
  return {
      {"topology", &into.topology, "Topology file, or a shipped machine", "FILE", required},
      {.names = "--path",
       .into = &into.path,
       .does = "The path between two devices, link by link",
       .type = "FROM TO",
       .values = 2},
      hosts_option(into.hosts),
      set_option(into.set),
      {"--json", &into.json, "Print JSON instead of tables"},
  };
}

}  // namespace

std::unique_ptr<Verb> topology_verb() {
  return make_verb<TopologyArguments>(
      {"topology", "Show what a machine is, each number with its origin",
       "Example:\n"
       "  quintet topology dgx-h100-1024 --path host0/gpu0 host127/gpu7\n"
       "Exit: 0 done, 2 wrong usage or input."},
      {options, describe_topology});
}

}  // namespace quintet
