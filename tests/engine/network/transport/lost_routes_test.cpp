// Two ranks with two interfaces each, whose connections somebody breaks again and again while data
// flows: everything arrives, in order, and nobody fails.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <set>
#include <thread>

#include "tests/support/local_job.h"
#include "tests/support/strangers.h"

namespace quintet::engine {
namespace {

constexpr Milliseconds long_enough{30000};

LocalJob two_interfaces() {
  LocalJob job;
  job.interfaces = {{"lo", "127.0.0.1"}, {"lo", "127.0.0.2"}};
  return job;
}

std::uint32_t address_of_peer(int descriptor) {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  if (getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size) != 0 ||
      peer.sin_family != AF_INET)
    return 0;
  return ntohl(peer.sin_addr.s_addr);
}

std::set<int> connections_now() {
  std::set<int> found;
  for (int number = 0; number < 1024; ++number)
    if (address_of_peer(number) != 0) found.insert(number);
  return found;
}

// Breaks connections to that address, but for those that stood before the ranks met.
void break_connections(std::uint32_t address, const std::set<int>& spared) {
  for (int number = 0; number < 1024; ++number)
    if (address_of_peer(number) == address && !spared.contains(number)) shutdown(number, SHUT_RDWR);
}

constexpr std::uint32_t first_interface = 0x7f000001, second_interface = 0x7f000002;

// Messages of every manner: copied at once, segments, offered.
void exchange_in_every_manner(Transport& transport, int rounds) {
  const Rank other{1 - transport.rank().value};
  for (int round = 0; round < rounds; ++round) {
    const std::size_t sizes[] = {100, 100'000, 2'500'000};
    std::vector<std::vector<std::byte>> sent, arrived;
    for (const std::size_t size : sizes) {
      sent.push_back(garbage(size, static_cast<unsigned>(round)));
      arrived.emplace_back(size);
    }
    std::vector<Operation> operations;
    for (std::vector<std::byte>& place : arrived)
      operations.push_back(transport.receive(other, 3, place, long_enough));
    for (const std::vector<std::byte>& message : sent)
      operations.push_back(transport.send(other, 3, message, long_enough));
    for (Operation& operation : operations) ASSERT_EQ(operation.wait(), std::nullopt);
    ASSERT_EQ(arrived, sent) << "round " << round;
  }
}

TEST(LostRoutes, WhatWasUnderWayGoesOnElsewhere) {
  LocalJob job = two_interfaces();
  std::mutex mutex;
  std::vector<std::string> reroutings;
  job.on_rerouting = [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    reroutings.push_back(what);
  };
  // The rendezvous, which listens on the first interface too, stands before ranks connect.
  job.meet_up_to = 0;
  std::latch joined(2);
  std::set<int> spared;
  const auto body = [&](Transport& transport) {
    joined.arrive_and_wait();
    if (transport.rank() == Rank{0}) spared = connections_now();
    std::atomic<bool> over = false;
    std::thread vandal;
    if (transport.rank() == Rank{0})
      vandal = std::thread([&] {
        while (!over) {
          break_connections(first_interface, spared);
          std::this_thread::sleep_for(Milliseconds(30));
        }
      });
    exchange_in_every_manner(transport, 40);
    over = true;
    if (vandal.joinable()) vandal.join();
    EXPECT_EQ(transport.close(long_enough), std::nullopt);
  };
  EXPECT_EQ(run_job(job, body), "");
  EXPECT_FALSE(reroutings.empty());
}

// Both are broken by turns, so that there is at times no route at all.
TEST(LostRoutes, WhereAllAreLostTheyAreMadeAnew) {
  LocalJob job = two_interfaces();
  job.meet_up_to = 0;
  std::latch joined(2);
  std::set<int> spared;
  const auto body = [&](Transport& transport) {
    joined.arrive_and_wait();
    std::atomic<bool> over = false;
    std::thread vandal;
    if (transport.rank() == Rank{0}) {
      spared = connections_now();
      vandal = std::thread([&] {
        for (int turn = 0; !over; ++turn) {
          break_connections(turn % 2 == 0 ? first_interface : second_interface, spared);
          std::this_thread::sleep_for(Milliseconds(40));
        }
      });
    }
    exchange_in_every_manner(transport, 40);
    over = true;
    if (vandal.joinable()) vandal.join();
    EXPECT_EQ(transport.close(long_enough), std::nullopt);
  };
  EXPECT_EQ(run_job(job, body), "");
}

// Between two steps or inside one: by order, and back.
TEST(LostRoutes, ARouteIsChangedByOrder) {
  LocalJob job = two_interfaces();
  std::mutex mutex;
  std::vector<std::string> reroutings;
  job.on_rerouting = [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    reroutings.push_back(what);
  };
  const auto body = [&](Transport& transport) {
    const Rank other{1 - transport.rank().value};
    exchange_in_every_manner(transport, 5);
    if (transport.rank() == Rank{0}) transport.prefer(other, 1);
    exchange_in_every_manner(transport, 20);
    if (transport.rank() == Rank{0}) transport.prefer(other, 0);
    exchange_in_every_manner(transport, 20);
    EXPECT_EQ(transport.close(long_enough), std::nullopt);
  };
  EXPECT_EQ(run_job(job, body), "");
  EXPECT_EQ(reroutings,
            (std::vector<std::string>{
                "to rank 1 over interface 1 instead of 0: it is the preferred one, and stands",
                "to rank 1 over interface 0 instead of 1: it is the preferred one, and stands"}));
}

}  // namespace
}  // namespace quintet::engine
