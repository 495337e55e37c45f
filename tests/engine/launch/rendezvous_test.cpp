#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <filesystem>
#include <thread>

#include "engine/launch/rendezvous/rendezvous_failure.h"
#include "engine/launch/rendezvous/rendezvous_frames.h"
#include "engine/launch/rendezvous/rendezvous_link.h"
#include "engine/launch/rendezvous/rendezvous_place.h"
#include "tests/support/strangers.h"

namespace quintet::engine {
namespace {

const std::string token = "a token that only this test knows";

RendezvousOptions server_options(int world) {
  RendezvousOptions options;
  options.address = {"127.0.0.1", 0};
  options.token = token;
  options.world = world;
  options.everyone_within = Milliseconds(15000);
  options.handshake = Milliseconds(500);
  return options;
}

std::unique_ptr<RendezvousServer> serve(const RendezvousOptions& options) {
  Result<std::unique_ptr<RendezvousServer>> server = RendezvousServer::start(options);
  EXPECT_TRUE(server.has_value()) << server.error().text();
  return *std::move(server);
}

JoinOptions join_options(const RendezvousServer& server, int rank, int world) {
  const Pulse often{Milliseconds(50), Milliseconds(5000)};
  return {server.address(), token, Rank{rank}, world, Rank{0}, Milliseconds(15000), often};
}

WorkerAddress address_of_rank(int rank) {
  return WorkerAddress(static_cast<std::size_t>(rank) + 1, static_cast<std::byte>(rank));
}

using Link = Result<std::unique_ptr<RendezvousLink>>;

// What every rank got, or its error, after all have joined and exchanged.
std::vector<std::string> join_all(const RendezvousServer& server, int world,
                                  std::vector<std::unique_ptr<RendezvousLink>>& links) {
  std::vector<std::string> outcomes(static_cast<std::size_t>(world));
  links.resize(outcomes.size());
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < world; ++rank)
    ranks.emplace_back([&, rank] {
      const auto at = static_cast<std::size_t>(rank);
      Link link = RendezvousLink::join(join_options(server, rank, world));
      if (!link) {
        outcomes[at] = link.error().text();
        return;
      }
      const auto members = (*link)->exchange(address_of_rank(rank));
      outcomes[at] = members ? std::to_string(members->size()) : members.error().text();
      if (!members) return;
      for (int other = 0; other < world; ++other)
        EXPECT_EQ((*members)[static_cast<std::size_t>(other)], address_of_rank(other));
      links[at] = *std::move(link);
    });
  for (std::thread& rank : ranks) rank.join();
  return outcomes;
}

std::vector<std::string> join_all(const RendezvousServer& server, int world) {
  std::vector<std::unique_ptr<RendezvousLink>> links;
  return join_all(server, world, links);
}

// Advances until the link knows how the job ended.
Failure ending(RendezvousLink& link, Milliseconds within) {
  const Clock::time_point until = Clock::now() + within;
  while (!link.failure() && Clock::now() < until) {
    link.advance(Clock::now());
    std::this_thread::sleep_for(Milliseconds(5));
  }
  return link.failure().value_or(Failure{Rank{}, "nothing happened"});
}

// RFC 4231, test cases 2 and 6 (a key longer than a block).
TEST(Proof, HmacGivesTheStandardsValues) {
  const auto hex = [](const Proof& proof) {
    std::string text;
    for (const std::byte byte : proof) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(byte));
      text += digits;
    }
    return text;
  };
  const auto bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  EXPECT_EQ(hex(hmac_sha256("Jefe", bytes("what do ya want for nothing?"))),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                            bytes("Test Using Larger Than Block-Size Key - Hash Key First"))),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Proof, DependsOnEverythingSaid) {
  Handshake handshake{*fresh_nonce(), *fresh_nonce(), 1, 4};
  const Proof proof = rank_proof(token, handshake);
  EXPECT_TRUE(equal(proof, rank_proof(token, handshake)));
  EXPECT_FALSE(equal(proof, server_proof(token, handshake))) << "one cannot be sent back";
  EXPECT_FALSE(equal(proof, rank_proof(token + "!", handshake)));
  handshake.rank = 2;
  EXPECT_FALSE(equal(proof, rank_proof(token, handshake)));
  handshake = {handshake.client, handshake.server, 1, 4};
  EXPECT_FALSE(equal(proof, rank_proof(token, handshake)));
}

TEST(FrameReader, CutsWhateverPiecesArrive) {
  const std::vector<std::byte> body = garbage(100, 1);
  const std::vector<std::byte> bytes = encoded(FrameKind::address, body);
  FrameReader reader(101);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      EXPECT_EQ(reader.next(), std::nullopt);
      reader.push(std::span(bytes).subspan(i, 1));
    }
    EXPECT_EQ(reader.next(), (Frame{FrameKind::address, body}));
  }
}

