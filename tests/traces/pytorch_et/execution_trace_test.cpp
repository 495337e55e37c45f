#include "traces/pytorch_et/execution_trace.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/packing/byte_source.h"
#include "tests/traces/kineto/scratch_folder.h"
#include "traces/pytorch_et/node_facts.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

const fs::path samples = fs::path(QUINTET_SOURCE_DIR) / "../shared/samples/pytorch_et";

#define SKIP_WITHOUT_SAMPLES() \
  if (!fs::exists(samples))    \
  GTEST_SKIP() << "THE SAMPLES ARE MISSING, NOTHING IS TESTED: " << samples

ExecutionTrace parsed(const std::string& nodes, const std::string& schema = "1.0.1") {
  auto trace = parse_execution_trace(
      "{\"schema\": \"" + schema + "\", \"pid\": 1, \"nodes\": [" + nodes + "]}", "input");
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
  return trace ? *trace : ExecutionTrace{};
}

std::string refusal(const std::string& text) {
  const auto trace = parse_execution_trace(text, "input");
  return trace ? "not refused" : trace.error().text();
}

TEST(ExecutionTrace, ReadsFieldsBesideEachOther) {
  const ExecutionTrace trace = parsed(
      R"-({"name": "aten::mm", "id": 5, "rf_id": 3, "parent": 4, "fw_parent": 2, "seq_id": 9,)-"
      R"-("scope": 0, "tid": 2, "fw_tid": 1, "op_schema": "", "inputs": [[6, 7, 0, 8, 4, "cpu"], 1],)-"
      R"-("input_shapes": [[2, 4], []], "input_types": ["Tensor(float)", "Int"], "outputs": []})-");
  ASSERT_EQ(trace.nodes.size(), 1u);
EXPECT_EQ(trace.schema, "1.0.1");
EXPECT_EQ(trace.nodes[0], (ExecutionNode{5, 4, 2, 3, 9, 2, 1, 0, 1, 2, -1}));
EXPECT_EQ(trace.names, (std::vector<std::string>{"aten::mm", "[[2, 4], []]", "[float, Scalar]"}));
}

const std::string all_gather =
    R"-({"id": 437, "name": "record_param_comms", "ctrl_deps": 436, "inputs": {"values": )-"
    R"-([[[434, 435, 0, 64, 2, "cuda:1"]], 33, ["5", "tensor"], 0, "_allgather_base", [], [], 4, 2, 3],)-"
    R"-("shapes": [[[64]], [], [[], []], [], [], [], [], [], [], []], "types": ["GenericList[Tensor(c10::BFloat16)]"]},)-"
    R"-("outputs": {"values": [[[434, 435, 0, 192, 2, "cuda:1"]]], "shapes": [[[192]]], "types": []},)-"
    R"-("attrs": [{"name": "rf_id", "type": "uint64", "value": 115}, {"name": "tid", "type": "uint64", "value": 1}]})-";

// Schema 1.0.3 has a collective's facts among its inputs only: ranks 4, 6, 8; 192 elements of 2 B.
TEST(ExecutionTrace, ReadsCollectivesFromTheirInputs) {
  const ExecutionTrace trace = parsed(all_gather, "1.0.3-chakra.0.0.4");
  ASSERT_EQ(trace.communications.size(), 1u);
  const RecordedCommunication expected{.kind = CommunicationKind::all_gather,
                                       .type = DataType::bf16,
                                       .type_known = true,
                                       .elements_in = 64,
                                       .elements_out = 192,
                                       .size = Bytes{384},
                                       .group = 0,
                                       .sequence = 33};
  EXPECT_EQ(trace.communications[0], expected);
  EXPECT_EQ(trace.groups, (std::vector<ProcessGroup>{{"5", "tensor", {4, 6, 8}, 3}}));
  EXPECT_EQ(trace.nodes[0].record, 115);
}

TEST(ExecutionTrace, PassesOverWaits) {
  const ExecutionTrace trace = parsed(
      R"-({"name": "record_param_comms", "id": 607, "rf_id": 447, "inputs": [141, 0, 5, "wait", [], []],)-"
      R"-("input_types": ["Int", "Int", "Int", "String", "GenericList[]", "GenericList[]"]})-");
  EXPECT_EQ(trace.nodes[0].communication, -1);
  EXPECT_TRUE(trace.communications.empty());
}

TEST(ExecutionTrace, SaysWhichGroupsAreToldByAddress) {
  const ExecutionTrace trace = parsed(
      R"-({"name": "record_param_comms", "id": 7, "rf_id": 4, "inputs": [[7, 7, 0, 6144, 4, "cuda:5"],)-"
      R"-(147, 94002303359824, 5, "all_to_allv", [768], [768]], "input_types": ["Tensor(float)"]})-");
  ASSERT_EQ(trace.communications.size(), 1u);
EXPECT_EQ(trace.communications[0].kind, CommunicationKind::all_to_all);
EXPECT_EQ(trace.communications[0].group, -1);
EXPECT_EQ(trace.communications[0].size.value, 24576);
EXPECT_EQ(trace.left_out,
          (std::vector<LeftOut>{{"process groups that are told by an address only", 1}}));
}

