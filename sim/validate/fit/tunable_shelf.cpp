#include "sim/validate/fit/tunable_shelf.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/base/text_file.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/json/json_fields.h"
#include "sim/validate/rows/json_path.h"

namespace quintet {

namespace {

// The paths of parameters in a topology begin with this, in an entry of the machines.
constexpr std::string_view in_topology = "topology.";

std::optional<Error> check_value(const std::string& where, FreeParameter& parameter,
                                 const std::optional<std::string>& value) {
  const std::string place = where + ": free parameter \"" + parameter.path + "\"";
  if (!value) return Error{place, "there is no such value in the file"};
  parameter.value = *value;
  if (const auto point = nearest_point(parameter.range, *value); !point)
    return Error{place, point.error().text()};
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(const ShelfFiles& files) : files_(files) { made_.topologies = files.topologies; }

  Result<TunableShelf> read() {
    read_stack_files();
    for (const std::filesystem::path& file : files_.costs) read_costs(file);
    if (!error_) read_machine_file();
    if (error_) return *error_;
    return std::move(made_);
  }

 private:
  void fail(const Error& error) {
    if (!error_) error_ = error;
  }

  std::optional<std::string> text_of(const std::filesystem::path& file) {
    Result<std::string> text = read_text_file(file);
    if (!text) return fail(text.error()), std::nullopt;
    return std::move(*text);
  }

  // Those of an object that stands in the text at `prefix` ("" or "machines.0.").
  std::vector<FreeParameter> free_of(const nlohmann::json& json, const std::string& where) {
    JsonObject holder(json, where);
    std::vector<FreeParameter> found = read_free_parameters(holder);
    if (holder.failed()) fail(*holder.error());
    return found;
  }

  void add_text(ParameterHome home, std::size_t index, const std::string& owner,
                const std::string& where, std::string json) {
    const Result<nlohmann::json> parsed = parse_json(json, where);
    if (!parsed) return fail(parsed.error());
    for (FreeParameter& parameter : free_of(*parsed, where)) {
      if (const auto wrong = check_value(where, parameter, json_at(json, parameter.path)))
        return fail(*wrong);
      made_.free.push_back({home, owner, made_.texts.size(), std::move(parameter)});
    }
    made_.texts.push_back({home, index, where, std::move(json)});
  }

  void read_stack_files() {
    const auto files = stack_files(files_.stacks);
    if (!files) return fail(files.error());
    for (const std::filesystem::path& file : *files) {
      std::optional<std::string> text = text_of(file);
      if (!text) return;
      Result<SoftwareStack> stack = parse_stack(*text, file.string());
      if (!stack) return fail(stack.error());
      made_.shelf.stacks.push_back(std::move(*stack));
      add_text(ParameterHome::stack, made_.shelf.stacks.size() - 1, made_.shelf.stacks.back().name,
               file.string(), std::move(*text));
    }
  }

  void read_costs(const std::filesystem::path& file) {
    std::optional<std::string> text = text_of(file);
    if (!text) return;
    Result<CostTable> table = parse_cost_table(*text, file.string());
    if (!table) return fail(table.error());
    made_.shelf.costs.push_back(std::move(*table));
    add_text(ParameterHome::costs, made_.shelf.costs.size() - 1, made_.shelf.costs.back().gpu,
             file.string(), std::move(*text));
  }

  void read_machine_file() {
    const std::string where = files_.machines.string();
    std::optional<std::string> text = text_of(files_.machines);
    if (!text) return;
    auto machines = parse_machines(*text, where);
    if (!machines) return fail(machines.error());
    made_.shelf.machines = std::move(*machines);
    const Result<nlohmann::json> json = parse_json(*text, where);
    for (std::size_t entry = 0; entry < made_.shelf.machines.size(); ++entry)
      for (FreeParameter& parameter : free_of((*json)["machines"][entry], where))
        add_machine_parameter(*text, entry, std::move(parameter));
    made_.texts.push_back({ParameterHome::machine, 0, where, std::move(*text)});
  }

  void add_machine_parameter(const std::string& text, std::size_t entry, FreeParameter parameter) {
    const std::string& topology = made_.shelf.machines[entry].topology;
    ParameterHome home = ParameterHome::machine;
    std::optional<std::string> value;
    if (parameter.path.starts_with(in_topology)) {
      home = ParameterHome::topology;
      parameter.path = parameter.path.substr(in_topology.size());
      const auto machine = machine_text(files_.topologies, topology);
      if (!machine) return fail(machine.error());
      value = json_at(*machine, parameter.path);
    } else {
      parameter.path = fmt::format("machines.{}.{}", entry, parameter.path);
      value = json_at(text, parameter.path);
    }
    if (const auto wrong = check_value(files_.machines.string(), parameter, value))
      return fail(*wrong);
    made_.free.push_back({home, topology, made_.texts.size(), std::move(parameter)});
  }

  const ShelfFiles& files_;
  TunableShelf made_;
  std::optional<Error> error_;
};

std::optional<Error> read_again(const ShelfText& text, Shelf& shelf) {
  switch (text.home) {
    case ParameterHome::stack: {
      Result<SoftwareStack> stack = parse_stack(text.json, text.where);
      if (!stack) return stack.error();
      shelf.stacks[text.index] = std::move(*stack);
      return std::nullopt;
    }
    case ParameterHome::costs: {
      Result<CostTable> table = parse_cost_table(text.json, text.where);
      if (!table) return table.error();
      shelf.costs[text.index] = std::move(*table);
      return std::nullopt;
    }
    case ParameterHome::machine: {
      auto machines = parse_machines(text.json, text.where);
      if (!machines) return machines.error();
      shelf.machines = std::move(*machines);
      return std::nullopt;
    }
    case ParameterHome::topology:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Result<TunableShelf> read_tunable_shelf(const ShelfFiles& files) {
  return Reader(files).read();
}

Result<SetShelf> with_settings(const TunableShelf& shelf, const std::vector<Setting>& settings) {
  SetShelf made{shelf.shelf, {}};
  std::vector<ShelfText> texts = shelf.texts;
  std::vector<std::size_t> changed;
  for (const Setting& setting : settings) {
    const ShelfParameter& which = shelf.free[setting.parameter];
    if (which.home == ParameterHome::topology) {
      made.topology_values.push_back({which.owner, which.parameter.path, setting.value});
      continue;
    }
    ShelfText& text = texts[which.text];
    Result<std::string> json = with_json_at(text.json, which.parameter.path, setting.value);
    if (!json) return Error{text.where + ": " + which.parameter.path, json.error().what};
    text.json = std::move(*json);
    changed.push_back(which.text);
  }
  for (const std::size_t text : changed)
    if (const auto error = read_again(texts[text], made.shelf)) return *error;
  return made;
}

}  // namespace quintet
