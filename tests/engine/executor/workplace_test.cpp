#include "engine/device/workplace.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <functional>

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

// What never comes is not waited for for ever, and who is asked for words says what it was.
TEST(Workplaces, AWaitEndsAtItsDeadlineAndSaysForWhatItWas) {
  const auto device = fake_device();
  DeviceOptions options;
  options.within = std::chrono::milliseconds(50);
  Workplace place(*device, std::vector<kernels::Urgency>(1), options);
  place.explain([] { return "the sum with rank 1"; });
  place.enter(0);
  place.end_step({});  // has taken its pinned memory then, for which a device stops
  place.await_step();
  bool over = false;
  queue_meeting(
      *device, place.stream(), [] {}, [&] { return over; });
  float number = 0;
  for (const std::function<void()>& wait : std::vector<std::function<void()>>{
           [&] { place.fetch(&number, &number, sizeof number); },
           [&] { place.send(&number, &number, sizeof number); }, [&] { place.finish_step(); },
           [&] {
             place.end_step({});
             place.await_step();
           }}) {
    const auto start = std::chrono::steady_clock::now();
    try {
      wait();
      ADD_FAILURE() << "waited for nothing";
    } catch (const std::runtime_error& ended) {
      EXPECT_STREQ(ended.what(), "has not done within 50 ms what was queued: the sum with rank 1");
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
  over = true;  // as an abort ends what waits
}

// The second is queued while the first is held up; each leaves what it had made by its own end.
TEST(Workplaces, AStepIsQueuedWhileTheOneBeforeItIsUnderWay) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto device = fake_device({seed});
    Workplace place(*device, std::vector<kernels::Urgency>(2), {});
    Buffer number = place.zeroed(1, DataType::fp32);
    const auto end_step = [&] {
      place.end_step(std::array{MemoryPart{number.floats(), sizeof(float)}});
    };
    const std::array<float, 2> numbers{1.0F, 2.0F};
    place.enter(0);
    place.send_soon(number.floats(), &numbers.front(), sizeof(float));
    end_step();  // what a device stops for is done by then
    place.await_step();
    bool over = false;
    for (const float& each : numbers) {
      place.enter(1);
      if (&each == &numbers.front())
        queue_meeting(
            *device, place.stream(), [] {}, [&] { return over; });
      place.enter(0);
      place.send_soon(number.floats(), &each, sizeof each);
      end_step();
    }
    over = true;
    for (const float expected : numbers) {
      float found = 0;
      const std::vector<std::byte> left = place.await_step();
      ASSERT_EQ(left.size(), sizeof found);
      std::memcpy(&found, left.data(), sizeof found);
      EXPECT_EQ(found, expected) << seed;
    }
  }
}

// Three times the memory that lies there is never there: what was taken before is given back first,
// each half once.
TEST(Stagings, EachHalfIsFreedOnce) {
  Stops stops;
  const auto device = fake_device({.pinned_bytes = 1000, .stops = &stops});
  {
    Staging staging(*device);
    staging.grow(100);
    staging.grow(300);
    EXPECT_THROW(staging.grow(600), std::runtime_error);  // the second half has no room
    EXPECT_FALSE(staging.holds(1));
  }
  int taken = 0, freed = 0;
  for (const std::string& each : stops.taken()) {
    EXPECT_NE(each, "pinned memory is freed twice");
    taken += each == "allocates pinned memory" ? 1 : 0;
    freed += each == "frees pinned memory" ? 1 : 0;
  }
  EXPECT_EQ(taken, 6);  // of which one was refused
  EXPECT_EQ(freed, 5);
}

}  // namespace
}  // namespace quintet::engine
