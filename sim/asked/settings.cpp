#include "sim/asked/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/base/nearest_word.h"
#include "sim/base/shown_text.h"
#include "sim/base/usual_words.h"
#include "sim/plan/plan_file.h"
#include "sim/usage/complain.h"

namespace quintet {
namespace {

constexpr std::array plan_layers{"parallelism", "ccl", "intra_inter", "host_net", "run"};
constexpr const char* layers_text =
    "parallelism, ccl, intra_inter, host_net, network, run, host, topology, costs, prices";
constexpr std::size_t most_combinations = 100'000;

// Keys are written with '_', and short names of parallelism's fields are ours.
std::string own_key(std::string_view key, bool of_parallelism) {
  const std::size_t end = std::min(key.find('['), key.size());
  std::string own(key.substr(0, end));
  if (of_parallelism) own = field_meant(own).value_or(own);
  std::replace(own.begin(), own.end(), '-', '_');
  return own + std::string(key.substr(end));
}

std::string own_path(std::string_view given) {
  std::string path;
  const bool of_parallelism =
      given.starts_with("parallelism.") || given.starts_with("plan.parallelism.");
  while (!given.empty()) {
    const std::size_t length = std::min(given.find('.'), given.size());
    path += own_key(given.substr(0, length), of_parallelism);
    if (length < given.size()) path += '.';
    given.remove_prefix(std::min(length + 1, given.size()));
  }
  return path;
}

std::string_view first_of(std::string_view path) {
  return path.substr(0, path.find_first_of(".["));
}

std::string_view rest_of(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
}

// "tensor=4": the layers of the plan that have such a field, or one with nearly its name.
std::string whose_field(std::string_view field) {
  const FieldDescription plan = plan_fields();
  std::vector<std::string> paths;
  std::vector<std::string_view> names;
  for (const FieldDescription& layer : plan.fields)
    for (const FieldDescription& each : layer.fields) {
      if (each.key == field) return "; did you mean " + in_quotes(layer.key + "." + each.key) + "?";
      paths.push_back(layer.key + "." + each.key);
      names.push_back(each.key);
    }
  const auto near = nearest(field, names);
  if (!near) return "";
  const auto found = std::find(names.begin(), names.end(), *near) - names.begin();
  return "; did you mean " + in_quotes(paths[static_cast<std::size_t>(found)]) + "?";
}

bool is_layer(std::string_view word) {
  constexpr std::array others{"network", "host", "topology", "machine", "costs", "prices", "plan"};
  return std::find(plan_layers.begin(), plan_layers.end(), word) != plan_layers.end() ||
         std::find(others.begin(), others.end(), word) != others.end();
}

Error no_layer(const std::string& given, std::string_view first) {
  if (is_layer(first))
    return {"--set " + shown(given, 80),
            fmt::format("{} is a layer; name one of its fields, as parallelism.tensor names one of "
                        "parallelism (quintet plan fields lists them)",
                        in_quotes(first))};
  const std::vector<std::string_view> layers{"parallelism", "ccl",   "intra_inter", "host_net",
                                             "network",     "run",   "host",        "topology",
                                             "costs",       "prices"};
  std::string hint = whose_field(first);
  if (const auto near = nearest(first, layers)) hint = "; did you mean " + in_quotes(*near) + "?";
  return {"--set " + shown(given, 80),
          fmt::format("{} is no layer; there are {}{}", in_quotes(first), layers_text, hint)};
}

bool is_of_plan_network(std::string_view field) {
  const FieldDescription plan = plan_fields();
  const FieldDescription* const network = field_of(plan, "network");
  return network != nullptr && field_of(*network, field) != nullptr;
}

struct Address {
  AskedFile file;
  std::string path;
};

std::optional<Address> address_of(const std::string& path) {
  const std::string first(first_of(path)), rest(rest_of(path));
  if (rest.empty()) return std::nullopt;
  if (std::find(plan_layers.begin(), plan_layers.end(), first) != plan_layers.end())
    return Address{AskedFile::plan, path};
  if (first == "plan") return Address{AskedFile::plan, rest};
  if (first == "topology" || first == "machine") return Address{AskedFile::topology, rest};
  if (first == "host") return Address{AskedFile::topology, path};
  if (first == "costs") return Address{AskedFile::costs, rest};
  if (first == "prices") return Address{AskedFile::prices, rest};
  if (first != "network") return std::nullopt;
  return Address{is_of_plan_network(first_of(rest)) ? AskedFile::plan : AskedFile::topology, path};
}

const char* file_text(AskedFile file) {
  switch (file) {
    case AskedFile::plan:
      return "the plan";
    case AskedFile::topology:
      return "the machine";
    case AskedFile::costs:
      return "the cost table";
    case AskedFile::prices:
      return "the prices";
  }
  return "";
}

FieldChanges& changes_of(AskedChanges& all, AskedFile file) {
  switch (file) {
    case AskedFile::plan:
      break;
    case AskedFile::topology:
      return all.topology;
    case AskedFile::costs:
      return all.costs;
    case AskedFile::prices:
      return all.prices;
  }
  return all.plan;
}

// "parallelism.tensor" -> "tensor"
std::string last_key(const std::string& path) {
  return path.substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
}

}  // namespace

Result<AskedField> asked_field(const std::string& given) {
  const std::string asked = "--set " + shown(given, 80);
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0)
    return Error{asked, "expected LAYER.FIELD=VALUE such as parallelism.tensor=4"};
  const std::string path = own_path(given.substr(0, equals));
  const auto address = address_of(path);
  if (!address) return no_layer(given, first_of(path));
  AskedField setting{address->file, address->path, listed(given.substr(equals + 1)),
                     "--set " + given.substr(0, equals) + "="};
  for (const std::string& value : setting.values)
    if (value.empty()) return Error{asked, "expected a value behind = and behind each comma"};
  return setting;
}

