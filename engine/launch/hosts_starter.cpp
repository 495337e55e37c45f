#include "engine/launch/hosts_starter.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "engine/launch/rendezvous/rendezvous_place.h"

namespace quintet::engine {

namespace {

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

bool travels(const std::string& variable) {
  if (variable.starts_with(std::string(token_variable) + "=")) return false;
  return variable.starts_with("QUINTET_") || variable.starts_with("OMP_") ||
         variable.starts_with("UCX_");
}

// execve takes no PATH.
std::string found_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::string folders = path ? path : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::filesystem::path file =
        std::filesystem::path(folders.substr(begin, end - begin)) / program;
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file.string();
    begin = end + 1;
  }
  return program;
}

}  // namespace

std::string remote_line(const ProcessStart& process, const std::string& directory) {
  std::string line = "cd " + quoted(directory) + " && exec env";
  for (const std::string& variable : process.environment)
    if (travels(variable)) line += " " + quoted(variable);
  for (const std::string& argument : process.arguments) line += " " + quoted(argument);
  return line;
}

Result<pid_t> HostsStarter::start(Rank rank, const ProcessStart& process) {
  const HostLine& host = host_of_rank_[rank.index()];
  if (is_this_host(host.name)) return local_.start(rank, process);
  ProcessStart remote = process;
  remote.arguments = ssh_;
  remote.arguments.front() = found_in_path(ssh_.front());
  remote.arguments.push_back(host.name);
  remote.arguments.push_back(remote_line(process, std::filesystem::current_path().string()));
  return local_.start(rank, remote);
}

}  // namespace quintet::engine
