#include "sim/base/usual_words.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace quintet {
namespace {

struct OtherName {
  std::string_view theirs, ours;
};

// ZeRO's stages are arXiv 1910.02054's, FSDP is PyTorch's name of the third.
constexpr std::array values{
    OtherName{"zero0", "none"},
    OtherName{"zero-0", "none"},
    OtherName{"ddp", "none"},
    OtherName{"zero1", "optimizer"},
    OtherName{"zero-1", "optimizer"},
    OtherName{"distributed-optimizer", "optimizer"},
    OtherName{"zero2", "gradients"},
    OtherName{"zero-2", "gradients"},
    OtherName{"zero3", "parameters"},
    OtherName{"zero-3", "parameters"},
    OtherName{"fsdp", "parameters"},
    OtherName{"1f1b-interleaved", "interleaved"},
    OtherName{"interleaved-1f1b", "interleaved"},
    OtherName{"one-f-one-b", "1f1b"},
    OtherName{"zbh1", "zb-h1"},
    OtherName{"zbh2", "zb-h2"},
    OtherName{"bfloat16", "bf16"},
    OtherName{"float16", "fp16"},
    OtherName{"half", "fp16"},
    OtherName{"float32", "fp32"},
    OtherName{"float8", "fp8"},
    OtherName{"adam", "adamw"},
    OtherName{"flash-attention", "flash"},
    OtherName{"flashattention", "flash"},
    OtherName{"allreduce", "all-reduce"},
    OtherName{"allgather", "all-gather"},
    OtherName{"reducescatter", "reduce-scatter"},
    OtherName{"alltoall", "all-to-all"},
};

constexpr std::array fields{
    OtherName{"tp", "tensor"},
    OtherName{"tensor-parallel", "tensor"},
    OtherName{"pp", "pipeline"},
    OtherName{"pipeline-parallel", "pipeline"},
    OtherName{"dp", "data"},
    OtherName{"data-parallel", "data"},
    OtherName{"cp", "context"},
    OtherName{"ep", "expert"},
    OtherName{"sp", "sequence_parallel"},
    OtherName{"vpp", "virtual_stages"},
    OtherName{"mbs", "micro_batch"},
    OtherName{"micro-batch-size", "micro_batch"},
    OtherName{"gbs", "global_batch"},
    OtherName{"batch", "global_batch"},
    OtherName{"batch-size", "global_batch"},
    OtherName{"global-batch-size", "global_batch"},
    OtherName{"seq", "sequence_length"},
    OtherName{"seq-len", "sequence_length"},
    OtherName{"seq-length", "sequence_length"},
    OtherName{"sequence", "sequence_length"},
    OtherName{"zero", "sharding"},
    OtherName{"fsdp", "sharding"},
    OtherName{"precision", "compute_type"},
    OtherName{"dtype", "compute_type"},
    OtherName{"gradient-precision", "gradient_type"},
    OtherName{"activation-checkpointing", "recompute"},
};

template <std::size_t count>
std::optional<std::string_view> ours_of(const std::array<OtherName, count>& names,
                                        std::string_view plain) {
  for (const OtherName& name : names)
    if (name.theirs == plain) return name.ours;
  return std::nullopt;
}

}  // namespace

std::string plain_word(std::string_view word) {
  std::string plain;
  for (const char letter : word) {
    const bool capital = letter >= 'A' && letter <= 'Z';
    const bool gap = letter == '_' || letter == ' ';
    plain += gap ? '-' : capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return plain;
}

std::optional<std::size_t> word_meant(std::string_view given,
                                      const std::vector<std::string_view>& words) {
  const std::string plain = plain_word(given);
  const std::string_view ours = ours_of(values, plain).value_or(plain);
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == given) return i;
    if (plain_word(words[i]) != ours) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::optional<std::string_view> field_meant(std::string_view given) {
  return ours_of(fields, plain_word(given));
}

}  // namespace quintet
