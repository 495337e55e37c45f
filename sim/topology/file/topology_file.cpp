#include "sim/topology/file/topology_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"
#include "sim/topology/families/network_family.h"
#include "sim/topology/file/build.h"
#include "sim/topology/recipe/hosts.h"
#include "sim/topology/recipe/recipe.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_groups = 64;
constexpr Bytes largest_file{16e6};

Result<HostRecipe> host_in(const nlohmann::json& json, const std::string& where) {
  JsonObject object(json, where);
  HostRecipe host = read_host(object);
  if (object.failed()) return *object.error();
  return host;
}

Result<HostRecipe> host_from(const fs::path& file, const std::string& asked_by) {
  const Result<std::string> content = read_text_file(file, largest_file);
  if (!content) return Error{asked_by, content.error().text()};
  const Result<nlohmann::json> json = parse_json(*content, file.string());
  if (!json) return json.error();
  return host_in(*json, file.string());
}

// "host": a file beside this one, or the host object itself.
Result<HostRecipe> host_of(JsonObject& object, const fs::path& directory) {
  if (object.recording()) {
    JsonObject host =
        object.object({"host", "what each host is: a file beside this one, or the host itself"});
    object.record("host", FieldKind::object_or_file);
    return read_host(host);
  }
  const nlohmann::json* const host = object.raw("host");
  const std::string place = object.place("host");
  if (host != nullptr && host->is_string())
    return host_from(directory / host->get<std::string>(), place);
  if (host != nullptr && host->is_object()) return host_in(*host, place);
  return Error{place, "expected a host file such as \"hosts/dgx-h100.json\" or a host object"};
}

Result<HostGroup> group_of(JsonObject& object, const fs::path& directory) {
  const int hosts =
      object.integer_or({"hosts", "how many such hosts; --hosts overrides it"}, 1, 1, most_hosts);
  const Result<HostRecipe> host = host_of(object, directory);
  if (object.failed()) return *object.error();
  if (!host) return host.error();
  return HostGroup{*host, hosts};
}

Result<std::vector<HostGroup>> groups_of(JsonObject& object, const fs::path& directory) {
  if (object.recording() || !object.has("host_groups")) {
    Result<HostGroup> group = group_of(object, directory);
    if (!group) return group.error();
    if (!object.recording()) return std::vector{*group};
  }
  std::vector<HostGroup> groups;
  for (JsonObject& listed : object.objects_or_empty(
           {"host_groups", "instead of host and hosts: hosts of several kinds, in their order"})) {
    const Result<HostGroup> group = group_of(listed, directory);
    if (!group) return group.error();
    listed.refuse_unknown_keys();
    object.adopt(listed);
    groups.push_back(*group);
    if (groups.size() > most_groups) break;
  }
  if (groups.empty() || groups.size() > most_groups)
    object.fail("host_groups", fmt::format("expected 1 to {} groups of hosts", most_groups));
  return groups;
}

std::optional<Error> override_hosts(TopologyRecipe& recipe, const TopologyOptions& options) {
  if (!options.hosts) return std::nullopt;
  if (*options.hosts < 1 || *options.hosts > most_hosts)
    return Error{"hosts",
                 fmt::format("expected 1 to {} hosts, asked for {}", most_hosts, *options.hosts)};
  if (recipe.groups.size() != 1 || (recipe.network && recipe.network->lists_devices()))
    return Error{"hosts", "cannot be overridden: the file lists groups of hosts or single links"};
  if (*options.hosts == recipe.groups.front().count) return std::nullopt;
  recipe.groups.front().count = *options.hosts;
  recipe.name += fmt::format(", {} host{}", *options.hosts, *options.hosts == 1 ? "" : "s");
  return std::nullopt;
}

// A count of NICs for hosts that say what theirs are.
void take_nics(JsonObject& object, int nics, HostRecipe& host) {
  if (host.family == HostFamily::custom)
    return object.fail("nics", "the network lists this machine's devices: change network.devices");
  if (host.nics == 0)
    return object.fail("nics", host.spec.name + " has no \"nic\" to count; give the host file one");
  if (nics > host.slots)
    return object.fail("nics",
                       fmt::format("{} has {} places for ranks, each of which uses one NIC; "
                                   "expected 1 to {}, or another host.nic.bandwidth",
                                   host.spec.name, host.slots, host.slots));
  host.nics = nics;
}

// What is asked of a whole machine most, in one place whatever its family.
void read_shortcuts(JsonObject& object, TopologyRecipe& recipe) {
  const int nics = object.integer_or(
      {"nics", "network cards of every host, in the place of host.nic.count"}, 0, 1, 1024);
  if (nics > 0)
    for (HostGroup& group : recipe.groups) take_nics(object, nics, group.host);
  const double ratio = object.number_or(
      {"oversubscription",
       "what hangs on a leaf over its uplinks, by rate; of a torus a node's NICs over its cables; "
       "left out: as the network says"},
      0.0);
  if (object.recording() || !object.has("oversubscription")) return;
  if (ratio > 0 && ratio <= 4096)
    recipe.oversubscription = ratio;
  else
    object.fail(
        "oversubscription",
        fmt::format("expected rate down / up, more than 0 and at most 4096, found {:.6g}", ratio));
}

