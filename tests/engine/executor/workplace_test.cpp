#include "engine/device/workplace.h"

#include <gtest/gtest.h>

#include "engine/device/lost_peer.h"
#include "tests/stand_ins/fake_device.h"

namespace quintet::engine {
namespace {

TEST(Workplaces, AStepIsFinishedWhenAllItsLanesAre) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto device = fake_device({seed});
    Workplace place(*device, std::vector<kernels::Urgency>(2), {});
    auto* const number = static_cast<int*>(device->allocate_pinned(sizeof(int)));
    place.enter(1);
    place.zero(number, sizeof(int));
    place.enter(0);
    place.finish_step();
    EXPECT_EQ(*number, 0) << seed;
    device->free_pinned(number);
  }
}

// What the device waits for may never come: the host asks about its peers meanwhile.
TEST(Workplaces, ALostPeerEndsTheWaitForTheDevice) {
  const auto device = fake_device();
  Workplace place(*device, std::vector<kernels::Urgency>(1), {});
  bool lost = false;
  place.watch([&]() -> std::optional<Error> {
    if (lost) return Error{"rank 1", "is gone"};
    lost = true;
    return std::nullopt;
  });
  place.enter(0);
  bool over = false;
  queue_meeting(
      *device, place.stream(), [] {}, [&] { return over; });
  try {
    place.finish_step();
    ADD_FAILURE() << "waited for nobody";
  } catch (const LostPeer& peer) {
    EXPECT_EQ(peer.error(), (Error{"rank 1", "is gone"}));
  }
  over = true;  // as an abort ends what waits
}

}  // namespace
}  // namespace quintet::engine
