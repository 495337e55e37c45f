#include "engine/launch/rendezvous/rendezvous_place.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "engine/launch/rendezvous/rendezvous_proof.h"

namespace quintet::engine {

std::optional<Error> publish(const SocketAddress& address, const std::filesystem::path& file) {
  const std::filesystem::path draft = file.string() + ".new";
  std::ofstream out(draft);
  out << address.text() << '\n';
  out.close();
  if (!out) return Error{draft.string(), "cannot be written"};
  std::error_code error;
  std::filesystem::rename(draft, file, error);
  if (error) return Error{file.string(), error.message()};
  return std::nullopt;
}

Result<SocketAddress> published(const std::filesystem::path& file, Clock::time_point deadline) {
  constexpr Milliseconds pause{20};
  while (true) {
    std::ifstream in(file);
    std::string line;
    if (std::getline(in, line)) {
      const Result<SocketAddress> address = parse_address(line);
      if (!address) return Error{file.string(), address.error().what};
      return address;
    }
    if (Clock::now() >= deadline)
      return Error{file.string(), "no rendezvous was published here in time"};
    std::this_thread::sleep_for(pause);
  }
}

Result<SocketAddress> address_from_environment() {
  const char* text = std::getenv(rendezvous_variable);
  if (text == nullptr) return Error{rendezvous_variable, "is not set; expected HOST:PORT"};
  const Result<SocketAddress> address = parse_address(text);
  if (!address) return Error{rendezvous_variable, address.error().what};
  return address;
}

Result<std::vector<SocketAddress>> other_addresses_from_environment() {
  const char* text = std::getenv(rendezvous_elsewhere_variable);
  std::istringstream list(text == nullptr ? "" : text);
  std::vector<SocketAddress> addresses;
  for (std::string one; std::getline(list, one, ',');) {
    const Result<SocketAddress> address = parse_address(one);
    if (!address) return Error{rendezvous_elsewhere_variable, address.error().what};
    addresses.push_back(*address);
  }
  return addresses;
}

Result<std::string> token_from_environment() {
  const char* text = std::getenv(token_variable);
  const std::string token = text == nullptr ? "" : text;
  if (token.size() < shortest_token)
    return Error{token_variable, fmt::format("expected at least {} characters, found {}",
                                             shortest_token, token.size())};
  return token;
}

}  // namespace quintet::engine