TEST(FrameReader, BreaksOnImpossibleLengthsAndKinds) {
  const auto breaks = [](std::vector<std::byte> bytes) {
    FrameReader reader(100);
    reader.push(bytes);
    reader.next();
    return reader.broken();
  };
  EXPECT_TRUE(breaks(encoded(FrameKind::address, garbage(100, 1)))) << "kind and 100 bytes: 101";
  EXPECT_FALSE(breaks(encoded(FrameKind::address, garbage(99, 1))));
  EXPECT_TRUE(breaks(std::vector<std::byte>(4))) << "no bytes, not even a kind";
  EXPECT_TRUE(breaks(encoded(static_cast<FrameKind>(77), {})));
}

TEST(Messages, ACutBodyIsRefused) {
  const std::vector<std::byte> body = join_body({1, 2, 3, *fresh_nonce(), *fresh_nonce()});
  EXPECT_TRUE(read_join(body).has_value());
  for (std::size_t size = 0; size < body.size(); ++size)
    EXPECT_FALSE(read_join(std::span(body).first(size)).has_value());
  const std::vector<std::byte> failure = failure_body({Rank{3}, "cause"});
  EXPECT_EQ(read_failure(failure, 4), (Failure{Rank{3}, "cause"}));
  EXPECT_EQ(read_failure(failure, 3), std::nullopt) << "no such rank";
  EXPECT_EQ(read_failure(failure_body({Rank{}, "x"}), 3), (Failure{Rank{}, "x"}));
}

TEST(Verdict, ACertainFailureBeatsASuspicion) {
  const Clock::time_point start{};
  Verdict verdict(Milliseconds(100));
  verdict.suspected(Rank{0}, {Rank{1}, "broke"}, start);
  EXPECT_EQ(verdict.at(start + Milliseconds(50)), std::nullopt);
  verdict.failed({Rank{2}, "closed"});
  EXPECT_EQ(verdict.at(start + Milliseconds(60)), (Failure{Rank{2}, "closed"}));
  verdict.failed({Rank{3}, "later"});
  EXPECT_EQ(verdict.at(start + Milliseconds(900)), (Failure{Rank{2}, "closed"}));
}

// 0 suspects 1, 1 suspects 2: rank 2 suspects nobody.
TEST(Verdict, TheEndOfAChainIsNamed) {
  const Clock::time_point start{};
  Verdict verdict(Milliseconds(100));
  verdict.suspected(Rank{0}, {Rank{1}, "late"}, start);
  verdict.suspected(Rank{1}, {Rank{2}, "late"}, start);
  EXPECT_EQ(verdict.at(start + Milliseconds(100)), (Failure{Rank{2}, "late"}));
}

TEST(SocketAddress, IsParsedOrRefused) {
  EXPECT_EQ(*parse_address("host:80"), (SocketAddress{"host", 80}));
  EXPECT_EQ(*parse_address("[::1]:80"), (SocketAddress{"::1", 80}));
  EXPECT_EQ(parse_address("[::1]:80")->text(), "[::1]:80");
  for (const char* wrong : {"", "host", ":80", "host:", "host:65536", "host:8x", "[]:80"})
    EXPECT_EQ(parse_address(wrong).error().what,
              "expected HOST:PORT or [HOST]:PORT, found \"" + std::string(wrong) + "\"");
}

TEST(Place, IsPublishedInAFile) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("quintet-place-" + std::to_string(getpid()));
  EXPECT_EQ(published(file, Clock::now() + Milliseconds(50)).error().what,
            "no rendezvous was published here in time");
  EXPECT_EQ(publish({"::1", 4000}, file), std::nullopt);
  EXPECT_EQ(*published(file, Clock::now()), (SocketAddress{"::1", 4000}));
  std::filesystem::remove(file);
}

TEST(Rendezvous, GivesEveryoneEveryonesAddress) {
  for (const int world : {1, 2, 7}) {
    const auto server = serve(server_options(world));
    EXPECT_EQ(server->address().host, "127.0.0.1");
    EXPECT_EQ(join_all(*server, world),
              std::vector<std::string>(static_cast<std::size_t>(world), std::to_string(world)));
  }
}

TEST(Rendezvous, ListensOnlyWhereItIsTold) {
  RendezvousOptions nowhere = server_options(2);
  nowhere.address.host.clear();
  EXPECT_EQ(RendezvousServer::start(nowhere).error().text(),
            "rendezvous address: no host is named; name the interface's address");
  RendezvousOptions weak = server_options(2);
  weak.token = "short";
  EXPECT_EQ(RendezvousServer::start(weak).error().text(),
            "rendezvous: a token of at least 16 characters is required, this has 5");
  const auto server = serve(server_options(2));
  SocketAddress other = server->address();
  other.host = "127.0.0.2";
  EXPECT_FALSE(half_open(other).open()) << "a listener on all interfaces would answer here too";
}

