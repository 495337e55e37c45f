// How ranks learn where the rendezvous is: from the environment, or from a file that rank 0 writes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

constexpr const char* rendezvous_variable = "QUINTET_RENDEZVOUS";  // HOST:PORT
// Where it listens as well: HOST:PORT,HOST:PORT ...
constexpr const char* rendezvous_elsewhere_variable = "QUINTET_RENDEZVOUS_ELSEWHERE";
constexpr const char* token_variable = "QUINTET_TOKEN";
// In an emulated cluster: the rank on whose host the rendezvous listens, named when it cannot be
// reached any more.
constexpr const char* rendezvous_rank_variable = "QUINTET_RENDEZVOUS_RANK";

// Whoever reads the file meanwhile sees nothing or all of it.
std::optional<Error> publish(const SocketAddress& address, const std::filesystem::path& file);

// Waits for the file until the deadline.
Result<SocketAddress> published(const std::filesystem::path& file, Clock::time_point deadline);

// What the launcher tells its ranks; the error names the variable and what is accepted.
Result<SocketAddress> address_from_environment();
Result<std::vector<SocketAddress>> other_addresses_from_environment();  // mostly none
Result<std::string> token_from_environment();

}  // namespace quintet::engine
