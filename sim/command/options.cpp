#include "sim/command/options.h"

#include <charconv>
#include <string>

#include "sim/base/shown_text.h"
#include "sim/topology/topology_file.h"

namespace quintet {
namespace {

// Empty when it is a number of hosts.
std::string not_hosts(const std::string& given) {
  int hosts = 0;
  const char* const end = given.data() + given.size();
  const auto [stopped, failure] = std::from_chars(given.data(), end, hosts);
  if (failure == std::errc{} && stopped == end && hosts >= 1 && hosts <= most_hosts) return "";
  return "expected 1 to " + std::to_string(most_hosts) + ", found " + in_quotes(given);
}

}  // namespace

void add_hosts_option(CLI::App& verb, std::optional<int>& hosts) {
  verb.add_option("--hosts", hosts, "So many hosts instead of the topology file's number")
      ->check(CLI::Validator(not_hosts, "", "hosts"))
      ->type_name("N");
}

}  // namespace quintet
