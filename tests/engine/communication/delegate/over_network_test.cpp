// Ranks with a device each, whose hosts talk through UCX over the loopback interface: as several
// processes that share one GPU do.
#include <gtest/gtest.h>

#include "engine/communication/delegate/delegated_backend.h"
#include "engine/communication/network_backend.h"
#include "tests/stand_ins/device_memory.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/support/local_job.h"
#include "tests/support/one_collective.h"

namespace quintet::engine {
namespace {

constexpr int ranks = 4;

struct Here {
  Rank rank;
  kernels::Device& device;
  kernels::Stream stream;
  DelegatedBackend& backend;
  Transport& transport;
};

void run(std::uint64_t seed, const std::function<void(Here&)>& body,
         Milliseconds within = Milliseconds(20000)) {
  EXPECT_EQ(
      run_job({ranks, SharedMemory::refuse, {}},
              [&](Transport& transport) {
                const auto network =
                    NetworkBackend::make(test::one_group(ranks), {}, transport, {within, {}});
                ASSERT_TRUE(network) << network.error().text();
                const auto device =
                    fake_device({seed + static_cast<std::uint64_t>(transport.rank().value)});
                DelegatedBackend delegated(test::one_group(ranks), transport.rank(), *device,
                                           **network, {std::size_t{1} << 16, 3});
                Here here{transport.rank(), *device, device->make_stream(), delegated, transport};
                body(here);
              }),
      "");
}

std::optional<Error> wait_for(Here& here, std::vector<Ticket> tickets) {
  while (!tickets.empty()) {
    const auto over = here.backend.finished(tickets, Patience::until_one_is_over);
    if (!over) return over.error();
    EXPECT_FALSE(over->empty());
    for (auto each = over->rbegin(); each != over->rend(); ++each) {
      EXPECT_LE(each->moving, each->end);
      tickets.erase(tickets.begin() + static_cast<std::ptrdiff_t>(each->place));
    }
  }
  return std::nullopt;
}

constexpr std::size_t elements = 100000;  // 400 kB: 7 chunks, of which 3 at once

Bytes8 filled(float value) {
  return bytes_of(std::vector<float>(elements, value));
}

// A step: everyone sends to the next and receives from the one before, and all sum, three times.
TEST(DelegatesOverTheNetwork, MessagesAndCollectivesGoTogether) {
  for (const std::uint64_t seed : {1U, 50U, 900U})
    run(seed, [](Here& here) {
      const int me = here.rank.value, before = (me + ranks - 1) % ranks;
      DeviceMemory out(here.device, elements * 4), in(here.device, elements * 4),
          sum(here.device, elements * 4);
      for (std::uint64_t step = 0; step < 3; ++step) {
        const auto number = static_cast<float>(step * 100);
        out.fill(filled(number + static_cast<float>(me)), here.stream);
        sum.fill(filled(number + static_cast<float>(me)), here.stream);
        const std::vector<Ticket> tickets{
            here.backend.receive(
                {.from = Rank{before}, .tag = 9, .message = in.span(), .stream = here.stream}),
            here.backend.start({.communicator = CommunicatorId{0},
                                .use = step,
                                .buffer = sum.span(),
                                .stream = here.stream}),
            here.backend.send({.to = Rank{(me + 1) % ranks},
                               .tag = 9,
                               .message = out.span(),
                               .stream = here.stream})};
        ASSERT_EQ(wait_for(here, tickets), std::nullopt);
        for (DeviceMemory* const each : {&out, &in, &sum}) each->read_and_clear(here.stream);
        here.device.synchronise(here.stream);
        EXPECT_EQ(in.read(), filled(number + static_cast<float>(before)));
        EXPECT_EQ(sum.read(), filled(4 * number + 6));  // 0 + 1 + 2 + 3
      }
    });
}

TEST(DelegatesOverTheNetwork, AnAbortReachesEveryRank) {
  run(1, [](Here& here) {
    DeviceMemory sum(here.device, elements * 4);
    if (here.rank == Rank{2}) {
      here.backend.abort({"step 7", "the GPU is lost"});
      return;
    }
    const Ticket ticket = here.backend.start(
        {.communicator = CommunicatorId{0}, .buffer = sum.span(), .stream = here.stream});
    EXPECT_EQ(wait_for(here, {ticket}), (Error{"rank 2", "step 7: the GPU is lost"}));
  });
}

TEST(DelegatesOverTheNetwork, AMissedDeadlineNamesTheRank) {
  run(
      1,
      [](Here& here) {
        if (here.rank != Rank{0}) {
          while (!here.transport.failure()) std::this_thread::sleep_for(Milliseconds(5));
          return;
        }
        DeviceMemory in(here.device, 64);
        const Ticket ticket =
            here.backend.receive({.from = Rank{3}, .message = in.span(), .stream = here.stream});
        const auto error = wait_for(here, {ticket});
        ASSERT_TRUE(error.has_value());
        EXPECT_EQ(error->where, "rank 3");
      },
      Milliseconds(300));
}

}  // namespace
}  // namespace quintet::engine
