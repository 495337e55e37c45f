#include "engine/files/weights/load_weights.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "engine/files/storage/half_floats.h"
#include "engine/files/weights/hugging_face_names.h"
#include "engine/files/weights/initial_values.h"
#include "engine/files/weights/safetensors_writer.h"
#include "engine/files/weights/save_weights.h"
#include "engine/files/weights/slices.h"
#include "tests/support/parameter_values.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

std::vector<float> random_values(const ParameterTensor& tensor) {
  ParameterTensor normal = tensor;
  normal.fill = Fill::normal;
  normal.deviation = 1.0;
  std::vector<float> values(static_cast<std::size_t>(elements(tensor.shape)));
  initial_values(normal, whole(tensor.shape), 5, values);
  return values;
}

TensorValues random_model(const Model& model) {
  TensorValues tensors;
  for (const ParameterTensor& tensor : tensors_of(model))
    tensors[tensor.name] = random_values(tensor);
  return tensors;
}

TensorSource source_of(const TensorValues& tensors) {
  return [&tensors](const ParameterTensor& tensor) -> Result<std::vector<float>> {
    return tensors.at(tensor.name);
  };
}

BoxSource source_in(const WeightFiles& files, const Model& model) {
  return [&](const ParameterTensor& tensor, const Box& box, std::span<float> values) {
    return load_box(files, model, tensor, box, values);
  };
}

std::vector<float> loaded(const WeightFiles& files, const Model& model,
                          const Parameter& parameter) {
  const Result<std::vector<float>> values = values_of(parameter, source_in(files, model));
  EXPECT_TRUE(values) << values.error().text();
  return *values;
}

TEST(LoadWeights, EveryLayoutReadsBackWhatWasSavedInOneFileOrMany) {
  for (const Model& model : {small_gpt2(), small_bert(), small_llama(), small_qwen3()})
    for (const double largest : {1e9, 1000.0}) {
      const TemporaryFolder folder;
      const TensorValues before = random_model(model);
      ASSERT_FALSE(save_weights(folder.path(), model, source_of(before),
                                {StoredType::fp32, Bytes{largest}}));
      const Result<WeightFiles> files = WeightFiles::open(folder.path());
      ASSERT_TRUE(files) << files.error().text();
      EXPECT_EQ(names_not_read(*files, model), std::vector<std::string>{});
      for (const int tensor : {1, 2, 4}) {
        TensorValues after;
        for (int rank = 0; rank < tensor; ++rank)
          for (const Parameter& parameter :
               parameters_of(model, {.tensor = tensor}, rank, whole_model(model)))
            put_into(after, parameter, loaded(*files, model, parameter));
        EXPECT_EQ(after, before) << tensor;
      }
    }
}

// Conv1D computes x W + b with W [in, out] = [4, 12]: W[i][o] = 100 i + o. Query rows (ours) are
// columns 0-3, keys 4-7, values 8-11; rank 1 of 2 has the second head: columns 2, 3, 6, 7, 10, 11.
TEST(LoadWeights, Gpt2sFusedMatrixIsTurnedAndTakenApart) {
  const Model model = model_from(R"({"model_type": "gpt2", "n_layer": 1, "n_embd": 4, "n_head": 2,
                                     "vocab_size": 4, "n_positions": 2})");
  const TemporaryFolder folder;
  std::vector<float> matrix(48);
  for (std::size_t i = 0; i < 48; ++i) matrix[i] = static_cast<float>(100 * (i / 12) + i % 12);
  std::vector<std::byte> bytes(192);
  std::memcpy(bytes.data(), matrix.data(), 192);
  ASSERT_FALSE(write_safetensors(
      folder.path() / "model.safetensors",
      {{"h.0.attn.c_attn.weight", StoredType::fp32, {4, 12}, [bytes] { return bytes; }}}, {}));
  const Result<WeightFiles> files = WeightFiles::open(folder.path());
  ASSERT_TRUE(files);
  for (const Parameter& parameter :
       parameters_of(model, {.tensor = 2}, 1, {.first_layer = 0, .layers = 1})) {
    if (parameter.kind != ParameterKind::qkv_weight) continue;
    EXPECT_EQ(loaded(*files, model, parameter),
              (std::vector<float>{2, 102, 202, 302, 3,  103, 203, 303, 6,  106, 206, 306,
                                  7, 107, 207, 307, 10, 110, 210, 310, 11, 111, 211, 311}));
  }
}

