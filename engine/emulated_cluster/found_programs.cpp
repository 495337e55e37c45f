#include "engine/emulated_cluster/found_programs.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

namespace quintet::engine {
namespace {

std::string path_of(const std::string& program) {
  const char* const set = std::getenv("PATH");
  std::istringstream folders((set == nullptr ? "" : std::string(set) + ":") + "/usr/sbin:/sbin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string path = folder + "/" + program; access(path.c_str(), X_OK) == 0)
      return path;
  return "";
}

}  // namespace

Result<NetworkPrograms> find_network_programs() {
  const NetworkPrograms tools{path_of("ip"), path_of("tc")};
  for (const auto& [path, name] : {std::pair{tools.ip, "ip"}, std::pair{tools.tc, "tc"}})
    if (path.empty())
      return Error{"box", std::string("no program \"") + name +
                              "\" is found; install iproute2 (Debian: apt-get install iproute2)"};
  return tools;
}

}  // namespace quintet::engine
