// SimGrid's unit tests and closed forms: simulated times of flows, in seconds.
#include "sim/network/fluid/fluid_fabric.h"

#include <gtest/gtest.h>

#include <cmath>

namespace quintet {
namespace {

constexpr double MiB = 1048576.0;
constexpr double GiB = 1073741824.0;

struct Message {
  std::vector<std::int32_t> links;
  double work = 0.0;
  Seconds latency;
};

FlowRequest request(const Message& message) {
  FlowRequest result{{}, message.work, message.latency, nullptr};
  for (const std::int32_t link : message.links) result.demand.uses.push_back({link});
  return result;
}

// When each flow is done, if all start at 0.
std::vector<double> completions(const std::vector<LinkShare>& links,
                                std::vector<FlowRequest> requests) {
  EventQueue events;
  FluidFabric fabric(events, links);
  std::vector<double> result(requests.size(), -1.0);
  for (std::size_t flow = 0; flow < requests.size(); ++flow) {
    requests[flow].done = [&result, &events, flow] { result[flow] = seconds(events.now()).value; };
    fabric.start_flow(std::move(requests[flow]));
  }
  events.run();
  EXPECT_EQ(fabric.in_flight(), 0u);
  return result;
}

std::vector<double> completions(const std::vector<LinkShare>& links,
                                const std::vector<Message>& messages) {
  std::vector<FlowRequest> requests;
  for (const Message& message : messages) requests.push_back(request(message));
  return completions(links, std::move(requests));
}

// Within the rounding to a picosecond.
void expect_seconds(const std::vector<double>& found, const std::vector<double>& expected,
                    double tolerance = 1e-12) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t flow = 0; flow < found.size(); ++flow)
    EXPECT_NEAR(found[flow], expected[flow], tolerance) << "flow " << flow;
}

// B-1: one link 1 B/s, latency 0.5 s, 1 B -> 1.5 s; two -> 2.5 s; fat pipe two -> 1.5 s.
TEST(Fabric, OneLinkAloneSharedAndFat) {
  const Message message{{0}, 1.0, {0.5}};
  expect_seconds(completions({{1.0}}, std::vector{message}), {1.5});
  expect_seconds(completions({{1.0}}, std::vector{message, message}), {2.5, 2.5});
  expect_seconds(completions({{1.0, Sharing::fat_pipe}}, std::vector{message, message}),
                 {1.5, 1.5});
}

// B-2: latencies .5 + 1 + .5, 1 B at 1 B/s -> 3 s; two -> 4 s; scatter 1, 2, 3 B -> 2+3, 2+5, 2+6.
TEST(Fabric, ThreeLinksInARow) {
  const std::vector<LinkShare> links{{1.0}, {1.0}, {1.0}};
  const Message message{{0, 1, 2}, 1.0, {2.0}};
  expect_seconds(completions(links, std::vector{message}), {3.0});
  expect_seconds(completions(links, std::vector{message, message}), {4.0, 4.0});
  expect_seconds(completions({{1.0}, {1.0}, {1.0}, {1.0}},
                             std::vector<Message>{
                                 {{0, 1}, 1.0, {2.0}}, {{0, 2}, 2.0, {2.0}}, {{0, 3}, 3.0, {2.0}}}),
                 {5.0, 7.0, 8.0});
}

// B-4: 100 MB and 1 B together, 125 MB/s, latency 1e-4 -> 0.8001 s; exactly 1e-4 + 100000001/125e6.
// The byte leaves after 2 B have crossed: 1e-4 + 2/125e6.
TEST(Fabric, ABigAndATinyMessageTogether) {
  const std::vector<double> found =
      completions({{125e6}}, std::vector<Message>{{{0}, 1e8, {1e-4}}, {{0}, 1.0, {1e-4}}});
  expect_seconds(found, {0.800100008, 0.000100016});
  EXPECT_NEAR(found[0], 0.8001, 1e-7);
}

// B-5: rate <= g / (2 latency), g = 4194304; 1e10 units over 1e10 units/s; printed to 6 decimals.
TEST(Fabric, TheWindowBoundsTheRateOfALongWire) {
  const auto time = [](double latency, double gamma) {
    FlowRequest flow = request({{0}, 1e10, {latency}});
    if (gamma > 0.0 && latency > 0.0) flow.demand.bound = gamma / (2.0 * latency);
    std::vector<FlowRequest> flows;
    flows.push_back(std::move(flow));
    return completions({{1e10}}, std::move(flows))[0];
  };
  const double gamma = 4194304.0;
  EXPECT_NEAR(time(0.0, gamma), 1.0, 1e-12);
  EXPECT_NEAR(time(1e-5, gamma), 1.00001, 1e-12);
  EXPECT_NEAR(time(1e-3, gamma), 4.769372, 0.5e-6);
  EXPECT_NEAR(time(0.1, gamma), 476.937158, 0.5e-6);
  EXPECT_NEAR(time(1e-3, 0.0), 1.001, 1e-12);
}

// B-7: 1e6 B/s x 0.97, capacity x (1 - (n-1)/10), latency 13.01e-5; messages of 1..9 MB together.
TEST(Fabric, ALinkThatLosesCapacityPerFlowGainsItBack) {
  std::vector<Message> messages;
  for (int size = 1; size <= 9; ++size) messages.push_back({{0}, size * 1e6, {13.01e-5}});
  expect_seconds(completions({{0.97e6, Sharing::shared, 0.1}}, messages),
                 {46.391883, 73.883292, 91.924529, 104.295663, 112.886728, 118.777744, 122.643724,
                  124.934674, 125.965602},
                 0.5e-6);
}

