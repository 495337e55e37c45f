#include "engine/launch/meeting.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace quintet::engine {
namespace {

namespace fs = std::filesystem;

RankIdentity rank_of_two(int rank) {
  return {Rank{rank}, 2, rank, 2, StartedBy::mpi};
}

Environment nothing_but(const fs::path& folder) {
  return [folder](const std::string& name) -> std::optional<std::string> {
    if (name == "XDG_RUNTIME_DIR") return folder.string();
    return std::nullopt;
  };
}

TEST(Meeting, GivesBothRanksOneServerAndOneToken) {
  const TemporaryFolder folder;
  const NetworkInterface loopback{"lo", "127.0.0.1"};
  const auto place = own_meeting_place(rank_of_two(0), nothing_but(folder.path()));
  ASSERT_TRUE(place) << place.error().text();
  EXPECT_EQ(fs::status(place->file.parent_path()).permissions(), fs::perms::owner_all);
  Result<Meeting> second = Error{};
  std::thread other(
      [&] { second = meet(rank_of_two(1), loopback, *place, nothing_but(folder.path())); });
  const auto first = meet(rank_of_two(0), loopback, *place, nothing_but(folder.path()));
  other.join();
  ASSERT_TRUE(first) << first.error().text();
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(first->server, second->server);
  EXPECT_EQ(first->server.host, "127.0.0.1");
  EXPECT_EQ(first->token, second->token);
  EXPECT_GE(first->token.size(), 32u);
  EXPECT_EQ(fs::status(place->token_file).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  clear_up(*place);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Meeting, RefusesATokenThatOthersMayRead) {
  const TemporaryFolder folder;
  const fs::path token = folder.path() / "token";
  std::ofstream(token) << "0123456789abcdef0123456789abcdef\n";
  fs::permissions(token, fs::perms::owner_read | fs::perms::others_read);
  const auto met = meet(rank_of_two(0), {"lo", "127.0.0.1"},
                        {folder.path() / "rendezvous", token, {}}, nothing_but(folder.path()));
  ASSERT_FALSE(met);
  EXPECT_EQ(met.error().where, token.string());
  EXPECT_NE(met.error().what.find("chmod 600"), std::string::npos);
}

TEST(Meeting, RefusesAFolderThatIsOpenToOthers) {
  const TemporaryFolder folder;
  const auto place = own_meeting_place(rank_of_two(0), nothing_but(folder.path()));
  ASSERT_TRUE(place);
  fs::permissions(place->file.parent_path(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(own_meeting_place(rank_of_two(0), nothing_but(folder.path())));
}

TEST(Meeting, OnSeveralHostsNeedsAPlaceThatAllSee) {
  const TemporaryFolder folder;
  const auto place =
      own_meeting_place({Rank{0}, 4, 0, 2, StartedBy::mpi}, nothing_but(folder.path()));
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().where, "--rendezvous");
}

}  // namespace
}  // namespace quintet::engine
