#include "engine/launch/rendezvous/rendezvous_server.h"

#include <fmt/format.h>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "engine/launch/rendezvous/rendezvous_hub.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"

namespace quintet::engine {

Result<std::unique_ptr<RendezvousServer>> RendezvousServer::start(
    const RendezvousOptions& options) {
  Result<Descriptor> listening = listen_on(options.address);
  if (!listening) return listening.error();
  Result<SocketAddress> address = address_of(*listening);
  if (!address) return address.error();
  RendezvousOptions bound = options;
  bound.address = *std::move(address);
  return start(bound, *std::move(listening));
}

Result<std::unique_ptr<RendezvousServer>> RendezvousServer::start(const RendezvousOptions& options,
                                                                  Descriptor listening) {
  std::vector<Descriptor> one;
  one.push_back(std::move(listening));
  return start(options, std::move(one));
}

Result<std::unique_ptr<RendezvousServer>> RendezvousServer::start(
    const RendezvousOptions& options, std::vector<Descriptor> listening) {
  if (options.token.size() < shortest_token)
    return Error{"rendezvous",
                 fmt::format("a token of at least {} characters is required, this has {}",
                             shortest_token, options.token.size())};
  std::unique_ptr<RendezvousServer> server(new RendezvousServer);
  server->address_ = options.address;
  server->stop_ = Descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!server->stop_.open()) return Error{"rendezvous", system_error(errno)};
  server->hub_ =
      std::make_unique<RendezvousHub>(options, std::move(listening), server->stop_.number());
  server->thread_ = std::thread([hub = server->hub_.get()] { hub->run(); });
  return server;
}

RendezvousServer::~RendezvousServer() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_.number(), &one, sizeof one);
  thread_.join();
}

}  // namespace quintet::engine
