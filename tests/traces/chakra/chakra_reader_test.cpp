#include <gtest/gtest.h>

#include "tests/traces/chakra/chakra_files.h"

using namespace quintet;
using namespace quintet::chakra_test;

namespace {

constexpr std::int64_t microsecond = 1'000'000;

TEST(ChakraReader, TakesNodesInAnOrderThatTheirDependenciesAllow) {
  // 5 waits for 7, which comes later in the file; 0 has no id in its message.
  const auto workload = parse({file({{5, compute, {7}, {}, 3}, {7, compute, {0}, {}, 2}, {0}})});
  ASSERT_TRUE(workload) << workload.error().text();
  const WorkloadRank& rank = workload->ranks.at(0);
  ASSERT_EQ(rank.tasks.size(), 3U);
  EXPECT_EQ(info(*workload, 0, 0).name, "n0");
  EXPECT_EQ(info(*workload, 0, 1).name, "n7");
  EXPECT_EQ(info(*workload, 0, 2).name, "n5");
  EXPECT_EQ(after(rank, 0), std::vector<std::int32_t>{});
  EXPECT_EQ(after(rank, 1), std::vector<std::int32_t>{0});
  EXPECT_EQ(after(rank, 2), std::vector<std::int32_t>{1});
  EXPECT_EQ(rank.tasks[2].work.picoseconds, 3 * microsecond);
  EXPECT_EQ(faults(*workload), std::vector<std::string>{});
  EXPECT_FALSE(workload->recorded);
  EXPECT_FALSE(workload->lanes_in_order);
}

TEST(ChakraReader, RefusesADependencyOnANodeThatIsNotThere) {
  const auto workload = parse({file({{1}, {2, compute, {77}}})});
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().where, "job.0.et: node 2");
  EXPECT_NE(workload.error().what.find("node 77"), std::string::npos) << workload.error().text();
  EXPECT_NE(workload.error().what.find("take the dependency out"), std::string::npos);
}

TEST(ChakraReader, RefusesACircleAndNamesIt) {
  // 1 -> 2 -> 3 -> 1; 4 waits for the circle but is not of it.
  const auto workload =
      parse({file({{4, compute, {1}}, {1, compute, {2}}, {2, compute, {3}}, {3, compute, {1}}})});
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().where, "job.0.et: node 1");
  EXPECT_NE(workload.error().what.find("nodes 1, 2, 3 waits"), std::string::npos)
      << workload.error().text();
}

TEST(ChakraReader, RefusesANodeThatWaitsForItself) {
  const auto workload = parse({file({{1, compute, {1}}})});
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().where, "job.0.et: node 1");
}

TEST(ChakraReader, RefusesAnIdThatComesTwice) {
  const auto workload = parse({file({{1}, {2}, {1}})});
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().where, "job.0.et: node 1");
  EXPECT_NE(workload.error().what.find("twice"), std::string::npos);
}

TEST(ChakraReader, RefusesAFileThatIsCutOffAnywhere) {
  const std::string whole =
      file({{1, compute, {}, {}, 5}, {2, collective, {1}, {}, 0, all_reduce_attributes(64)}});
  const std::size_t metadata_ends = 1 + 7;  // length, and "0.0.4" with its tag and length
  const std::size_t first_ends = metadata_ends + node({1, compute, {}, {}, 5}).size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto workload = parse({whole.substr(0, size)});
    const bool at_an_end = size == metadata_ends || size == first_ends;
    EXPECT_EQ(workload.has_value(), at_an_end) << size;
    EXPECT_TRUE(workload || !workload.error().where.empty());
  }
}

TEST(ChakraReader, RefusesALengthThatNoMessageHasWithoutTakingThatMuchMemory) {
  const std::string text = message(bytes(1, "0.0.4")) + "\xff\xff\xff\xff\x0f" + "rest";
  const auto workload = parse({text});
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().where, "job.0.et: message 1 at byte 8");
  EXPECT_NE(workload.error().what.find("4294967295 bytes long"), std::string::npos);
}

TEST(ChakraReader, RefusesAFileThatBeginsWithANode) {
  const auto workload = parse({node({1}) + node({2})});
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().where, "job.0.et: message 0 at byte 0");
  EXPECT_NE(workload.error().what.find("GlobalMetadata"), std::string::npos);
}

