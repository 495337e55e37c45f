// What the free text of published rows means, word by word. Unknown words mean nothing; the caller
// falls back to the framework's default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/plan/parallelism.h"

namespace quintet {

struct AttentionWords {
  std::optional<AttentionChoice> choice;
  std::optional<bool> fused_softmax;  // unfused attention: Megatron's softmax kernel or PyTorch's
  std::optional<bool> fused_norm;     // "+ RMS kernel"
  bool first_flash = false;           // FlashAttention 1
  bool second_flash = false;          // FlashAttention 2, also inside PyTorch's SDPA
};

// Nothing where the text has no word for it.
std::optional<Recompute> recompute_of(const std::string& text);
std::optional<Sharding> sharding_of(const std::string& text);
std::optional<DataType> precision_of(const std::string& text);
std::optional<bool> sequence_parallel_of(const std::string& text);
AttentionWords attention_of(const std::string& text);
// "eager FSDP": kernels are PyTorch's own, where the stack compiles.
bool eager(const std::string& notes);
// Layers per stage as notes tell: "stage split [7, 9, 9, 9] (counts embedding and head as layers)"
// is 6, 9, 9, 8. Empty: they do not.
std::vector<int> stage_layers_of(const std::string& notes);

// "LoRA finetuning; ...": the run's notes say what its model's name does not.
bool trains_adapters(const std::string& notes);

// What keeps a model from being expressed, by its architecture's or name's words; empty: nothing.
std::string beyond(const std::string& arch, const std::string& model, const std::string& gpu);

}  // namespace quintet
