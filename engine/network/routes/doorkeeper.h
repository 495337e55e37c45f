// Listens for the other ranks of the job, and lets in nobody else. Until a connection has proven
// the job's token, nothing of it goes any further than here: it costs a descriptor and a hundred
// bytes, may live for `patience`, and gives way to newer ones beyond `most_strangers`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/network/routes/route_address.h"
#include "engine/network/routes/route_handshake.h"

namespace quintet::engine {

struct DoorkeeperOptions {
  std::vector<std::string> addresses;  // literals of this host, one for each route
  std::string token;
  std::uint32_t rank = 0, world = 1, lane = 0;
  Milliseconds patience{3000};
  std::size_t most_strangers = 128;
};

class Doorkeeper {
 public:
  static Result<std::unique_ptr<Doorkeeper>> open(const DoorkeeperOptions& options);

  const Doors& doors() const { return doors_; }
  int descriptor() const { return epoll_.number(); }  // readable: there is something to do

  struct Guest {
    Descriptor socket;
    RouteHello hello;
  };
  // Those who have proven themselves. `last`: the last segment that came from a rank.
  std::vector<Guest> admit(Clock::time_point now,
                           const std::function<std::uint64_t(std::uint32_t rank)>& last);

 private:
  struct Stranger {
    Descriptor socket;
    Nonce asked{};
    Clock::time_point since;
    std::vector<std::byte> said;
  };
  using StrangerId = std::uint64_t;  // counts up: a smaller one is older
  enum class Heard { not_all, all, nonsense };

  void accept_some(Clock::time_point now);
  void greet(Descriptor socket, Clock::time_point now);
  Heard hear(Stranger& stranger) const;
  bool is_for_us(const RouteHello& hello) const;

  DoorkeeperOptions options_;
  Doors doors_;
  std::vector<Descriptor> listening_;
  Descriptor epoll_;
  std::map<StrangerId, Stranger> strangers_;
  StrangerId next_ = 1;
};

}  // namespace quintet::engine