TEST(ChakraReader, TakesAnyIntegerOfTheSchemaForAnAttribute) {
  // 7 int32, 9 int64, 11 uint32, 13 uint64, 15 sint32 (zigzag: 2 n), 17 sint64 (zigzag).
  for (const auto& [field, value] : std::vector<std::pair<int, std::uint64_t>>{
           {7, 640}, {9, 640}, {11, 640}, {13, 640}, {15, 1280}, {17, 1280}}) {
    const auto workload =
        parse({file({{1, compute, {}, {}, 0, attribute("num_ops", field, value)}})});
    ASSERT_TRUE(workload) << workload.error().text();
    EXPECT_EQ(workload->ranks[0].tasks[0].flops.value, 640) << field;
    EXPECT_LT(workload->ranks[0].tasks[0].work.picoseconds, 0);  // to be priced
  }
}

TEST(ChakraReader, RefusesTextWhereANumberIsMeant) {
  const auto workload = parse({file({{9, compute, {}, {}, 0, attribute("num_ops", "many")}})});
  ASSERT_FALSE(workload);
  EXPECT_EQ(workload.error().where, "job.0.et: node 9");
  EXPECT_EQ(workload.error().what, "num_ops is no integer; expected one");
}

TEST(ChakraReader, RefusesANegativeSizeAndATimeBeyondTheClock) {
  const auto negative =
      parse({file({{1, compute, {}, {}, 0, attribute("tensor_size", 9, ~0ULL)}})});
  ASSERT_FALSE(negative);
  EXPECT_NE(negative.error().what.find("tensor_size is -1"), std::string::npos);
  const auto endless = parse({file({{1, compute, {}, {}, ~0ULL}})});
  ASSERT_FALSE(endless);
  EXPECT_NE(endless.error().what.find("106 days"), std::string::npos);
}

TEST(ChakraReader, LetsCollectivesOfAllRanksMeetInOrderAndTakeTheLeastTime) {
  // Rank 1 waited for rank 0: 9 us of which 4 were its own.
  const std::string first = file({{1, collective, {}, {}, 4, all_reduce_attributes(64)},
                                  {2, collective, {1}, {}, 5, all_reduce_attributes(128)}});
  const std::string second = file({{8, collective, {}, {}, 9, all_reduce_attributes(64)},
                                   {9, collective, {8}, {}, 0, all_reduce_attributes(128)}});
  const auto workload = parse({first, second});
  ASSERT_TRUE(workload) << workload.error().text();
  ASSERT_EQ(workload->groups.size(), 1U);
  EXPECT_EQ(workload->groups[0].ranks, (std::vector<std::int32_t>{0, 1}));
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(peers(*workload, rank, 0).sequence, 0);
    EXPECT_EQ(peers(*workload, rank, 1).sequence, 1);
    EXPECT_EQ(info(*workload, rank, 1).size, Bytes{128});
    EXPECT_EQ(workload->ranks[rank].tasks[0].work.picoseconds, 4 * microsecond);
    EXPECT_EQ(workload->ranks[rank].tasks[1].work.picoseconds, 5 * microsecond);
  }
  EXPECT_EQ(remarks(*workload), "");
}

TEST(ChakraReader, CountsCollectivesThatSomeRankDoesNotIssue) {
  const NodeText one{1, collective, {}, {}, 7, all_reduce_attributes(64)};
  const NodeText two{2, collective, {1}, {}, 7, all_reduce_attributes(64)};
  const auto workload = parse({file({one, two}), file({one})});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_NE(remarks(*workload).find("1 tasks of kind all-reduce of group \"all ranks\" have no "
                                    "partner (rank 1 issues 1, rank 0 issues 2)"),
            std::string::npos)
      << remarks(*workload);
  EXPECT_EQ(info(*workload, 0, 1).kind, SpanKind::host);
  EXPECT_EQ(workload->ranks[0].tasks[1].peers, -1);
  EXPECT_EQ(workload->ranks[0].tasks[1].work.picoseconds, 7 * microsecond);
  EXPECT_EQ(peers(*workload, 0, 0).sequence, 0);
}

TEST(ChakraReader, TakesGroupsFromAFileBesideTheRanks) {
  const std::string text = file({{1, collective, {}, {}, 0, all_reduce_attributes(64, "7")}});
  const std::string groups = R"({"7": [2, 0], "9": [1]})";
  const std::vector<ChakraBytes> given{{"a.0.et", text}, {"a.2.et", text}, {"g.json", groups}};
  const auto workload = parse_chakra(given);
  ASSERT_TRUE(workload) << workload.error().text();
  ASSERT_EQ(workload->groups.size(), 1U);
  EXPECT_EQ(workload->groups[0].name, "7");
  EXPECT_EQ(workload->groups[0].ranks, (std::vector<std::int32_t>{1, 0}));  // of ranks 0 and 2
  EXPECT_EQ(workload->ranks[1].rank, Rank{2});
  EXPECT_EQ(remarks(*workload), "");
}

