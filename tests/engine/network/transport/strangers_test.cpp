// The port that UCX itself listens on: bound to the named interface alone, and neither garbage nor
// connections without a word stop the ranks.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <latch>

#include "tests/support/local_job.h"
#include "tests/support/strangers.h"

namespace quintet::engine {
namespace {

// Everything this process listens on.
std::vector<SocketAddress> listening_addresses() {
  std::vector<SocketAddress> found;
  constexpr int many = 4096;
  for (int number = 0; number < many; ++number) {
    int accepts = 0;
    socklen_t size = sizeof accepts;
    if (getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) != 0 || accepts == 0)
      continue;
    sockaddr_in address{};
    size = sizeof address;
    if (getsockname(number, reinterpret_cast<sockaddr*>(&address), &size) != 0) continue;
    char host[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &address.sin_addr, host, sizeof host);
    found.push_back({host, ntohs(address.sin_port)});
  }
  return found;
}

void exchange(Transport& transport, int rounds) {
  const Rank other{1 - transport.rank().value};
  for (int round = 0; round < rounds; ++round) {
    const std::vector<std::byte> sent = garbage(100000, static_cast<unsigned>(round));
    std::vector<std::byte> arrived(sent.size());
    Operation receiving = transport.receive(other, 3, arrived, Milliseconds(10000));
    EXPECT_EQ(transport.send(other, 3, sent, Milliseconds(10000)).wait(), std::nullopt);
    EXPECT_EQ(receiving.wait(), std::nullopt);
    EXPECT_EQ(arrived, sent);
  }
}

// Once all have joined the rendezvous no longer listens: what is left is UCX's, one port a rank.
TEST(TransportPort, IsBoundToTheNamedInterfaceOnly) {
  std::latch joined(2), looked(2);
  const auto body = [&](Transport& transport) {
    joined.arrive_and_wait();
    if (transport.rank() == Rank{0}) {
      const std::vector<SocketAddress> addresses = listening_addresses();
      EXPECT_EQ(addresses.size(), 2u);
      for (const SocketAddress& address : addresses) EXPECT_EQ(address.host, "127.0.0.1");
    }
    looked.arrive_and_wait();
  };
  EXPECT_EQ(run_job({2, SharedMemory::refuse, {}}, body), "");
}

// Asks for a connection and does not wait for it.
Descriptor knock(const SocketAddress& address) {
  Descriptor stranger(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(address.port);
  inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
  EXPECT_NE(connect(stranger.number(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  EXPECT_EQ(errno, EINPROGRESS);
  return stranger;
}

bool is_in(const Descriptor& stranger) {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  return getpeername(stranger.number(), reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

// A thousand attempts while data flows. On loopback who gets in is in at once.
TEST(TransportPort, IsShutOnceAllHaveJoined) {
  std::latch joined(2);
  std::vector<Descriptor> strangers;
  const auto body = [&](Transport& transport) {
    joined.arrive_and_wait();
    if (transport.rank() == Rank{0})
      for (const SocketAddress& address : listening_addresses())
        for (int i = 0; i < 500; ++i) strangers.push_back(knock(address));
    exchange(transport, 50);
    if (transport.rank() == Rank{0}) {
      EXPECT_EQ(std::count_if(strangers.begin(), strangers.end(), is_in), 0);
    }
    EXPECT_EQ(transport.close(Milliseconds(10000)), std::nullopt);
  };
  EXPECT_EQ(run_job({2, SharedMemory::refuse, {}}, body), "");
  EXPECT_EQ(strangers.size(), 1000u);
}

// Jobs too large to connect all to all.
TEST(TransportPort, LeftOpenSurvivesGarbageAndAThousandHalfOpenConnections) {
  std::latch joined(2), annoyed(2);
  std::vector<Descriptor> strangers;
  const auto body = [&](Transport& transport) {
    exchange(transport, 1);
    joined.arrive_and_wait();
    if (transport.rank() == Rank{0})
      for (const SocketAddress& address : listening_addresses()) {
        for (unsigned seed = 0; seed < 20; ++seed)
          EXPECT_EQ(says(address, garbage(8 + 200 * seed, seed), Milliseconds(3000)),
                    Ending::closed);
        for (int i = 0; i < 500; ++i) strangers.push_back(half_open(address));
      }
    annoyed.arrive_and_wait();
    exchange(transport, 50);
    EXPECT_EQ(transport.close(Milliseconds(10000)), std::nullopt);
  };
  EXPECT_EQ(run_job({2, SharedMemory::refuse, {}, 0}, body), "");
  EXPECT_EQ(strangers.size(), 1000u);
}

}  // namespace
}  // namespace quintet::engine
