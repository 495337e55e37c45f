#include "sim/validate/rows/row_words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>
#include <string_view>

namespace quintet {

namespace {

template <class Meaning>
struct Word {
  std::string_view text;  // in lower case
  Meaning meaning;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

// The first word of the table that the text contains.
template <class Meaning>
std::optional<Meaning> meaning_of(const std::string& text, std::span<const Word<Meaning>> words) {
  const std::string plain = lower(text);
  for (const Word<Meaning>& word : words)
    if (plain.find(word.text) != std::string::npos) return word.meaning;
  return std::nullopt;
}

constexpr Word<Recompute> recompute_words[]{
    {"not stated", Recompute::none},  // replaced by the default before it gets here
    {"none", Recompute::none},
    {"selective", Recompute::selective},
    {"full", Recompute::full},
};

constexpr Word<Sharding> sharding_words[]{
    {"none/unknown", Sharding::none},
    {"no reshard", Sharding::gradients},  // weights stay whole after their first gather
    {"fsdp", Sharding::parameters},
    {"hsdp", Sharding::parameters},
    {"zero-3", Sharding::parameters},
    {"zero3", Sharding::parameters},
    {"zero-2", Sharding::gradients},
    {"zero-1", Sharding::optimizer},
    {"zero1", Sharding::optimizer},
    {"distributed optimizer", Sharding::optimizer},
    {"none", Sharding::none},
};

constexpr Word<DataType> precision_words[]{
    {"fp8", DataType::fp8},   {"float8", DataType::fp8}, {"fp16", DataType::fp16},
    {"bf16", DataType::bf16}, {"fp32", DataType::fp32},
};

constexpr Word<std::string_view> beyond_words[]{
    {"moe", "mixture of experts"},
    {"hybrid", "hybrid of attention and state space layers"},
    {"nemotron-h", "hybrid of attention and state space layers"},
    {"qwen3-30b-a3b", "mixture of experts"},
    {"qwen3-235b-a22b", "mixture of experts"},
    {"lora", "low-rank adapters: most weights are frozen"},
    {"tpu", "TPU"},
    {"+", "mixed GPUs"},
};

}  // namespace

std::optional<Recompute> recompute_of(const std::string& text) {
  const std::string plain = lower(text);
  for (const char* unknown : {"not stated", "recipe default", "policy", "norm,act", "rmsnorm"})
    if (plain.find(unknown) != std::string::npos) {
      // "none at seq 8192 (text); not stated at 131072"
      if (plain.starts_with("none")) return Recompute::none;
      return std::nullopt;
    }
  return meaning_of<Recompute>(text, recompute_words);
}

std::optional<Sharding> sharding_of(const std::string& text) {
  return meaning_of<Sharding>(text, sharding_words);
}

std::optional<DataType> precision_of(const std::string& text) {
  if (lower(text).find("not stated") != std::string::npos) return std::nullopt;
  return meaning_of<DataType>(text, precision_words);
}

std::optional<bool> sequence_parallel_of(const std::string& text) {
  if (text.starts_with("true")) return true;
  if (text.starts_with("false")) return false;
  return std::nullopt;
}

AttentionWords attention_of(const std::string& text) {
  const std::string plain = lower(text);
  const auto says = [&](const char* word) { return plain.find(word) != std::string::npos; };
  AttentionWords words;
  if (says("megatron fused softmax"))
    words = {AttentionChoice::unfused, true, std::nullopt};
  else if (says("torch unfused"))
    words = {AttentionChoice::unfused, false, std::nullopt};
  else if (says("unfused"))
    words = {AttentionChoice::unfused, std::nullopt, std::nullopt};
  else if (says("flash"))
    words = {AttentionChoice::flash, std::nullopt, std::nullopt};
  words.first_flash = says("attentionv1") || says("flash-attention 1");
  words.second_flash = says("sdpa flash") || says("flash_attention2") || says("flashattention-2");
  if (says("rms kernel")) words.fused_norm = true;
  return words;
}

bool eager(const std::string& notes) {
  return lower(notes).find("eager ") != std::string::npos;
}

std::vector<int> stage_layers_of(const std::string& notes) {
  constexpr std::string_view opening = "stage split [";
  const std::size_t start = notes.find(opening);
  if (start == std::string::npos) return {};
  std::vector<int> layers;
  const char* at = notes.data() + start + opening.size();
  const char* const end = notes.data() + notes.size();
  for (int count = 0; at < end && *at != ']';) {
    const auto [stopped, code] = std::from_chars(at, end, count);
    if (code != std::errc{}) return {};
    layers.push_back(count);
    at = std::find_if(stopped, end, [](char letter) { return letter != ',' && letter != ' '; });
  }
  if (!layers.empty() && notes.find("counts embedding and head", start) != std::string::npos)
    --layers.front(), --layers.back();
  return layers;
}

bool trains_adapters(const std::string& notes) {
  return lower(notes).starts_with("lora");
}

std::string beyond(const std::string& arch, const std::string& model, const std::string& gpu) {
  for (const std::string& text : {arch, model})
    if (const auto reason = meaning_of<std::string_view>(text, std::span(beyond_words).first(6)))
      return std::string(*reason);
  if (const auto reason = meaning_of<std::string_view>(gpu, std::span(beyond_words).last(2)))
    return std::string(*reason);
  return {};
}

}  // namespace quintet