// Rank 0 alone of a group of four: it is priced as one of four, and its all-gather is of four
// inputs.
TEST(ChakraReader, KnowsMembersOfGroupsThatThereAreNoFilesOf) {
  const std::string gathers =
      attribute("comm_type", 9, 2) + attribute("comm_size", 9, 100) + attribute("pg_name", "7");
  const std::string text = file({{1, collective, {}, {}, 0, gathers}});
  const std::vector<ChakraBytes> given{{"a.0.et", text}, {"g.json", R"({"7": [0, 4, 2, 6, 4]})"}};
  const auto workload = parse_chakra(given);
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->groups.at(0).members, (std::vector<int>{0, 4, 2, 6}));
  EXPECT_EQ(workload->groups.at(0).ranks, std::vector<std::int32_t>{0});
  EXPECT_EQ(workload->world_size, 7);
  EXPECT_EQ(info(*workload, 0, 0).size, Bytes{400});
  EXPECT_NE(remarks(*workload).find("has 4 ranks; there are files of 1"), std::string::npos);
}

TEST(ChakraReader, GuessesAGroupsRanksFromItsUsersAndSaysSo) {
  const std::string in = file({{1, collective, {}, {}, 0, all_reduce_attributes(64, "7")}});
  const auto workload = parse({in, file({{1}}), in});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->groups.at(0).ranks, (std::vector<std::int32_t>{0, 2}));
  EXPECT_NE(remarks(*workload).find("nothing says who is in group \"7\""), std::string::npos);
}

TEST(ChakraReader, TakesGroupsThatTorchTellsInANodeOfMetadata) {
  const std::string told = bytes(
      8, bytes(1, R"(['[{"pg_name": "7", "ranks": [0, 1]}, {"pg_name": "0", "ranks": []}]'])"));
  const NodeText tells{1, metadata, {}, {}, 0, told};
  const NodeText uses{2, collective, {1}, {}, 0, all_reduce_attributes(64, "7")};
  const auto workload = parse({file({tells, uses}), file({tells, uses}), file({{1}})});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->groups.at(0).ranks, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(remarks(*workload), "");
}

TEST(ChakraReader, CountsAnAllGatherAsWhatAllRanksPutIn) {
  const std::string gathers = attribute("comm_type", 9, 2) + attribute("comm_size", 9, 100);
  const std::string text = file({{1, collective, {}, {}, 0, gathers}});
  const auto workload = parse({text, text, text});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(peers(*workload, 0, 0).collective, CollectiveKind::all_gather);
  EXPECT_EQ(info(*workload, 0, 0).size, Bytes{300});
}

