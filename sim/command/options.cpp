#include "sim/command/options.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "sim/base/shown_text.h"
#include "sim/topology/file/topology_file.h"

namespace quintet {
namespace {

// Empty when it is a number of hosts.
std::string complaint_of_hosts(const std::string& given) {
  int hosts = 0;
  const char* const end = given.data() + given.size();
  const auto [stopped, failure] = std::from_chars(given.data(), end, hosts);
  if (failure == std::errc{} && stopped == end && hosts >= 1 && hosts <= most_hosts) return "";
  return fmt::format("expected 1 to {}, found {}", most_hosts, in_quotes(given));
}

}  // namespace

Option hosts_option(std::optional<int>& hosts) {
  return {"--hosts", &hosts,         "So many hosts instead of the topology file's number",
          "N",       Need::optional, Judged{complaint_of_hosts}};
}

}  // namespace quintet