TEST(Rendezvous, RefusesAWrongTokenAtOnce) {
  const auto server = serve(server_options(1));
  JoinOptions options = join_options(*server, 0, 1);
  options.token = "some other token altogether";
  options.within = std::chrono::hours(24);  // who tried again would not come back
  EXPECT_NE(
      RendezvousLink::join(options).error().text().find("refused: the token is not this job's"),
      std::string::npos);
  EXPECT_EQ(join_all(*server, 1), std::vector<std::string>{"1"}) << "the job goes on";
}

// Someone who listens in the server's place is shown no address.
TEST(Rendezvous, ARankLeavesAServerThatDoesNotKnowTheToken) {
  RendezvousOptions impostor = server_options(1);
  impostor.token = "some other token altogether";
  const auto server = serve(impostor);
  EXPECT_FALSE(RendezvousLink::join(join_options(*server, 0, 1)).has_value());
}

TEST(Rendezvous, RefusesRanksThatDoNotFit) {
  const auto server = serve(server_options(2));
  const Link first = RendezvousLink::join(join_options(*server, 0, 2));
  ASSERT_TRUE(first.has_value());
  const auto reason = [&](int rank, int world) {
    return RendezvousLink::join(join_options(*server, rank, world)).error().text();
  };
  EXPECT_NE(reason(0, 2).find("rank 0 has joined already"), std::string::npos);
  EXPECT_NE(reason(2, 2).find("rank 2 of 2 does not fit in"), std::string::npos);
  EXPECT_NE(reason(1, 3).find("rank 1 of 3 does not fit in"), std::string::npos);
}

TEST(Rendezvous, NamesTheRankThatDoesNotCome) {
  RendezvousOptions options = server_options(3);
  options.everyone_within = Milliseconds(300);
  const auto server = serve(options);
  Link first = RendezvousLink::join(join_options(*server, 0, 3));
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ((*first)->exchange(address_of_rank(0)).error().text(),
            "rank 1: it did not join within 0.3 s");
}

// Says that it lives, as fast as anyone listens, until its end.
class Flood {
 public:
  explicit Flood(std::vector<int> sockets) : thread_([this, sockets] { pour(sockets); }) {}
  ~Flood() {
    done_ = true;
    thread_.join();
  }

 private:
  void pour(const std::vector<int>& sockets) {
    const std::vector<std::byte> frame = encoded(FrameKind::heartbeat, {});
    std::vector<std::byte> bytes;
    for (int i = 0; i < 10000; ++i) bytes.insert(bytes.end(), frame.begin(), frame.end());
    std::vector<std::size_t> said(sockets.size());  // of a frame that is cut
    while (!done_)
      for (std::size_t i = 0; i < sockets.size(); ++i) {
        const ssize_t sent =
            send(sockets[i], &bytes[said[i]], bytes.size() - said[i], MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) said[i] = (said[i] + static_cast<std::size_t>(sent)) % frame.size();
      }
  }

  std::atomic<bool> done_ = false;
  std::thread thread_;
};

// 80 ranks talk all the time, more than the 64 that are served in a round, but give no address.
TEST(Rendezvous, AFloodDoesNotHoldUpTheDeadline) {
  constexpr int world = 82;
  RendezvousOptions options = server_options(world);
  options.everyone_within = Milliseconds(2000);
  const auto server = serve(options);
  std::vector<std::unique_ptr<RendezvousLink>> links;
  std::vector<int> talking;
  for (int rank = 0; rank + 1 < world; ++rank) {
    Link link = RendezvousLink::join(join_options(*server, rank, world));
    ASSERT_TRUE(link.has_value()) << link.error().text();
    links.push_back(*std::move(link));
    if (rank > 0) talking.push_back(links.back()->descriptor());
  }
  const Flood flood(talking);
  EXPECT_EQ(links[0]->exchange(address_of_rank(0)).error().text(),
            "rank 1: it did not join within 2.0 s");
}

TEST(Rendezvous, AClosedConnectionNamesItsRankToAll) {
  const auto server = serve(server_options(3));
  std::vector<std::unique_ptr<RendezvousLink>> links;
  join_all(*server, 3, links);
  links[1].reset();
  EXPECT_EQ(ending(*links[0], Milliseconds(3000)), (Failure{Rank{1}, "its connection closed"}));
  EXPECT_EQ(ending(*links[2], Milliseconds(3000)), (Failure{Rank{1}, "its connection closed"}));
}

