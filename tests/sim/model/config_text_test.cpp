// Models written as config.json and read back.

#include <gtest/gtest.h>

#include "sim/model/model_file.h"
#include "sim/usage/shipped.h"

namespace quintet {
namespace {

Model again(const Model& model) {
  const Result<Model> read = parse_model(config_text(model), model.name + ".json");
  EXPECT_TRUE(read) << model.name << ": " << (read ? "" : read.error().text());
  return read ? *read : Model{};
}

TEST(ConfigText, EveryShippedModelReadsBackToItself) {
  const std::vector<std::string> names = shipped_names(FileKind::model);
  EXPECT_GT(names.size(), 5u);
  for (const std::string& name : names) {
    const Model model = *read_model(*find_file(FileKind::model, name));
    EXPECT_EQ(again(model), model) << name;
  }
}

// What few of them have: windows, biases, widths that are not heads times head width.
TEST(ConfigText, KeepsWhatIsRare) {
  Model model;
  model.name = "rare";
  model.family = ModelFamily::qwen2;
  model.layers = 2;
  model.hidden = 192;
  model.heads = 4;
  model.kv_heads = 2;
  model.head_dim = 64;
  model.feed_forward = 300;
  model.vocabulary = 77;
  model.max_positions = 99;
  model.qkv_bias = true;
  model.tied_embeddings = true;
  model.sliding_window = 16;
  EXPECT_EQ(again(model), model);
  model.family = ModelFamily::mistral;
  model.qkv_bias = false;
  EXPECT_EQ(again(model), model);
  model.sliding_window.reset();
  EXPECT_EQ(again(model), model);
}

}  // namespace
}  // namespace quintet
