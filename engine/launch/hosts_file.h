// Which hosts a job's ranks live on: a line each, "NAME slots=N address=ADDRESS", filled in order.
//
//   # comment
//   node1 slots=4 address=10.1.0.1
//   node2 slots=4 address=10.1.0.2
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet::engine {

struct HostLine {
  std::string name;  // as ssh knows it; "localhost" or this host's own name: no ssh is needed
  int slots = 1;
  std::string address;  // what its ranks bind to: an address, interface or network of that host
  bool operator==(const HostLine&) const = default;
};

Result<std::vector<HostLine>> read_hosts(const std::filesystem::path& file);
Result<std::vector<HostLine>> parse_hosts(const std::string& text, const std::string& where);

bool is_this_host(const std::string& name);

// The line of each rank; an error where there are fewer slots than ranks.
Result<std::vector<HostLine>> host_of_ranks(const std::vector<HostLine>& hosts, int ranks,
                                            const std::string& where);

}  // namespace quintet::engine
