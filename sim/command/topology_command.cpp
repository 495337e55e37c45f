#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "sim/asked/field_text.h"
#include "sim/asked/settings.h"
#include "sim/command/commands.h"
#include "sim/command/inputs.h"
#include "sim/command/output_files.h"
#include "sim/topology/describe/describe.h"
#include "sim/topology/faults/faults.h"
#include "sim/topology/file/explicit_text.h"
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
  Faults faults;
  std::string output;
  bool json = false, fields = false;
};

Result<DeviceId> device_of(const Topology& topology, const std::string& name) {
  if (const auto found = device_named(topology, name)) return *found;
  const std::string example = topology.device(rank_slots(topology).front()).name;
  return Error{"--path " + name,
               "no device of this name; devices are called like \"" + example + "\""};
}

// An explicit graph that is read back as the same machine.
ExitCode export_topology(const TopologyArguments& arguments, const Topology& topology) {
  if (!arguments.faults.empty())
    return complain({"--export",
                     "writes the machine as it is built; give --slow, --fail and --delay "
                     "to what reads the file"});
  if (const auto error = onto_input("--export", arguments.output, {arguments.topology}))
    return complain(*error);
  if (const auto error = no_place("--export", arguments.output)) return complain(*error);
  const Result<std::string> text = explicit_text(topology);
  if (!text) return complain({"--export " + arguments.output, text.error().text()});
  if (const auto error = write_file(arguments.output, *text)) return complain(*error);
  fmt::print("{} has {}: {} and their network as a graph of {} devices and {} links.\n",
             arguments.output, topology.name, hosts_text(topology), topology.devices.size(),
             topology.links.size());
  return ExitCode::done;
}

ExitCode describe_topology(const TopologyArguments& arguments) {
  if (arguments.fields) {
    std::fputs(fields_text(topology_fields(), "").c_str(), stdout);
    return ExitCode::done;
  }
  if (arguments.topology.empty())
    return complain({"", "topology is required: a topology file or a shipped machine, one of " +
                             joined(shipped_names(FileKind::topology))});
  const auto file = find_file(FileKind::topology, arguments.topology);
  if (!file) return complain(file.error());
  const Result<AskedChanges> asked =
      one_combination(arguments.set, {AskedFile::topology}, "this shows a machine");
  if (!asked) return complain(asked.error());
  Result<Topology> topology = read_topology(*file, {arguments.hosts, {}, asked->topology});
  if (!topology) return complain(topology.error());
  if (!arguments.output.empty()) return export_topology(arguments, *topology);
  topology = with_faults(std::move(*topology), arguments.faults);
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
  return together(
      {{
           {"topology", &into.topology, "Topology file, or a shipped machine", "FILE"},
           {.names = "--path",
            .into = &into.path,
            .does = "The path between two devices, link by link",
            .type = "FROM TO",
            .values = 2},
           hosts_option(into.hosts),
           set_option(into.set),
           {"--json", &into.json, "Print JSON instead of tables"},
           {"--export", &into.output,
            "Write the machine device by device, link by link: a topology file of its own", "FILE"},
           {"--fields", &into.fields, "List all fields of topology files, for --set"},
       },
       fault_options(into.faults)});
}

}  // namespace

std::unique_ptr<Verb> topology_verb() {
  return make_verb<TopologyArguments>(
      {"topology", "Show what a machine is, each number with its origin",
       "Examples:\n"
       "  quintet topology dgx-h100-1024 --path host0/gpu0 host127/gpu7\n"
       "  quintet topology dgx-h100 --hosts 2 --export two-hosts.json\n"
       "Exit: 0 done, 2 wrong usage or input."},
      {options, describe_topology});
}

}  // namespace quintet
