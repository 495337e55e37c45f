// Unnamed namespaces and what is started in them.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/emulated_cluster/keeper.h"
#include "engine/launch/process.h"
#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "sim/base/result.h"

namespace quintet::engine {

// The first process of a space; as long as it lives, the space does.
struct SpaceHolder {
  pid_t process = 0;  // as this process sees it
  Descriptor handle;  // pidfd
};

struct StartedProcess {
  pid_t process = 0;
  Descriptor handle;  // pidfd: it cannot mean another process later
};

class Namespaces {
 public:
  static Result<std::unique_ptr<Namespaces>> make(const std::vector<SpaceRequest>& spaces);
  ~Namespaces();  // ends all processes inside; the caller's own children have been waited for
  Namespaces(const Namespaces&) = delete;

  pid_t process(std::size_t space) const { return holders_[space].process; }

  // Network only: a tool of ours that looks at the caller's files and processes.
  enum class Inside { everything, network };
  // A child of the caller.
  Result<StartedProcess> start(std::size_t space, const ProcessStart& process, Inside inside) const;

  // Runs a tool in the network of the space to its end, with that input; its output, or as an error
  // what it complained of.
  Result<std::string> output_of(std::size_t space, const std::vector<std::string>& arguments,
                                const std::string& input) const;

  // Belongs to the network of the space, and to the caller.
  Result<Descriptor> socket_inside(std::size_t space, int domain, int type, int protocol) const;

 private:
  Namespaces() = default;
  int flags_for(std::size_t space, Inside inside) const;
  std::optional<Error> collect();

  std::vector<SpaceRequest> requests_;
  std::vector<SpaceHolder> holders_;
  UserNamespace users_ = UserNamespace::ours;
  Descriptor socket_;  // to the keeper, who ends when it closes
  pid_t keeper_ = 0;
};

}  // namespace quintet::engine