// B-9: LV08, 100 kB, 1 Mb/s x 0.97, 10 ms x 13.01, acknowledgements add 0.05 on the same shared
// link
// -> 0.996079 s.
TEST(Fabric, CrossTrafficOnTheSameLink) {
  std::vector<FlowRequest> flows;
  flows.push_back({{{{0, 1.05}}}, 1e5, {13.01 * 0.01}, nullptr});
  expect_seconds(completions({{0.97 * 125e3}}, std::move(flows)), {0.996079}, 0.5e-6);
}

// B-12: 8 senders x 1 MiB into a 50 GB/s port -> 167.77216 us, all together.
TEST(Fabric, AnIncastEndsTogether) {
  std::vector<LinkShare> links(9, LinkShare{50e9});
  std::vector<Message> messages;
  for (std::int32_t sender = 0; sender < 8; ++sender) messages.push_back({{sender, 8}, MiB, {}});
  expect_seconds(completions(links, messages), std::vector<double>(8, 167.77216e-6), 1e-15);
}

// B-13: ASTRA-sim's congestion-unaware analytical network, 1 MiB, whole nanoseconds: hops x latency
// + size / bandwidth, GB = 2^30 B.
TEST(Fabric, AnalyticalNetworksWithoutCongestion) {
  const auto nanoseconds = [](int hops, double bandwidth, double latency) {
    std::vector<std::int32_t> path;
    for (int hop = 0; hop < hops; ++hop) path.push_back(hop);
    const std::vector<LinkShare> links(path.size(), LinkShare{bandwidth * GiB});
    const Message message{path, MiB, {hops * latency * 1e-9}};
    return std::floor(completions(links, std::vector{message})[0] * 1e9);
  };
  EXPECT_EQ(nanoseconds(3, 50, 500), 21031);   // ring of 16, 1 -> 4
  EXPECT_EQ(nanoseconds(1, 50, 500), 20031);   // fully connected
  EXPECT_EQ(nanoseconds(2, 50, 500), 20531);   // switch
  EXPECT_EQ(nanoseconds(1, 200, 50), 4932);    // 2 x 8 x 4, ring: 0 -> 1
  EXPECT_EQ(nanoseconds(1, 100, 500), 10265);  // fully connected: 37 -> 41
  EXPECT_EQ(nanoseconds(2, 50, 2000), 23531);  // switch: 26 -> 42
}

// 50 and 100 B at 5 B/s each; at 10 s the second has 50 B left and the link alone: 10 + 50/10 = 15.
// Its end at 20 was foreseen when both shared the link, and is no more.
TEST(Fabric, TheRunEndsWithTheLastFlow) {
  EventQueue events;
  FluidFabric fabric(events, {{10.0}});
  std::vector<Instant> ends;
  for (const double size : {50.0, 100.0}) {
    FlowRequest flow = request({{0}, size, {}});
    flow.done = [&] { ends.push_back(events.now()); };
    fabric.start_flow(std::move(flow));
  }
  const Instant last = events.run();
  EXPECT_EQ(ends, (std::vector{Instant{} + Seconds{10.0}, Instant{} + Seconds{15.0}}));
  EXPECT_EQ(last, ends.back());
}

// 10 B at 1 B/s; at 4 s the link gets 3 B/s: 4 + 6/3 = 6 s.
TEST(Fabric, ANewCapacityTakesEffectInFlight) {
  EventQueue events;
  FluidFabric fabric(events, {{1.0}});
  Instant end;
  FlowRequest flow = request({{0}, 10.0, {}});
  flow.done = [&] { end = events.now(); };
  fabric.start_flow(std::move(flow));
  events.at(Instant{} + Seconds{4.0}, [&] { fabric.set_capacity(0, 3.0); });
  events.run();
  EXPECT_EQ(end, Instant{} + Seconds{6.0});
}

// 10 B at 1 B/s, down from 2 s to 7 s: 15 s.
TEST(Fabric, ADeadLinkHoldsItsFlowUntilItComesBack) {
  EventQueue events;
  FluidFabric fabric(events, {{1.0}});
  Instant end;
  FlowRequest flow = request({{0}, 10.0, {}});
  flow.done = [&] { end = events.now(); };
  fabric.start_flow(std::move(flow));
  events.at(Instant{} + Seconds{2.0}, [&] { fabric.set_capacity(0, 0.0); });
  events.at(Instant{} + Seconds{7.0}, [&] { fabric.set_capacity(0, 1.0); });
  events.run();
  EXPECT_EQ(end, Instant{} + Seconds{15.0});
}

// After 3 of 8 s, 3 B of the flow have crossed both links.
TEST(Fabric, WhatIsInFlightCountsAsCarried) {
  EventQueue events;
  FluidFabric fabric(events, {{1.0}, {2.0}});
  fabric.start_flow(request({{0, 1}, 8.0, {}}));
  std::vector<double> halfway;
  events.at(Instant{} + Seconds{3.0}, [&] { halfway = fabric.carried(); });
  events.run();
  EXPECT_EQ(halfway, (std::vector{3.0, 3.0}));
  EXPECT_EQ(fabric.carried(), (std::vector{8.0, 8.0}));
}

// Chained: each message starts when the one before is done; no latency is lost or gained.
TEST(Fabric, ACompletionMayStartTheNextFlow) {
  EventQueue events;
  FluidFabric fabric(events, {{1.0}});
  std::vector<Instant> ends;
  const std::function<void()> next = [&] {
    ends.push_back(events.now());
    if (ends.size() == 4) return;
    FlowRequest flow = request({{0}, 2.0, {1.0}});
    flow.done = next;
    fabric.start_flow(std::move(flow));
  };
  next();
  events.run();
  EXPECT_EQ(ends, (std::vector<Instant>{
                      {}, {3'000'000'000'000}, {6'000'000'000'000}, {9'000'000'000'000}}));
}

}  // namespace
}  // namespace quintet
