// The ports that ranks listen on: bound to the named interfaces alone, and whoever does not know
// the job's token is not noticed, whatever he says and whenever.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <latch>
#include <thread>

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

// Once all have joined the rendezvous no longer listens: what is left is a port of each rank.
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

// From an address that no rank has; nothing where that is refused.
Descriptor from_elsewhere(const SocketAddress& address) {
  Descriptor stranger(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{}, to{};
  own.sin_family = to.sin_family = AF_INET;
  inet_pton(AF_INET, "127.66.0.9", &own.sin_addr);
  inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
  to.sin_port = htons(address.port);
  if (bind(stranger.number(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0 ||
      connect(stranger.number(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    return {};
  return stranger;
}

// What a thousand strangers say, by turns: nothing; noise; UCX's magic number (uct/tcp/tcp_ep.c,
// which ended the process when it was UCX that listened) and noise; the beginning of a hello and
// noise.
std::vector<std::byte> rubbish(unsigned which) {
  std::vector<std::byte> bytes = garbage(which % 4 == 0 ? 0 : 8 + which, which);
  const std::uint64_t magic = 0xCAFEBABE12345678;
  const std::uint32_t version = 1;
  if (which % 4 == 2) std::memcpy(bytes.data(), &magic, sizeof magic);
  if (which % 4 == 3) std::memcpy(bytes.data(), &version, sizeof version);
  return bytes;
}

void annoy(const SocketAddress& address, std::vector<Descriptor>& strangers) {
  for (unsigned which = 0; which < 500; ++which) {
    strangers.push_back(which % 2 == 0 ? half_open(address) : from_elsewhere(address));
    const std::vector<std::byte> said = rubbish(which);
    if (strangers.back().open() && !said.empty())
      send(strangers.back().number(), said.data(), said.size(), MSG_NOSIGNAL);
  }
}

// While data flows, and again when new connections are made: the ranks meet after the first
// thousand.
void survives_rubbish(int meet_up_to) {
  std::latch joined(2);
  std::vector<Descriptor> strangers;
  const auto body = [&](Transport& transport) {
    joined.arrive_and_wait();
    std::thread annoying;
    if (transport.rank() == Rank{0})
      annoying = std::thread([&] {
        for (const SocketAddress& address : listening_addresses()) annoy(address, strangers);
      });
    exchange(transport, 200);
    if (annoying.joinable()) annoying.join();
    exchange(transport, 20);
    EXPECT_EQ(transport.failure(), std::nullopt);
    EXPECT_EQ(transport.close(Milliseconds(10000)), std::nullopt);
  };
  EXPECT_EQ(run_job({2, SharedMemory::refuse, {}, meet_up_to}, body), "");
  EXPECT_EQ(strangers.size(), 1000u);
}

TEST(TransportPort, AThousandConnectionsWithRubbishAreNotNoticed) {
  survives_rubbish(128);
}

// Jobs too large to connect all to all when they join.
TEST(TransportPort, NeitherAreTheyWhereRanksConnectAsTheyGo) {
  survives_rubbish(0);
}

}  // namespace
}  // namespace quintet::engine
