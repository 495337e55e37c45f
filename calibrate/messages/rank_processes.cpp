#include "calibrate/messages/rank_processes.h"

#include <fmt/format.h>

#include <sys/wait.h>

#include <string>

namespace quintet::calibrate {

std::optional<Error> all_ended(const std::vector<pid_t>& processes) {
  std::optional<Error> wrong;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    int status = 0;
    waitpid(processes[rank], &status, 0);
    if (status != 0 && !wrong)
      wrong = Error{"timing messages", fmt::format("rank {} failed", rank)};
  }
  return wrong;
}

}  // namespace quintet::calibrate
