#include "traces/kineto/trace_header.h"

#include <nlohmann/json.hpp>

#include <array>
#include <limits>
#include <numeric>

#include "sim/base/shown_text.h"
#include "sim/json/json_fields.h"
#include "traces/json_stream/decimal_numbers.h"

namespace quintet::kineto {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? std::to_string(found->get<std::int64_t>()) : std::string{};
}

// Nothing: there is none that fits. Some writers have numbers in quotes.
std::optional<int> number_of(const Json& object, const char* key) {
  const auto value = json_stream::integer_of(text_of(object, key));
  if (!value || *value < 0 || *value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*value);
}

// A list, or in traces on demand a list's text.
std::vector<int> ranks_in(const Json& group) {
  const auto found = group.find("ranks");
  if (found == group.end()) return {};
  if (found->is_string()) return pytorch::ranks_in_list(found->get<std::string>());
  return found->is_array() ? pytorch::ranks_in_list(found->dump()) : std::vector<int>{};
}

void take_groups(TraceParts& parts, const Json& groups) {
  constexpr int most_ranks = 1 << 20;  // a damaged file may claim any number
  for (const Json& told : groups) {
    if (!told.is_object()) continue;
    ProcessGroup group{.name = text_of(told, "pg_name"),
                       .description = text_of(told, "pg_desc"),
                       .ranks = ranks_in(told),
                       .size = number_of(told, "pg_size").value_or(0)};
    const bool is_all = group.ranks.empty() && group.size == parts.trace.world_size;
    if (is_all && group.size <= most_ranks) {
      group.ranks.resize(static_cast<std::size_t>(group.size));
      std::iota(group.ranks.begin(), group.ranks.end(), 0);
    }
    parts.groups.tell(std::move(group));
  }
}

void take_job(TraceParts& parts, const Json& info) {
  if (const auto rank = number_of(info, "rank")) parts.trace.rank = *rank;
  if (const auto size = number_of(info, "world_size")) parts.trace.world_size = *size;
  const auto groups = info.find("pg_config");
  if (groups == info.end()) return;
  if (groups->is_array()) return take_groups(parts, *groups);
  if (!groups->is_string()) return;
  const auto list = parse_json(groups->get<std::string>(), "pg_config");
  if (list && list->is_array()) take_groups(parts, *list);
}

void take_devices(TraceParts& parts, const Json& devices) {
  for (const Json& device : devices)
    if (device.is_object())
      parts.trace.devices.push_back(
          {number_of(device, "id").value_or(-1), text_of(device, "name")});
}

}  // namespace

bool is_header_value(std::string_view key) {
  constexpr std::array known{"distributedInfo", "deviceProperties", "baseTimeNanoseconds",
                             "host_name", "hostname"};
  return std::find(known.begin(), known.end(), key) != known.end();
}

std::optional<Error> take_header_value(TraceParts& parts, const std::string& where,
                                       const std::string& key, std::string_view value) {
  if (key == "baseTimeNanoseconds") {
    if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
    const auto base = json_stream::integer_of(value);
    if (!base || *base < 0 || *base > 2 * json_stream::most_nanoseconds)
      return Error{where + ": baseTimeNanoseconds",
                   "is " + in_quotes(value) +
                       ": expected whole nanoseconds since 1970, from which events count"};
    parts.base_nanoseconds = *base;
    return std::nullopt;
  }
  const auto json = parse_json(std::string(value), key);
  if (!json) {
    ++parts.left_out["values that cannot be read: " + key];
  } else if (key == "distributedInfo" && json->is_object()) {
    take_job(parts, *json);
  } else if (key == "deviceProperties" && json->is_array()) {
    take_devices(parts, *json);
  } else if (json->is_string()) {
    parts.trace.host = json->get<std::string>();
  }
  return std::nullopt;
}

}  // namespace quintet::kineto