std::vector<std::string> names_written(const Model& model) {
  std::vector<std::string> names;
  for (const ParameterTensor& tensor : tensors_of(model)) {
    const std::string name = file_tensor(model, tensor).names.front();
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

// As the modules of transformers' modeling_gpt2.py and modeling_llama.py are called.
TEST(HuggingFaceNames, AreThoseOfTransformers) {
  Model gpt2 = small_gpt2();
  gpt2.layers = 1;
  EXPECT_EQ(
      names_written(gpt2),
      (std::vector<std::string>{
          "transformer.wte.weight", "transformer.wpe.weight", "transformer.h.0.ln_1.weight",
          "transformer.h.0.ln_1.bias", "transformer.h.0.attn.c_attn.weight",
          "transformer.h.0.attn.c_attn.bias", "transformer.h.0.attn.c_proj.weight",
          "transformer.h.0.attn.c_proj.bias", "transformer.h.0.ln_2.weight",
          "transformer.h.0.ln_2.bias", "transformer.h.0.mlp.c_fc.weight",
          "transformer.h.0.mlp.c_fc.bias", "transformer.h.0.mlp.c_proj.weight",
          "transformer.h.0.mlp.c_proj.bias", "transformer.ln_f.weight", "transformer.ln_f.bias"}));
  Model llama = small_llama();
  llama.layers = 1;
  llama.mlp_bias = llama.qkv_bias = llama.attention_output_bias = false;
  EXPECT_EQ(names_written(llama),
            (std::vector<std::string>{
                "model.embed_tokens.weight", "model.layers.0.input_layernorm.weight",
                "model.layers.0.self_attn.q_proj.weight", "model.layers.0.self_attn.k_proj.weight",
                "model.layers.0.self_attn.v_proj.weight", "model.layers.0.self_attn.o_proj.weight",
                "model.layers.0.post_attention_layernorm.weight",
                "model.layers.0.mlp.gate_proj.weight", "model.layers.0.mlp.up_proj.weight",
                "model.layers.0.mlp.down_proj.weight", "model.norm.weight", "lm_head.weight"}));
}

// bert-base-uncased keeps TensorFlow's names; a bare BertModel has no prefix.
TEST(HuggingFaceNames, BertsOldAndBareNamesAreReadToo) {
  const FileTensor norm =
      file_tensor(small_bert(), {"layers.1.attention_norm.weight", {8}, Fill::ones});
  EXPECT_EQ(norm.names,
            (std::vector<std::string>{"bert.encoder.layer.1.attention.output.LayerNorm.weight",
                                      "encoder.layer.1.attention.output.LayerNorm.weight",
                                      "bert.encoder.layer.1.attention.output.LayerNorm.gamma",
                                      "encoder.layer.1.attention.output.LayerNorm.gamma"}));
}

TEST(LoadWeights, ReadsTheSameValuesFromSixteenBits) {
  const Model model = small_llama();
  for (const StoredType type : {StoredType::bf16, StoredType::fp16}) {
    const TemporaryFolder folder;
    const TensorValues before = random_model(model);
    ASSERT_FALSE(save_weights(folder.path(), model, source_of(before), {type, Bytes{1e9}}));
    const Result<WeightFiles> files = WeightFiles::open(folder.path());
    ASSERT_TRUE(files);
    const Parameter tokens = parameters_of(model, {}, 0, whole_model(model)).front();
    const std::vector<float> after = loaded(*files, model, tokens);
    const std::vector<float>& exact = before.at("embedding.tokens.weight");
    for (std::size_t i = 0; i < after.size(); ++i)
      EXPECT_EQ(after[i], type == StoredType::bf16 ? float_of_bf16(bf16_of(exact[i]))
                                                   : float_of_fp16(fp16_of(exact[i])));
  }
}

TEST(LoadWeights, AMissingTensorAndAWrongShapeAreNamed) {
  const Model model = small_gpt2();
  const TemporaryFolder folder;
  const auto bytes = [](std::size_t size) {
    return [size] { return std::vector<std::byte>(size); };
  };
  const std::string file = (folder.path() / "model.safetensors").string();
  ASSERT_FALSE(write_safetensors(file,
                                 {{"wte.weight", StoredType::fp32, {16, 8}, bytes(512)},
                                  {"wpe.weight", StoredType::fp64, {6, 8}, bytes(384)},
                                  {"h.0.attn.bias", StoredType::boolean, {1}, bytes(1)},
                                  {"stray", StoredType::fp32, {1}, bytes(4)}},
                                 {}));
  const Result<WeightFiles> files = WeightFiles::open(folder.path());
  ASSERT_TRUE(files);
  EXPECT_EQ(names_not_read(*files, model), std::vector<std::string>{"stray"});
  const std::vector<Parameter> parameters = parameters_of(model, {}, 0, whole_model(model));
  const auto complaint = [&](std::size_t index) {
    return values_of(parameters[index], source_in(*files, model)).error().text();
  };
  EXPECT_EQ(complaint(0),
            file + ": \"wte.weight\": has the shape [16, 8], the model wants [13, 8]");
  EXPECT_EQ(complaint(1),
            file + ": \"wpe.weight\": is kept in F64; F32, BF16 and F16 are accepted");
  EXPECT_EQ(complaint(2), file + ": has no tensor \"transformer.h.0.ln_1.weight\"");
}

}  // namespace
}  // namespace quintet