Result<TopologyRecipe> recipe_of(JsonObject& object, const fs::path& directory) {
  TopologyRecipe recipe;
  recipe.name = object.text({"name", "of the machine in reports"});
  recipe.description = object.text_or({"description", "of the machine, for its readers"}, "");
  if (object.recording())
    static_cast<void>(object.text_or(
        {"like", "a file beside this one: its fields hold where this one has none"}, ""));
  Result<std::vector<HostGroup>> groups = groups_of(object, directory);
  if (object.failed()) return *object.error();
  if (!groups) return groups.error();
  recipe.groups = std::move(*groups);
  if (object.recording() || object.has("network")) {
    JsonObject network = object.object_or_empty({"network", "what joins the hosts"});
    read_network(network, recipe);
    object.adopt(network);
  }
  if (!object.recording()) object.raw("network");
  read_shortcuts(object, recipe);
  object.refuse_unknown_keys();
  if (object.failed()) return *object.error();
  return recipe;
}

// A file that is like another: the other's fields, but for those it has itself. One step only.
Result<nlohmann::json> with_likeness(const nlohmann::json& own, const std::string& where,
                                     const fs::path& directory) {
  JsonObject object(own, where);
  if (!object.has("like")) return own;
  const std::string file = (directory / object.text("like")).string();
  if (object.failed()) return *object.error();
  const Result<std::string> text = read_text_file(file, largest_file);
  if (!text) return Error{object.place("like"), text.error().text()};
  Result<nlohmann::json> other = parse_json(*text, file);
  if (!other) return other;
  if (!other->is_object() || other->contains("like"))
    return Error{object.place("like"), "expected a file that is complete by itself, found " + file};
  for (const auto& [key, value] : own.items())
    if (key != "like") (*other)[key] = value;
  return other;
}

bool ask_of_host(const FieldChanges& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const FieldChange& change) { return change.path.starts_with("host."); });
}

// A change inside the host needs the host itself in the place of its file's name.
Result<nlohmann::json> with_host(nlohmann::json tree, const std::string& where,
                                 const fs::path& directory) {
  const auto host = tree.is_object() ? tree.find("host") : tree.end();
  if (host == tree.end() || !host->is_string()) return tree;
  const fs::path file = directory / host->get<std::string>();
  const Result<std::string> text = read_text_file(file, largest_file);
  if (!text) return Error{where + ": host", text.error().text()};
  Result<nlohmann::json> inside = parse_json(*text, file.string());
  if (!inside) return inside;
  *host = std::move(*inside);
  return tree;
}

Result<nlohmann::json> tree_of(const std::string& text, const std::string& where,
                               const fs::path& directory, const FieldChanges& changes) {
  const Result<nlohmann::json> own = parse_json(text, where);
  if (!own) return own;
  Result<nlohmann::json> whole = with_likeness(*own, where, directory);
  if (!whole || changes.empty()) return whole;
  if (ask_of_host(changes)) whole = with_host(std::move(*whole), where, directory);
  if (!whole) return whole;
  const Result<std::string> changed = changed_text(dumped(*whole), where, changes);
  if (!changed) return changed.error();
  return parse_json(*changed, where);
}

Result<Topology> topology_of(const nlohmann::json& tree, const std::string& where,
                             const fs::path& directory, const TopologyOptions& options) {
  JsonObject object(tree, where);
  Result<TopologyRecipe> recipe = recipe_of(object, directory);
  if (!recipe) return recipe.error();
  if (const auto error = override_hosts(*recipe, options))
    return Error{where + ": " + error->where, error->what};
  return build_topology(*recipe, where, options.limits);
}

}  // namespace

Result<Topology> parse_topology(const std::string& text, const std::string& where,
                                const fs::path& directory, const TopologyOptions& options) {
  const Result<nlohmann::json> tree = tree_of(text, where, directory, options.changes);
  if (!tree) return tree.error();
  Result<Topology> topology = topology_of(*tree, where, directory, options);
  if (!topology) return blamed(topology.error(), options.changes);
  return topology;
}

Result<std::string> whole_topology_text(const fs::path& file, const FieldChanges& changes) {
  const Result<std::string> content = read_text_file(file, largest_file);
  if (!content) return content.error();
  const std::string where = file.string();
  Result<nlohmann::json> tree = tree_of(*content, where, file.parent_path(), changes);
  if (!tree) return tree.error();
  tree = with_host(std::move(*tree), where, file.parent_path());
  if (!tree) return tree.error();
  return dumped(*tree);
}

FieldDescription topology_fields() {
  const FieldRecording recording = recorded([](FieldRecording& into) {
    JsonObject object(into);
    static_cast<void>(recipe_of(object, {}));
  });
  FieldDescription file = description_of(recording.root);
  for (FieldDescription& field : file.fields)
    if (field.key == "host") field.required = false;  // host_groups may stand in its place
  return file;
}

Result<Topology> read_topology(const fs::path& file, const TopologyOptions& options) {
  const Result<std::string> content = read_text_file(file, largest_file);
  if (!content) return content.error();
  return parse_topology(*content, file.string(), file.parent_path(), options);
}

}  // namespace quintet
