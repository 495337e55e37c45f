#include "engine/files/weights/parameter_list.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "sim/model/model_file.h"
#include "tests/support/small_models.h"

namespace quintet {
namespace {

std::int64_t count_of(const std::vector<Parameter>& parameters) {
  std::int64_t sum = 0;
  for (const Parameter& parameter : parameters) sum += elements(parameter.shape);
  return sum;
}

std::vector<Model> shipped_models() {
  std::vector<Model> models{small_gpt2(), small_bert(), small_llama(), small_qwen3()};
  const std::filesystem::path folder = QUINTET_SOURCE_DIR "/traces/models";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    const Result<Model> model = read_model(entry.path() / "config.json");
    if (!model) throw std::runtime_error(model.error().text());
    models.push_back(*model);
  }
  return models;
}

// What sim/model/problems would refuse.
bool splits(const Model& model, int tensor) {
  return model.heads % tensor == 0 && model.feed_forward % tensor == 0 &&
         (model.kv_heads % tensor == 0 || tensor % model.kv_heads == 0);
}

std::vector<Chunk> chunks_of(const Model& model) {
  const int half = model.layers / 2;
  return {whole_model(model),
          {.first_layer = 0, .layers = half, .embedding = true},
          {.first_layer = half, .layers = model.layers - half, .head = true},
          {.first_layer = half, .layers = 1}};
}

// Both sides count alone: the list by its shapes, sim/model/parameters.h by its formulas.
TEST(ParameterList, HasAsManyParametersAsTheSimulatorCountsForEveryShippedModel) {
  int compared = 0;
  for (const Model& model : shipped_models())
    for (const int tensor : {1, 2, 4, 8})
      for (const int multiple : {1, 128}) {
        if (!splits(model, tensor)) continue;
        const ParameterSplit split{.tensor = tensor, .vocabulary_multiple = multiple};
        for (const Chunk& chunk : chunks_of(model))
          for (const int rank : {0, tensor - 1}) {
            EXPECT_EQ(count_of(parameters_of(model, split, rank, chunk)),
                      stage_parameters(model, split, stage_part(chunk)))
                << model.name << " tensor " << tensor << " layers " << chunk.layers;
            ++compared;
          }
      }
  EXPECT_GT(compared, 400);
}

TEST(ParameterList, Gpt2HasThePublishedNumberOfParameters) {
  const Result<Model> gpt2 = read_model(QUINTET_SOURCE_DIR "/traces/models/gpt2/config.json");
  ASSERT_TRUE(gpt2);
  // traces/models/README.md
  EXPECT_EQ(count_of(parameters_of(*gpt2, {}, 0, whole_model(*gpt2))), 124'439'808);
}

// Over all ranks, the slices that are no copies hold every element of every tensor once.
void expect_every_element_held_once(const Model& model, int tensor) {
  std::map<std::string, std::vector<int>> held;
  for (const ParameterTensor& whole_tensor : tensors_of(model))
    held[whole_tensor.name].resize(static_cast<std::size_t>(elements(whole_tensor.shape)));
  const int half = model.layers / 2;
  for (int rank = 0; rank < tensor; ++rank)
    for (const Chunk& chunk :
         {Chunk{.first_layer = 0, .layers = half, .embedding = true},
          Chunk{.first_layer = half, .layers = model.layers - half, .head = true}})
      for (const Parameter& parameter : parameters_of(model, {.tensor = tensor}, rank, chunk))
        for (const Slice& slice : parameter.slices) {
          if (slice.holding == Holding::copy) continue;
          ASSERT_TRUE(lies_in(slice.box, slice.tensor.shape));
          const std::vector<int> ones(static_cast<std::size_t>(elements(slice.box.shape)), 1);
          std::vector<int> there(held[slice.tensor.name].size());
          copy_part(slice.box, slice.box, std::as_bytes(std::span(ones)), whole(slice.tensor.shape),
                    std::as_writable_bytes(std::span(there)), sizeof(int));
          for (std::size_t i = 0; i < there.size(); ++i) held[slice.tensor.name][i] += there[i];
        }
  for (const auto& [name, counts] : held)
    EXPECT_EQ(counts, std::vector<int>(counts.size(), 1)) << name << " tensor " << tensor;
}

TEST(ParameterList, TheRanksHoldEveryElementOfEveryTensorOnceBesidesCopies) {
  for (const Model& model : {small_gpt2(), small_bert(), small_llama(), small_qwen3()})
    for (const int tensor : {1, 2, 4}) expect_every_element_held_once(model, tensor);
}

// 4 query heads of width 4, 2 key/value heads, 4 ranks: rank 3 has query head 3 and a copy of
// key/value head 1, which rank 2 holds first.
TEST(ParameterList, KeyValueHeadsAreCopiedWhenThereAreFewerThanRanks) {
  const Model model = small_llama();
  const auto qkv_of = [&](int rank) {
    for (const Parameter& parameter :
         parameters_of(model, {.tensor = 4}, rank, {.first_layer = 1, .layers = 1}))
      if (parameter.kind == ParameterKind::qkv_weight) return parameter;
    return Parameter{};
  };
  const Parameter qkv = qkv_of(3);
  EXPECT_EQ(qkv.shape, (Shape{12, 8}));
  const auto matrix = [](const std::string& name, std::int64_t rows) {
    return ParameterTensor{"layers.1.attention." + name + ".weight", {rows, 8}, Fill::normal, 0.02};
  };
  EXPECT_EQ(qkv.slices,
            (std::vector<Slice>{{matrix("query", 16), {{12, 0}, {4, 8}}, 0, Holding::first},
                                {matrix("key", 8), {{4, 0}, {4, 8}}, 32, Holding::copy},
                                {matrix("value", 8), {{4, 0}, {4, 8}}, 64, Holding::copy}}));
  EXPECT_EQ(qkv_of(2).slices[1].holding, Holding::first);
}

TEST(ParameterList, ATiedHeadOnAnotherStageIsACopyOfTheEmbedding) {
  const Model model = small_gpt2();
  const std::vector<Parameter> last =
      parameters_of(model, {}, 0, {.first_layer = 1, .layers = 1, .head = true});
  const Parameter& projection = last.back();
  EXPECT_EQ(projection.kind, ParameterKind::projection_weight);
  EXPECT_EQ(projection.slices.front().tensor.name, "embedding.tokens.weight");
  EXPECT_EQ(projection.slices.front().holding, Holding::copy);
}

TEST(ParameterList, EveryTensorHasItsOwnName) {
  for (const Model& model : {small_gpt2(), small_bert(), small_llama(), small_qwen3()}) {
    std::set<std::string> names;
    for (const ParameterTensor& tensor : tensors_of(model))
      EXPECT_TRUE(names.insert(tensor.name).second);
  }
}

}  // namespace
}  // namespace quintet
