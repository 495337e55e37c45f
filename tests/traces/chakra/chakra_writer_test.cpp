#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/traces/chakra/chakra_files.h"

using namespace quintet;
using namespace quintet::chakra_test;

namespace {

namespace fs = std::filesystem;

class ChakraWriter : public testing::Test {
 protected:
  ChakraWriter() {
    directory_ =
        fs::temp_directory_path() / ("quintet-chakra-writer-" + std::to_string(getpid()) + "-" + std::to_string(std::rand()));
    fs::create_directories(directory_);
  }
  ~ChakraWriter() override { fs::remove_all(directory_); }

  fs::path prefix() const { return directory_ / "job"; }
  Result<Workload> written_and_read(const Workload& workload) const {
    const auto files = write_chakra(prefix(), workload);
    if (!files) return files.error();
    return read_chakra(std::vector{prefix()});
  }

  fs::path directory_;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

enum Info {
  forward,
  backward,
  reduce,
  gather,
  scatter_sum,
  spread,
  sum_up,
  exchange,
  out,
  in,
  copied,
  waits,
  infos
};

// What each rank can do: every kind of task, on lanes of every kind.
Workload tables() {
  Workload workload;
  workload.name = "job of \"quotes\" and \xC3\xBC";
  workload.lanes = {{LaneKind::compute, "compute"},
                    {LaneKind::communication, "tensor"},
                    {LaneKind::communication, "messages"},
                    {LaneKind::copy, "copies"},
                    {LaneKind::host, "host"}};
  workload.infos.resize(infos);
  const auto set = [&](Info info, std::string name, SpanKind kind, int lane, Bytes size) {
    SpanInfo& of = workload.infos[info];
    of.name = std::move(name);
    of.kind = kind;
    of.lane = lane;
    of.size = size;
  };
  set(forward, "qkv forward", SpanKind::compute, 0, {});
  workload.infos[forward].work = OperatorKind::qkv_projection;
  set(backward, "qkv backward", SpanKind::compute, 0, {});
  workload.infos[backward].phase = Phase::weight_gradient;
  set(reduce, "all-reduce", SpanKind::collective, 1, Bytes{4096});
  workload.infos[reduce].axis = Axis::tensor;
  workload.infos[reduce].detail = "ring LL128";
  set(gather, "gather weights", SpanKind::collective, 1, Bytes{4097});
  set(scatter_sum, "reduce-scatter", SpanKind::collective, 1, Bytes{1.5});
  set(spread, "broadcast", SpanKind::collective, 1, Bytes{1});
  set(sum_up, "reduce", SpanKind::collective, 1, Bytes{2});
  set(exchange, "all-to-all", SpanKind::collective, 1, Bytes{3e10});
  workload.infos[exchange].axis = Axis::expert;
  set(out, "send forward", SpanKind::send, 2, Bytes{100});
  set(in, "receive forward", SpanKind::receive, 2, Bytes{100});
  set(copied, "keep input", SpanKind::copy, 3, Bytes{12345});
  set(waits, "data", SpanKind::host, 4, {});
  return workload;
}

constexpr int ranks = 16;

// 16 ranks: pairs for tensors, all for data, messages to the next rank around.
Workload job() {
  Workload workload = tables();
  for (std::int32_t pair = 0; pair < ranks; pair += 2)
    workload.groups.push_back({"tensor " + std::to_string(pair / 2), {pair + 1, pair}});
  workload.groups.push_back({"data", {}});
  for (std::int32_t rank = 0; rank < ranks; ++rank) workload.groups.back().ranks.push_back(rank);
  workload.groups.push_back({"pipeline", {3}, {40, 12, 90}});  // most of it only known of
  workload.world_size = 91;
  workload.remarks = {{"2 ranks were not there"}, {"clocks differ"}};
  for (std::int32_t index = 0; index < ranks; ++index) {
    WorkloadRank& rank = workload.ranks.emplace_back();
    rank.rank = Rank{ranks - 1 - index};  // the order of ranks is the workload's own
    rank.stage = index / 4;
    rank.role = "stage " + std::to_string(index / 4);
    rank.host = "host" + std::to_string(index / 8);
    const auto add = [&](Info info, std::vector<std::int32_t> after,
                         TaskPeers peers = {}) -> WorkloadTask& {
      WorkloadTask& task = rank.tasks.emplace_back();
      task.info = info;
      if (peers.group >= 0 || peers.peer >= 0) {
        task.peers = static_cast<std::int32_t>(rank.peers.size());
        rank.peers.push_back(peers);
      }
      rank.after.insert(rank.after.end(), after.begin(), after.end());
      rank.after_begin.push_back(static_cast<std::int32_t>(rank.after.size()));
      return task;
    };
    const auto with = [&](CollectiveKind kind, std::int32_t group, std::int64_t sequence) {
      return TaskPeers{kind, DataType::bf16, group, sequence};
    };
    const std::int32_t tensor = index / 2, data = ranks / 2;
    add(waits, {}).work = {7};
    WorkloadTask& first = add(forward, {0});
    first.work = {2'500'001};  // ps: 2.5 us and a little
    first.layer = 3;
    first.micro_batch = 2;
    first.chunk = -1;
    first.bucket = 5;
    add(reduce, {1}, with(CollectiveKind::all_reduce, tensor, 41));
    add(gather, {}, with(CollectiveKind::all_gather, data, 0)).work = {};
    add(scatter_sum, {3, 1}, with(CollectiveKind::reduce_scatter, data, 1));
    add(spread, {}, with(CollectiveKind::broadcast, data, 2));
    add(sum_up, {}, with(CollectiveKind::reduce, data, 3));
    add(exchange, {}, with(CollectiveKind::all_to_all, data, 4));
    TaskPeers next{CollectiveKind::all_reduce, DataType::fp8, -1, 9};
    next.peer = (index + 1) % ranks;
    next.tag = (std::int64_t{1} << 40) + 3;  // more than Chakra's tags hold
    TaskPeers before = next;
    before.peer = (index + ranks - 1) % ranks;
    add(out, {2}, next);
    add(in, {}, before);
    add(copied, {8, 9, 2});
    WorkloadTask& last = add(backward, {9, 4, 10});
    last.flops = Flops{1e15 + 0.5};
    last.touched = Bytes{0.25};
  }
  return workload;
}

Workload recorded(Workload workload) {
  workload.recorded = true;
  workload.end = {123'456'789'012};
  for (WorkloadRank& rank : workload.ranks)
    for (std::size_t i = 0; i < rank.tasks.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i) * 10'000'001 - 5;  // the first is before zero
      rank.tasks[i].start = {at};
      rank.tasks[i].moving = {at + 3};
      rank.tasks[i].end = {at + 9'999'999};
    }
  return workload;
}

TEST_F(ChakraWriter, WhatItWritesIsReadAsAnEqualWorkload) {
  for (const bool in_order : {true, false}) {
    Workload workload = job();
    workload.lanes_in_order = in_order;
    const auto again = written_and_read(workload);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(*again == workload);
  }
}

TEST_F(ChakraWriter, RecordedInstantsComeBackToThePicosecond) {
  const Workload workload = recorded(job());
  const auto again = written_and_read(workload);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(*again == workload);
  EXPECT_EQ(again->ranks[3].tasks[1].end.picoseconds, 10'000'001 - 5 + 9'999'999);
}

TEST_F(ChakraWriter, AWorkloadOfAnotherProgramIsReadAsEqualToo) {
  const std::string text =
      file({{3, compute, {}, {}, 9}, {1, collective, {3}, {}, 4, all_reduce_attributes(640)}});
  const auto foreign = parse({text, text, text});
  ASSERT_TRUE(foreign) << foreign.error().text();
  const auto again = written_and_read(*foreign);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(*again == *foreign);
}

TEST_F(ChakraWriter, PeersThatTasksShareStayShared) {
  Workload workload = job();
  workload.ranks[0].tasks[4].peers = workload.ranks[0].tasks[3].peers;  // the one between: unused
  std::swap(workload.ranks[1].tasks[3].peers, workload.ranks[1].tasks[4].peers);
  workload.ranks[0].peers[2] = {};
  const auto again = written_and_read(workload);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(*again == workload);
}

// What others read, without any attribute of ours.
TEST_F(ChakraWriter, OtherProgramsFindOrderTimesAndPeersWhereChakraHasThem) {
  const Workload workload = job();
  ASSERT_TRUE(write_chakra(prefix(), workload));
  std::vector<std::string> texts;
  std::vector<ChakraBytes> files;
  for (int rank = 0; rank < ranks; ++rank) {
    std::string text = text_of(directory_ / ("job." + std::to_string(rank) + ".et"));
    for (std::size_t at = 0; (at = text.find("quintet_", at)) != std::string::npos; ++at)
      text[at] = 'Q';  // to them a name like any other
    texts.push_back(std::move(text));
  }
  for (int rank = 0; rank < ranks; ++rank)
    files.push_back({"job." + std::to_string(rank) + ".et", texts[static_cast<std::size_t>(rank)]});
  const std::string groups = text_of(directory_ / "job.groups.json");
  files.push_back({"job.groups.json", groups});
  const auto seen = parse_chakra(files);
  ASSERT_TRUE(seen) << seen.error().text();
  EXPECT_EQ(remarks(*seen), "");
  const std::size_t index = 5, rank = ranks - 1 - index;  // theirs are in order of number
  const WorkloadRank& of = seen->ranks[rank];
  ASSERT_EQ(of.tasks.size(), workload.ranks[index].tasks.size());
  EXPECT_EQ(info(*seen, rank, 0).kind, SpanKind::host);
  EXPECT_EQ(of.tasks[0].work.picoseconds, 1'000'000);  // 7 ps are not nothing
  EXPECT_EQ(of.tasks[1].work.picoseconds, 3'000'000);  // 2.500001 us
  EXPECT_EQ(peers(*seen, rank, 3).collective, CollectiveKind::all_gather);
  EXPECT_EQ(info(*seen, rank, 3).size, Bytes{4112});  // 4097 of 16 ranks: 257 bytes each, up
  EXPECT_EQ(info(*seen, rank, 2).size, Bytes{4096});
  EXPECT_EQ(info(*seen, rank, 10).size, Bytes{12345});
  // Job rank 10's next is 9, as indices count down.
  EXPECT_EQ(seen->ranks[static_cast<std::size_t>(peers(*seen, rank, 8).peer)].rank, Rank{9});
  EXPECT_EQ(of.tasks[11].flops.value, 1e15 + 1);  // half of one, up
  // Task 4 is after 3 and 1; that 3 comes before it on its lane is told once.
  EXPECT_EQ(after(of, 4), (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(after(of, 5), std::vector<std::int32_t>{4});  // by its lane alone
  // Pairs of the tensor group: job ranks 10 and 11.
  const WorkloadGroup& pair = seen->groups[static_cast<std::size_t>(peers(*seen, rank, 2).group)];
  EXPECT_EQ(pair.name, "3");  // the third of the workload
  EXPECT_EQ(pair.ranks, (std::vector<std::int32_t>{10, 11}));
}

TEST_F(ChakraWriter, ProtocReadsEveryMessage) {
  if (std::system("protoc --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "NOT TESTED: no protoc";
  ASSERT_TRUE(write_chakra(prefix(), recorded(job())));
  const std::string text = text_of(directory_ / "job.4.et");
  const std::string schema = " --proto_path=" QUINTET_SOURCE_DIR " traces/chakra/et_def.proto < " +
                             (directory_ / "message").string();
  std::size_t at = 0;
  std::set<std::string> ids;
  int nodes = 0;
  for (int index = 0; at < text.size(); ++index) {
    std::size_t size = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(text.at(at++));
      size |= static_cast<std::size_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    std::ofstream(directory_ / "message", std::ios::binary) << text.substr(at, size);
    at += size;
    const std::string decode = std::string("protoc --decode=ChakraProtoMsg.") +
                               (index == 0 ? "GlobalMetadata" : "Node") + schema + " > " +
                               (directory_ / "decoded").string();
    ASSERT_EQ(std::system(decode.c_str()), 0) << index;
    const std::string decoded = text_of(directory_ / "decoded");
    // A field that the schema does not have is shown by its number.
    std::stringstream lines(decoded);
    for (std::string line; std::getline(lines, line);)
      EXPECT_FALSE(std::isdigit(static_cast<unsigned char>(line.front()))) << line;
    if (index == 0) continue;
    ++nodes;
    EXPECT_NE(decoded.find("name: \"is_cpu_op\""), std::string::npos);
    EXPECT_NE(decoded.find("name: \"num_ops\""), std::string::npos);
  }
  EXPECT_EQ(at, text.size());
  EXPECT_EQ(nodes, 12);
}

TEST_F(ChakraWriter, NumbersGroupsFromOneForAstraSim) {
  Workload workload = job();
  ASSERT_TRUE(write_chakra(prefix(), workload));
  const std::string groups = text_of(directory_ / "job.groups.json");
  EXPECT_NE(groups.find("\"1\": [14, 15]"), std::string::npos) << groups;
  EXPECT_EQ(groups.find("\"0\""), std::string::npos);
}

TEST_F(ChakraWriter, AMissingRankIsNamedWhenReading) {
  ASSERT_TRUE(write_chakra(prefix(), job()));
  fs::remove(directory_ / "job.7.et");
  const auto workload = read_chakra(std::vector{prefix()});
  ASSERT_FALSE(workload);
  EXPECT_NE(workload.error().what.find("that of rank 7 is missing"), std::string::npos)
      << workload.error().text();
}

TEST_F(ChakraWriter, FilesOfTwoWorkloadsAreNotMixed) {
  Workload other = job();
  other.name = "another";
  ASSERT_TRUE(write_chakra(directory_ / "other", other));
  ASSERT_TRUE(write_chakra(prefix(), job()));
  fs::copy_file(directory_ / "other.7.et", directory_ / "job.7.et",
                fs::copy_options::overwrite_existing);
  const auto workload = read_chakra(std::vector{prefix()});
  ASSERT_FALSE(workload);
  EXPECT_NE(workload.error().what.find("is of another workload"), std::string::npos);
}

TEST_F(ChakraWriter, RefusesWhatNoFileCanSay) {
  Workload unnumbered = job();
  unnumbered.ranks[2].rank = Rank{};
  EXPECT_FALSE(write_chakra(prefix(), unnumbered));
  Workload twice = job();
  twice.ranks[2].rank = twice.ranks[3].rank;
  EXPECT_FALSE(write_chakra(prefix(), twice));
  Workload ahead = job();
  ahead.ranks[0].after[0] = 11;
  EXPECT_FALSE(write_chakra(prefix(), ahead));
  EXPECT_FALSE(write_chakra(directory_ / "no" / "directory", job()));
  EXPECT_FALSE(write_chakra(prefix(), Workload{}));
}

TEST_F(ChakraWriter, PackedFilesAreReadAlike) {
  if (std::system("gzip --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "NOT TESTED: no gzip";
  const Workload workload = job();
  ASSERT_TRUE(write_chakra(prefix(), workload));
  ASSERT_EQ(std::system(("gzip '" + directory_.string() + "'/*.et").c_str()), 0);
  std::size_t last = 0, all = 0;
  const auto again = read_chakra(std::vector{directory_}, [&](std::size_t read, std::size_t of) {
    EXPECT_GE(read, last);
    last = read;
    all = of;
  });
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_TRUE(*again == workload);
  EXPECT_EQ(last, all);
  EXPECT_GT(all, 0U);
}

TEST_F(ChakraWriter, FilesThatAreNotThereAreNamed) {
  const auto none = read_chakra(std::vector{directory_ / "nothing"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().where, (directory_ / "nothing").string());
  EXPECT_FALSE(read_chakra(std::vector{directory_}));
  EXPECT_FALSE(read_chakra(std::vector<fs::path>{}));
}

}  // namespace
