// A stream of messages from one rank to another that changes its connection in the middle: all
// arrive once, whole, in their order.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "engine/network/routes/incoming_stream.h"
#include "engine/network/routes/outgoing_stream.h"
#include "engine/network/routes/route_connection.h"

namespace quintet::engine {
namespace {

std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xff);
  return bytes;
}

// One direction of a pair of ranks, by hand: the sender's end and the receiver's of a connection.
class Direction final : public RouteListener {
 public:
  Direction() { connect(); }

  // What was under way in the old connection is lost, but for what the receiver has read.
  void connect() {
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    here_.emplace(Descriptor(ends[0]));
    there_.emplace(Descriptor(ends[1]));
    in.ask_again();
    there_->say(in.acknowledge());
    ASSERT_TRUE(out.resume(in.last()));
  }

  void turn() {
    out.write_to(here_->descriptor());
    EXPECT_NE(there_->read(*this), RouteConnection::Heard::nonsense);
    if (!in.acknowledged()) there_->say(in.acknowledge());
    there_->flush();
    answers_ = true;
    EXPECT_NE(here_->read(*this), RouteConnection::Heard::nonsense);
    answers_ = false;
  }

  bool fits(const RouteHead& head) override { return answers_ || in.fits(head); }
  std::byte* place(const RouteHead& head, std::size_t got) override { return in.place(head, got); }
  bool arrived(const RouteHead& head) override {
    if (!answers_) return in.arrived(head);
    return head.kind == RouteFrame::received ? out.received(head.number) : out.wanted(head.message);
  }

  OutgoingStream out;
  IncomingStream in;

 private:
  std::optional<RouteConnection> here_, there_;
  bool answers_ = false;
};

// Sizes around the limits: nothing, one segment, one segment and a byte, unasked, offered.
const std::vector<std::size_t> sizes{0,       1,         1000,      20'000,   131'072,
                                     131'073, 1'048'575, 1'048'576, 3'000'000};

TEST(RouteStreams, ConnectionsThatAreLostAgainAndAgainLoseNothing) {
  for (const int lost_every : {0, 7, 3, 2}) {
    Direction direction;
    std::vector<std::vector<std::byte>> sent, arrived;
    for (std::size_t i = 0; i < 3 * sizes.size(); ++i) {
      sent.push_back(pattern(sizes[i % sizes.size()], static_cast<unsigned>(i)));
      arrived.emplace_back(sent.back().size());
    }
    // Half of them are asked for before anything comes.
    for (std::size_t i = 0; i < sent.size(); i += 2) direction.in.receive(i, arrived[i], {});
    for (std::size_t i = 0; i < sent.size(); ++i) direction.out.add(i, sent[i], {});
    std::size_t over = 0;
    for (int turn = 1; over < sent.size() && turn < 2000; ++turn) {
      if (turn == 20)
        for (std::size_t i = 1; i < sent.size(); i += 2) direction.in.receive(i, arrived[i], {});
      direction.turn();
      over += direction.in.take_over().size();
      if (lost_every > 0 && turn % lost_every == 0) direction.connect();
    }
    EXPECT_EQ(over, sent.size()) << "lost every " << lost_every;
    EXPECT_EQ(arrived, sent);
    for (int turn = 0; turn < 5; ++turn) direction.turn();
    EXPECT_FALSE(direction.out.unfinished());
    EXPECT_EQ(direction.out.take_over().size(), sent.size());
  }
}

TEST(RouteStreams, MessagesOfOneTagKeepTheirOrder) {
  Direction direction;
  std::vector<std::vector<std::byte>> arrived(40, std::vector<std::byte>(30'000));
  std::vector<std::vector<std::byte>> sent;
  for (unsigned i = 0; i < arrived.size(); ++i) sent.push_back(pattern(30'000, i));
  for (const auto& message : sent) direction.out.add(5, message, {});
  std::size_t over = 0, asked = 0;
  for (int turn = 1; over < sent.size() && turn < 1000; ++turn) {
    if (asked < arrived.size()) direction.in.receive(5, arrived[asked++], {});
    direction.turn();
    over += direction.in.take_over().size();
    if (turn % 3 == 0) direction.connect();
  }
  EXPECT_EQ(arrived, sent);
}

// The receiver's memory is its own again when the message has come: a second copy of a segment, in
// the middle of which an old connection stopped, is not written to it.
TEST(RouteStreams, WhatComesTwiceIsPutNowhere) {
  IncomingStream in;
  std::vector<std::byte> target(1000);
  in.receive(9, target, {});
  const RouteHead head{RouteFrame::segment, 1000, 1, 1, 9, 1000, 0};
  ASSERT_TRUE(in.fits(head));
  EXPECT_EQ(in.place(head, 500), target.data() + 500) << "over one connection";
  EXPECT_EQ(in.place(head, 0), target.data()) << "over another";
  ASSERT_TRUE(in.arrived(head));
  EXPECT_EQ(in.take_over().size(), 1u);
  EXPECT_EQ(in.place(head, 600), nullptr) << "the first goes on";
  EXPECT_TRUE(in.arrived(head));
  EXPECT_TRUE(in.take_over().empty());
  EXPECT_FALSE(in.acknowledged()) << "so that its sender hears of it";
}

// On hold, what was begun is finished and nothing else is begun.
TEST(RouteStreams, OnHoldItDrains) {
  Direction direction;
  const std::vector<std::byte> first = pattern(1000, 1), second = pattern(1000, 2);
  direction.out.add(1, first, {});
  direction.turn();
  direction.out.hold(true);
  direction.out.add(2, second, {});
  direction.turn();
  EXPECT_TRUE(direction.out.drained());
  EXPECT_TRUE(direction.out.unfinished());
  EXPECT_EQ(direction.in.last(), 1u);
  direction.out.hold(false);
  direction.turn();
  EXPECT_EQ(direction.in.last(), 2u);
}

TEST(RouteStreams, AMessageOfAnotherLengthIsSaid) {
  Direction direction;
  const std::vector<std::byte> sent = pattern(5, 1);
  std::vector<std::byte> place(8);
  direction.in.receive(1, place, {});
  direction.out.add(1, sent, {});
  direction.turn();
  EXPECT_EQ(direction.in.mismatch(), "moving data failed: it sent 5 bytes where 8 were expected");
}

TEST(RouteFrame, WhatNoSenderSaysIsNoHead) {
  const auto reads = [](const RouteHead& head) { return read_head(bytes_of(head)).has_value(); };
  EXPECT_TRUE(reads({RouteFrame::segment, 100, 1, 1, 1, 100, 0}));
  EXPECT_FALSE(reads({static_cast<RouteFrame>(0), 0, 1, 1, 1, 0, 0}));
  EXPECT_FALSE(reads({static_cast<RouteFrame>(6), 0, 1, 1, 1, 0, 0}));
  EXPECT_FALSE(reads({RouteFrame::segment, 101, 1, 1, 1, 100, 0})) << "more than the message has";
  EXPECT_FALSE(reads({RouteFrame::segment, 1, 1, 1, 1, 100, 100}));
  EXPECT_FALSE(reads({RouteFrame::segment, largest_segment + 1, 1, 1, 1, 1 << 30, 0}));
  EXPECT_FALSE(reads({RouteFrame::ping, 1, 0, 0, 0, 1, 0}));
}

}  // namespace
}  // namespace quintet::engine