TEST(ExecutionTrace, ReadsTheListOfGroups) {
  const ExecutionTrace trace = parsed(
      R"-({"name": "## process_group:init ##", "id": 4, "inputs": {"values": ["[{\"pg_name\": \"0\",)-"
      R"-( \"pg_desc\": \"default_pg\", \"ranks\": [], \"group_size\": 2},{\"pg_name\": \"1\",)-"
      R"-( \"ranks\": [3, 1], \"group_size\": 2}]"]}})-");
  EXPECT_EQ(trace.groups,
            (std::vector<ProcessGroup>{{"0", "default_pg", {0, 1}, 2}, {"1", "", {3, 1}, 2}}));
}

TEST(ExecutionTrace, RefusesWhatItCannotRead) {
  EXPECT_NE(refusal("[]").find("expected an execution trace of PyTorch"), std::string::npos);
  EXPECT_NE(refusal(R"-({"traceEvents": []})-").find("has no \"nodes\""), std::string::npos);
  EXPECT_NE(refusal(R"-({"nodes": [{"id": "x"}]})-").find("(node 0): its \"id\" is \"x\""),
            std::string::npos);
  EXPECT_NE(refusal(R"-({"nodes": [{"id": 1}, {"id": 2, "na)-").find("cut off in node 1"),
            std::string::npos);
  EXPECT_NE(refusal(R"-({"nodes": [{"id": 1, "attrs": 5}]})-").find("not valid JSON"),
            std::string::npos);
}

struct Sample {
  std::string file, member, schema;
  std::size_t nodes = 0, communications = 0;
};

// Nodes and collectives are counted by Python's json; collectives are record_param_comms without
// those of "wait" (27 of which 6).
TEST(ExecutionTrace, EverySampleIsRead) {
  SKIP_WITHOUT_SAMPLES();
  const test::ScratchFolder folder;
  for (const auto& entry : fs::directory_iterator(samples / "param"))
    if (entry.path().string().ends_with(".tar.gz")) {
      EXPECT_EQ(folder.unpack(entry.path()), 0);
    }
  std::vector<Sample> all{
      {"hta/simple_add_et_schema1.0.1.json.gz", "", "1.0.1", 38, 0},
      {"param/linear_et_schema1.0.1.json.gz", "", "1.0.1", 931, 0},
      {"param/resnet_1gpu_et_schema1.0.3-chakra.0.0.4.json.gz", "", "1.0.3-chakra.0.0.4", 14391,
       21},
      {"param/resnet_2gpu_et_schema1.1.0-chakra.0.0.4.json.gz", "", "1.1.0-chakra.0.0.4", 14392,
       21},
      {"", "resnet_1gpu_et.json", "1.1.1-chakra.0.0.4", 14392, 21},
      {"", "hf_GPT2_et.json", "1.1.0-chakra.0.0.4", 27156, 0},
  };
  for (int rank = 0; rank < 8; ++rank)
    all.push_back({"", "dlrm_pytorch_et/dlrm_eg_" + std::to_string(rank) + ".json", "1.0.1", 0, 8});
  for (const Sample& sample : all) {
    const fs::path file = sample.file.empty() ? folder.path / sample.member : samples / sample.file;
    const auto trace = read_execution_trace(file);
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ(trace->schema, sample.schema) << file;
    EXPECT_TRUE(sample.nodes == 0 || trace->nodes.size() == sample.nodes) << file;
    EXPECT_EQ(trace->communications.size(), sample.communications) << file;
    std::string beginning(4096, '\0');
    beginning.resize(*ByteSource::open(file)->read(beginning));
    EXPECT_TRUE(is_execution_trace(beginning)) << file;
  }
}

TEST(ExecutionTrace, KnowsGroupsAndSizesOfTwoGpus) {
  SKIP_WITHOUT_SAMPLES();
  const auto trace =
      read_execution_trace(samples / "param/resnet_2gpu_et_schema1.1.0-chakra.0.0.4.json.gz");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->groups, (std::vector<ProcessGroup>{{"0", "default_pg", {0, 1}, 2}}));
  // The first is the broadcast of 53120 floats, as in the Kineto trace of the same program.
  EXPECT_EQ(trace->communications[0].kind, CommunicationKind::broadcast);
  EXPECT_EQ(trace->communications[0].size.value, 212480);
  EXPECT_TRUE(trace->left_out.empty());
}

}  // namespace
}  // namespace quintet