TEST(ChakraReader, LetsMessagesMeetByPairAndTag) {
  // comm_type holds the node's type in custom collectives; it means nothing.
  const auto to = [](std::uint64_t rank, std::uint64_t tag) {
    return attribute("comm_dst", 7, rank) + attribute("comm_tag", 7, tag) +
           attribute("comm_size", 9, 32) + attribute("comm_type", 9, 5);
  };
  const auto from = [](std::uint64_t rank, std::uint64_t tag) {
    return attribute("comm_src", 7, rank) + attribute("comm_tag", 7, tag) +
           attribute("comm_size", 9, 32) + attribute("comm_type", 9, 6);
  };
  const auto workload = parse({file({{0, send, {}, {}, 0, to(1, 4)},
                                     {1, send, {}, {}, 0, to(1, 4)},
                                     {2, send, {}, {}, 0, to(5, 4)}}),
                               file({{0, receive, {}, {}, 0, from(0, 4)},
                                     {1, receive, {}, {}, 0, from(0, 4)},
                                     {2, receive, {}, {}, 0, from(0, 3)},
                                     {3, receive}})});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(peers(*workload, 0, 1).peer, 1);
  EXPECT_EQ(peers(*workload, 0, 1).sequence, 1);
  EXPECT_EQ(peers(*workload, 1, 1).peer, 0);
  EXPECT_EQ(peers(*workload, 1, 1).sequence, 1);
  EXPECT_EQ(peers(*workload, 1, 1).tag, 4);
  const std::string told = remarks(*workload);
  EXPECT_NE(told.find("1 tasks of kind send are with ranks that there is no file of"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("1 tasks of kind receive have no partner at their peer"), std::string::npos)
      << told;
  EXPECT_NE(told.find("1 tasks of kind receive name no peer"), std::string::npos) << told;
}

TEST(ChakraReader, FollowsControlDependenciesUnlessTheyNameParentsThatAreNotThere) {
  const auto follows = parse({file({{1}, {2, compute, {}, {1}}})});
  ASSERT_TRUE(follows) << follows.error().text();
  EXPECT_EQ(after(follows->ranks[0], 1), std::vector<std::int32_t>{0});
  const auto parents = parse({file({{1}, {2, compute, {}, {1}}, {3, compute, {}, {99}}})});
  ASSERT_TRUE(parents) << parents.error().text();
  EXPECT_TRUE(parents->ranks[0].after.empty());
  EXPECT_NE(remarks(*parents).find("2 ctrl_deps order nothing"), std::string::npos);
}

TEST(ChakraReader, CountsWhatTheCpuAsksForAsItsOwnWork) {
  const std::string asks = attribute("is_cpu_op", 27, 1);
  const auto workload = parse({file({{1, collective, {}, {}, 6, asks},
                                     {2, load, {1}, {}, 0, attribute("tensor_size", 13, 512)}})});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(info(*workload, 0, 0).kind, SpanKind::host);
  EXPECT_EQ(workload->ranks[0].tasks[0].work.picoseconds, 6 * microsecond);
  EXPECT_EQ(info(*workload, 0, 1).kind, SpanKind::copy);
  EXPECT_EQ(info(*workload, 0, 1).size, Bytes{512});
  EXPECT_NE(remarks(*workload).find("1 collectives on the CPU"), std::string::npos);
}

TEST(ChakraReader, RefusesTwoFilesOfOneRank) {
  const std::string text = file({{1}});
  const std::vector<ChakraBytes> given{{"a.3.et", text}, {"b.3.et", text}};
  const auto workload = parse_chakra(given);
  ASSERT_FALSE(workload);
  EXPECT_NE(workload.error().what.find("is of rank 3, as is a.3.et"), std::string::npos);
}

TEST(ChakraReader, ReadsTheJsonTwin) {
  const std::string json = R"({"workload_graph": [
    {"Id": 2, "Name": "second", "NodeType": 4, "runtime": 7, "data_deps": [1], "is_cpu_op": false},
    {"Id": 1, "Name": "first", "NodeType": 7, "ctrlDeps": [1000], "data_deps": [],
     "is_cpu_op": false, "comm_type": 5, "comm_size": 4096}], "workload_name": "twin"})";
  const auto workload = parse({json});
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->name, "twin");
  EXPECT_EQ(info(*workload, 0, 0).name, "first");
  EXPECT_EQ(peers(*workload, 0, 0).collective, CollectiveKind::broadcast);
  EXPECT_EQ(info(*workload, 0, 0).size, Bytes{4096});
  EXPECT_EQ(workload->ranks[0].tasks[1].work.picoseconds, 7 * microsecond);
}

TEST(ChakraReader, SaysWhereJsonIsWrong) {
  const auto cut = parse({R"({"workload_graph": [{"Id": 2)"});
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().what.find("is no JSON"), std::string::npos);
  const auto wrong = parse({R"({"workload_graph": [{"Id": 2}, {"Id": 3, "data_deps": ["x"]}]})"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where, "job.0.et: workload_graph[1], node 3");
  const auto deep = parse({R"({"workload_graph": )" + std::string(100000, '[')});
  ASSERT_FALSE(deep);
}

TEST(ChakraReader, RecognisesItsFilesByTheirBeginning) {
  EXPECT_TRUE(is_chakra(file({{1}, {2, compute, {1}, {}, 3}})));
  EXPECT_TRUE(is_chakra(file({{1}, {2, compute, {1}, {}, 3}}).substr(0, 12)));  // within a node
  EXPECT_TRUE(is_chakra(R"({"workload_graph": [)"));
  EXPECT_FALSE(is_chakra(""));
  EXPECT_FALSE(is_chakra(R"({"traceEvents": []})"));
  EXPECT_FALSE(is_chakra("comm_type,comm_group,comm_group_size\n"));
  EXPECT_FALSE(is_chakra("HYBRID_TRANSFORMER model_parallel_NPU_group: 8\n"));
  EXPECT_FALSE(is_chakra("SQLite format 3"));
  // A Perfetto trace: packets of field 1, here with a timestamp (field 8) in it.
  EXPECT_FALSE(is_chakra(bytes(1, number(8, 100) + number(10, 1)) + bytes(1, number(8, 200))));
}

}  // namespace
