// Which attention cuDNN's graphs are for, and that the graphs are whole.
#include "kernels/cuda/cudnn/attention_graph.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace quintet::kernels::cuda {
namespace {

alignas(16) std::byte memory[64];

AttentionForward given() {
  AttentionForward a;
  a.shape.sequences = 2;
  a.shape.query_heads = 8;
  a.shape.key_heads = 2;
  a.shape.head_size = 64;
  a.shape.query_rows = a.shape.key_rows = 200;
  a.shape.lengths = SequenceLengths::equal;
  a.query = a.key = a.value = ConstTensor(memory, ElementType::bf16);
  a.output = Tensor(memory, ElementType::bf16);
  return a;
}

std::string why_not(const AttentionForward& a) {
  const EvenOrWhyNot found = even_attention(a);
  const auto* const why = std::get_if<std::string>(&found);
  return why == nullptr ? "" : *why;
}

TEST(EvenAttention, RowsAreSharedOutAmongTheSequences) {
  const auto even = std::get<EvenAttention>(even_attention(given()));
  EXPECT_EQ(even.queries, 100);
  EXPECT_EQ(even.keys, 100);
  EXPECT_EQ(even.query_stride, 8 * 64);
  EXPECT_EQ(even.key_stride, 2 * 64);
}

struct Refused {
  std::string why;
  void (*change)(AttentionForward&);
};

TEST(EvenAttention, SaysWhatItIsNotFor) {
  const Refused all[] = {
      {"dropout", [](AttentionForward& a) { a.shape.dropout.probability = 0.1F; }},
      {"a window", [](AttentionForward& a) { a.shape.window = 128; }},
      {"heads of 80", [](AttentionForward& a) { a.shape.head_size = 80; }},
      {"not told", [](AttentionForward& a) { a.shape.query_rows = -1; }},
      {"not told to have one length",
       [](AttentionForward& a) { a.shape.lengths = SequenceLengths::any; }},
      {"more or fewer keys", [](AttentionForward& a) { a.shape.key_rows = 400; }},
      {"no rows", [](AttentionForward& a) { a.shape.query_rows = 0; }},
      {"not bf16", [](AttentionForward& a) { a.key.type = ElementType::fp32; }},
      {"matrices that do not begin on 16", [](AttentionForward& a) { a.value.data = memory + 8; }},
      {"rows that do not begin on 16", [](AttentionForward& a) { a.shape.query_stride = 516; }}};
  EXPECT_EQ(why_not(given()), "");
  for (const Refused& refused : all) {
    AttentionForward a = given();
    refused.change(a);
    EXPECT_NE(why_not(a).find(refused.why), std::string::npos) << refused.why << ": " << why_not(a);
  }
}

TEST(EvenAttention, OneSequenceHasOneLengthAnyway) {
  AttentionForward a = given();
  a.shape.sequences = 1;
  a.shape.lengths = SequenceLengths::any;
  EXPECT_EQ(why_not(a), "");
}

TEST(EvenAttention, WithoutAMaskKeysMayBeMoreThanQueries) {
  AttentionForward a = given();
  a.shape.mask = AttentionMask::none;
  a.shape.key_rows = 400;
  EXPECT_EQ(std::get<EvenAttention>(even_attention(a)).keys, 200);
}

EvenAttention even(Index key_heads, AttentionMask mask) {
  return {3, 8, key_heads, 100, 100, 64, mask, 12 * 64, 12 * 64, 12 * 64, 8 * 64};
}

// Tensors that an operator reads, and the one that it writes.
struct Uses {
  std::vector<std::int64_t> read;
  std::int64_t written;
};

struct UsesOf {
  Uses operator()(const GraphProduct& p) const { return {{p.left, p.right}, p.product}; }
  Uses operator()(const GraphPointwise& p) const {
    Uses uses{{p.input}, p.output};
    if (p.second) uses.read.push_back(*p.second);
    if (p.choice) uses.read.push_back(*p.choice);
    return uses;
  }
  Uses operator()(const GraphReduction& r) const { return {{r.input}, r.output}; }
  Uses operator()(const GraphReshape& r) const { return {{r.input}, r.output}; }
};

// Every tensor has a number of its own; what passes between operators is written once, before it
// is read; what is given is there or is written.
void expect_whole(const OperatorGraph& graph) {
  std::set<std::int64_t> known, there;
  for (const GraphTensor& tensor : graph.tensors) {
    EXPECT_TRUE(known.insert(tensor.number).second) << tensor.number;
    if (tensor.place != GraphTensor::Place::passing) there.insert(tensor.number);
  }
  std::set<std::int64_t> written, read;
  for (const GraphOperator& each : graph.operators) {
    const Uses uses = std::visit(UsesOf{}, each);
    for (const std::int64_t number : uses.read) {
      EXPECT_TRUE(there.contains(number)) << number << " is read before it is written";
      read.insert(number);
    }
    EXPECT_TRUE(known.contains(uses.written));
    EXPECT_TRUE(written.insert(uses.written).second) << uses.written << " is written twice";
    there.insert(uses.written);
  }
  for (const std::int64_t number : known)
    EXPECT_TRUE(read.contains(number) || written.contains(number)) << number << " is not used";
}

TEST(AttentionGraph, IsWholeForGroupsAndMasks) {
  for (const Index key_heads : {2, 8})
    for (const AttentionMask mask : {AttentionMask::causal, AttentionMask::none}) {
      expect_whole(forward_graph(even(key_heads, mask)));
      expect_whole(backward_graph(even(key_heads, mask)));
    }
}

const GraphTensor& tensor(const OperatorGraph& graph, std::int64_t number) {
  for (const GraphTensor& each : graph.tensors)
    if (each.number == number) return each;
  throw std::out_of_range("no tensor " + std::to_string(number));
}

// Queries, keys and values are parts of one matrix of 12 heads of 64: rows 768 apart, sequences
// 100 rows; keys are taken turned.
TEST(AttentionGraph, FindsHeadsInsideAWiderMatrix) {
  const OperatorGraph graph = forward_graph(even(2, AttentionMask::causal));
  EXPECT_EQ(tensor(graph, port::query).sizes, (FourSizes{3, 8, 100, 64}));
  EXPECT_EQ(tensor(graph, port::query).strides, (FourSizes{76800, 64, 768, 1}));
  EXPECT_EQ(tensor(graph, port::key).sizes, (FourSizes{3, 2, 64, 100}));
  EXPECT_EQ(tensor(graph, port::key).strides, (FourSizes{76800, 64, 1, 768}));
  EXPECT_EQ(tensor(graph, port::statistics).strides, (FourSizes{800, 100, 1, 1}));
}

template <class Kind>
int count(const OperatorGraph& graph) {
  int found = 0;
  for (const GraphOperator& each : graph.operators) found += std::holds_alternative<Kind>(each);
  return found;
}

// Backward: rows of output . upstream, and over the heads of a group for keys and for values.
TEST(AttentionGraph, AddsUpTheGradientsOfAGroupsHeads) {
  EXPECT_EQ(count<GraphReduction>(backward_graph(even(8, AttentionMask::none))), 1);
  EXPECT_EQ(count<GraphReduction>(backward_graph(even(2, AttentionMask::none))), 3);
}

// Two indices, their comparison and the choice.
TEST(AttentionGraph, AMaskIsFourOperators) {
  EXPECT_EQ(count<GraphPointwise>(forward_graph(even(2, AttentionMask::causal))) -
                count<GraphPointwise>(forward_graph(even(2, AttentionMask::none))),
            4);
}

}  // namespace
}  // namespace quintet::kernels::cuda