Result<AskedFields> asked_fields(const std::vector<std::string>& given) {
  AskedFields all;
  for (const std::string& each : given) {
    Result<AskedField> setting = asked_field(each);
    if (!setting) return setting.error();
    all.push_back(std::move(*setting));
  }
  return all;
}

Result<std::vector<AskedChanges>> combinations(const AskedFields& settings) {
  for (const AskedField& setting : settings)
    for (auto value = setting.values.begin(); value != setting.values.end(); ++value)
      if (std::find(setting.values.begin(), value, *value) != value)
        return Error{setting.option + shown(*value, 80), "is listed twice; give each value once"};
  for (std::size_t i = 0; i < settings.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (settings[i].file == settings[j].file && settings[i].path == settings[j].path)
        return Error{settings[i].option + settings[i].values.front(),
                     settings[j].option + settings[j].values.front() +
                         " says the same field; give one of them"};
  std::vector<AskedChanges> all(1);
  for (const AskedField& setting : settings) {
    if (all.size() * setting.values.size() > most_combinations)
      return Error{
          setting.option + setting.values.front(),
          fmt::format("makes more than {} combinations; give fewer values", most_combinations)};
    std::vector<AskedChanges> more;
    for (const AskedChanges& before : all)
      for (const std::string& value : setting.values) {
        AskedChanges changes = before;
        changes_of(changes, setting.file)
            .push_back({setting.path, value, setting.option + shown(value, 200)});
        if (setting.values.size() > 1)
          changes.varied += fmt::format("{}{} {}", changes.varied.empty() ? "" : ", ",
                                        last_key(setting.path), value);
        more.push_back(std::move(changes));
      }
    all = std::move(more);
  }
  return all;
}

Option set_option(std::vector<std::string>& into) {
  return {.names = "--set",
          .into = &into,
          .does =
              "Another value for a field of the plan, machine, cost table or prices, such as "
              "network.routing=spray; may be repeated; quintet plan fields lists all fields",
          .type = "LAYER.FIELD=VALUE",
          .one_each_time = true};
}

Result<AskedChanges> one_combination(const std::vector<std::string>& given,
                                     const std::vector<AskedFile>& read, const std::string& why) {
  const Result<AskedFields> settings = asked_fields(given);
  if (!settings) return settings.error();
  for (const AskedField& setting : *settings) {
    const std::string asked = setting.option + setting.values.front();
    if (std::find(read.begin(), read.end(), setting.file) == read.end())
      return Error{asked, fmt::format("is of {}: {}", file_text(setting.file), why)};
    if (setting.values.size() > 1)
      return Error{asked, "one value is taken here; quintet simulate compares several"};
  }
  Result<std::vector<AskedChanges>> all = combinations(*settings);
  if (!all) return all.error();
  return std::move(all->front());
}

}  // namespace quintet