// Rank 1 keeps its connection but says nothing: a cut cable, or a stopped process.
TEST(Rendezvous, SilenceNamesTheRank) {
  RendezvousOptions options = server_options(2);
  options.pulse = {Milliseconds(50), Milliseconds(400)};
  const auto server = serve(options);
  std::vector<std::unique_ptr<RendezvousLink>> links;
  join_all(*server, 2, links);
  EXPECT_EQ(ending(*links[0], Milliseconds(5000)),
            (Failure{Rank{1}, "it has been silent for 0.4 s"}));
}

TEST(Rendezvous, TheEndOfTheServerNamesItsHost) {
  auto server = serve(server_options(2));
  std::vector<std::unique_ptr<RendezvousLink>> links;
  join_all(*server, 2, links);
  server.reset();
  EXPECT_EQ(ending(*links[1], Milliseconds(3000)),
            (Failure{Rank{0}, "it holds the rendezvous, and its connection closed"}));
}

TEST(Rendezvous, EveryoneLeavesTogether) {
  const auto server = serve(server_options(2));
  std::vector<std::unique_ptr<RendezvousLink>> links;
  join_all(*server, 2, links);
  links[0]->leave();
  std::this_thread::sleep_for(Milliseconds(100));
  links[0]->advance(Clock::now());
  EXPECT_FALSE(links[0]->everyone_left());
  links[1]->leave();
  const Clock::time_point until = Clock::now() + Milliseconds(3000);
  while (!links[0]->everyone_left() && Clock::now() < until) links[0]->advance(Clock::now());
  EXPECT_TRUE(links[0]->everyone_left());
  EXPECT_EQ(links[0]->failure(), std::nullopt);
}

// From here on: strangers.

TEST(Strangers, GarbageIsDroppedAndTheJobGoesOn) {
  const auto server = serve(server_options(2));
  for (unsigned seed = 0; seed < 50; ++seed)
    EXPECT_EQ(says(server->address(), garbage(1 + seed * 40, seed), Milliseconds(2000)),
              Ending::closed);
  EXPECT_EQ(join_all(*server, 2), (std::vector<std::string>{"2", "2"}));
}

// Well-formed frames that only members may send, and a join with a proof that is none.
TEST(Strangers, CannotSpeakBeforeTheProof) {
  const auto server = serve(server_options(2));
  for (int kind = 1; kind <= static_cast<int>(FrameKind::everyone_left); ++kind)
    EXPECT_EQ(
        says(server->address(), encoded(static_cast<FrameKind>(kind), failure_body({Rank{0}, "x"})),
             Milliseconds(2000)),
        Ending::closed)
        << kind;
  const JoinMessage forged{rendezvous_version, 0, 2, *fresh_nonce(), *fresh_nonce()};
  EXPECT_EQ(
      says(server->address(), encoded(FrameKind::join, join_body(forged)), Milliseconds(2000)),
      Ending::closed);
  EXPECT_EQ(join_all(*server, 2), (std::vector<std::string>{"2", "2"}));
}

TEST(Strangers, HalfOpenConnectionsAreClosedInTime) {
  const auto server = serve(server_options(2));
  EXPECT_EQ(says(server->address(), {}, Milliseconds(2000)), Ending::closed);
  EXPECT_EQ(says(server->address(), garbage(2, 1), Milliseconds(2000)), Ending::closed);
}

// They stay open and connect again when they are dropped; the ranks get in all the same.
TEST(Strangers, AThousandConnectionsDoNotKeepRanksOut) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const auto server = serve(server_options(4));
  std::vector<Descriptor> strangers;
  for (int i = 0; i < 1000; ++i) strangers.push_back(half_open(server->address()));
  std::atomic<bool> done = false;
  std::thread insistent([&] {
    for (std::size_t i = 0; !done; i = (i + 1) % strangers.size())
      strangers[i] = half_open(server->address());
  });
  EXPECT_EQ(join_all(*server, 4), (std::vector<std::string>(4, "4")));
  done = true;
  insistent.join();
  EXPECT_FALSE(half_open(server->address()).open()) << "nothing listens once all are there";
}

// Fewer descriptors than strangers: the server must neither spin nor stop accepting.
TEST(Strangers, AFullTableOfDescriptorsDoesNotStopTheServer) {
  RendezvousOptions options = server_options(2);
  options.pending_limit = 100000;
  const auto server = serve(options);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 64;
  setrlimit(RLIMIT_NOFILE, &few);
  {
    std::vector<Descriptor> strangers;
    for (int i = 0; i < 100; ++i) strangers.push_back(half_open(server->address()));
    std::this_thread::sleep_for(Milliseconds(200));
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(join_all(*server, 2), (std::vector<std::string>{"2", "2"}));
}

}  // namespace
}  // namespace quintet::engine
