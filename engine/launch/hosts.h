// Ranks on several hosts: which these are, and how ranks are started there. A hosts file has a line
// each, "NAME slots=N address=ADDRESS", filled in order.
//
//   # comment
//   node1 slots=4 address=10.1.0.1
//   node2 slots=4 address=10.1.0.2
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/launch/rank_starter.h"
#include "sim/base/result.h"

namespace quintet::engine {

struct HostLine {
  std::string name;  // as ssh knows it; "localhost" or this host's own name: no ssh is needed
  int slots = 1;
  std::string address;  // what its ranks bind to: an address, interface or network of that host
  bool operator==(const HostLine&) const = default;
};

// At least one line; the error names the file, the line and what is accepted.
Result<std::vector<HostLine>> read_hosts(const std::filesystem::path& file);
Result<std::vector<HostLine>> parse_hosts(const std::string& text, const std::string& where);

// Whether `name` is this machine's: no ssh is needed.
bool is_this_host(const std::string& name);

// The line of each rank; an error where there are fewer slots than ranks.
Result<std::vector<HostLine>> host_of_ranks(const std::vector<HostLine>& hosts, int ranks,
                                            const std::string& where);

// Starts ranks on the hosts of a hosts file: through ssh, but for those on this host.
class HostsStarter final : public RankStarter {
 public:
  // `ssh`: the command and its options, before the host and the line for that host's shell.
  HostsStarter(std::vector<HostLine> host_of_rank, std::vector<std::string> ssh)
      : host_of_rank_(std::move(host_of_rank)), ssh_(std::move(ssh)) {}

  // There the program must be at the same path, and the working directory exist. Of the
  // environment only QUINTET_*, OMP_* and UCX_* travel, never a token.
  Result<pid_t> start(Rank rank, const ProcessStart& process) override;

 private:
  std::vector<HostLine> host_of_rank_;
  std::vector<std::string> ssh_;
  LocalStarter local_;
};

// What the shell on the other host is given.
std::string remote_line(const ProcessStart& process, const std::string& directory);

}  // namespace quintet::engine
