// Ranks on the hosts of a hosts file: through ssh, but for those on this host.
#pragma once

#include "engine/launch/hosts_file.h"
#include "engine/launch/rank_starter.h"

namespace quintet::engine {

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
