// Kernels that a layer of GPT-2 and of Llama starts, and bytes that they move, forward and
// backward, beside llm.c's kernels and the fewest bytes. Kernels are counted where they start, on
// the emulator of CUDA's threads, with products of a library as one kernel each; bytes without
// computing, at 4 x 1024 tokens, the width of GPT-2 124M and half of that of Llama 3.2 1B. A step
// of two layers less one of one is a layer's.
//
// The fewest bytes: products and attention are kernels of their own, which read their operands from
// memory and write their results there, all 2 bytes an element but gradients of weights (4, read
// and written); all else is done on the way. With T tokens, width c, MLP width f, q and k elements
// of all query and key heads, W all matrices' elements, over T times 2 bytes:
//   forward   qkv c + (q + 2k); attention (q + 2k) + q; output q + c; residual and norm 2c + 2c; up
//             c + 2f (GPT-2: before and after GELU; Llama: gate and up); [Llama: SwiGLU 2f + f];
//             down f + c; residual and norm 2c + 2c                                   + 2 W bytes
//   backward  down f + c and the GELU's f, and f + c; [Llama: SwiGLU 3f + 2f]; up u + c and u + c
//             (u is f, Llama 2f); attention 3q + 2k read, q + 2k written; output q + c twice; qkv
//             (q + 2k) + c twice; two norms 3c + c each                     + 2 W and 8 W bytes
// Llama's rotary embedding could be done on the way too: none of it is among the fewest.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "tests/engine/kernel_counts/counted_step.h"

namespace quintet::engine::test {
namespace {

Model gpt2_of(int layers, int width, int heads) {
  Model model = toy_gpt2();
  model.layers = layers;
  model.hidden = width;
  model.heads = model.kv_heads = heads;
  model.head_dim = 64;
  model.feed_forward = 4 * width;
  model.vocabulary = 128;
  return model;
}

Model llama_of(int layers, int width, int heads) {
  Model model = toy_llama();
  model.layers = layers;
  model.hidden = width;
  model.heads = heads;
  model.kv_heads = std::max(1, heads / 4);
  model.head_dim = 64;
  model.feed_forward = 4 * width;
  model.vocabulary = 128;
  return model;
}

template <class Make>
CallLog counted(Model model, Sequences sequences, const Make& make) {
  const auto log = counted_step(std::move(model), sequences, make);
  EXPECT_TRUE(log) << (log ? "" : log.error().text());
  return log ? *log : CallLog{};
}

// By operator. Forward ends with the loss, backward with the gradients' norm.
struct Passes {
  std::map<std::string, CountedCall> forward, backward;
};

Passes passes_of(const CallLog& log) {
  Passes passes;
  auto* pass = &passes.forward;
  for (const CountedCall& call : log.calls) {
    if (call.name == "cross_entropy") pass = &passes.backward;
    if (call.name == "squared_norm") break;
    if (call.name == "cross_entropy" || call.name == "zero") continue;
    CountedCall& sum = (*pass)[call.name];
    sum.launches += call.launches;
    sum.bytes += call.bytes;
  }
  return passes;
}

using ModelOf = Model (*)(int layers, int width, int heads);

std::map<std::string, CountedCall> difference(std::map<std::string, CountedCall> more,
                                              const std::map<std::string, CountedCall>& less) {
  for (const auto& [name, call] : less) {
    more[name].launches -= call.launches;
    more[name].bytes -= call.bytes;
  }
  std::erase_if(
      more, [](const auto& each) { return each.second.launches == 0 && each.second.bytes == 0; });
  return more;
}

Passes layer_launches(ModelOf model) {
  const auto step = [&](int layers) {
    return passes_of(counted(model(layers, 128, 2), {}, emulated_device));
  };
  const Passes more = step(2), less = step(1);
  return {difference(more.forward, less.forward), difference(more.backward, less.backward)};
}

constexpr Sequences tokens_counted{4, 1024};

Passes layer_bytes(ModelOf model, int heads) {
  const auto step = [&](int layers) {
    return passes_of(counted(model(layers, 64 * heads, heads), tokens_counted, untouched_device));
  };
  const Passes more = step(2), less = step(1);
  return {difference(more.forward, less.forward), difference(more.backward, less.backward)};
}

struct Fewest {
  double forward, backward;
};

Fewest fewest_bytes(const Model& model) {
  const double c = model.hidden, f = model.feed_forward;
  const double q = model.heads * model.head_dim, k = model.kv_heads * model.head_dim;
  const bool gated = model.mlp == MlpKind::gated_silu;
  const double u = gated ? 2 * f : f;
  const double tokens = tokens_counted.count * tokens_counted.length;
  const double weights = c * (q + 2 * k) + q * c + c * u + f * c;
  const double norms = 2 * (2 * c + 2 * c);
  const double products = c + (q + 2 * k) + q + c + c + f + c;
  const double forward = products + 2 * f + (gated ? 3 * f : 0) + (q + 2 * k) + q + norms;
  const double backward = 3 * f + 2 * c + (gated ? 4 * f : 0) + 2 * (u + c) + (3 * q + 2 * k) +
                          (q + 2 * k) + 2 * (q + c) + 2 * (q + 2 * k + c) + 2 * (3 * c + c);
  return {2 * tokens * forward + 2 * weights, 2 * tokens * backward + (2 + 8) * weights};
}

struct Sum {
  std::int64_t launches = 0;
  double bytes = 0;
};

Sum told(const std::string& title, std::map<std::string, CountedCall> launches,
         const std::map<std::string, CountedCall>& bytes) {
  Sum sum;
  std::printf("%-28s kernels   MB at 4 x 1024 tokens\n", title.c_str());
  for (const auto& [name, call] : bytes) launches[name].bytes = call.bytes;
  for (const auto& [name, call] : launches) {
    std::printf("  %-28s %5lld   %8.1f\n", name.c_str(), static_cast<long long>(call.launches),
                call.bytes / 1e6);
    sum.launches += call.launches;
    sum.bytes += call.bytes;
  }
  return sum;
}

struct LlmC {
  std::int64_t forward, backward;
};

void hold(const std::string& name, ModelOf model, int heads, const LlmC& llm_c) {
  const Passes launches = layer_launches(model), bytes = layer_bytes(model, heads);
  const Fewest fewest = fewest_bytes(model(1, 64 * heads, heads));
  const Sum forward = told(name + ", forward", launches.forward, bytes.forward);
  const Sum backward = told(name + ", backward", launches.backward, bytes.backward);
  std::printf(
      "%s: %lld kernels forward (llm.c %lld), %.3f x the fewest bytes; %lld backward "
      "(llm.c %lld), %.3f x\n\n",
      name.c_str(), static_cast<long long>(forward.launches), static_cast<long long>(llm_c.forward),
      forward.bytes / fewest.forward, static_cast<long long>(backward.launches),
      static_cast<long long>(llm_c.backward), backward.bytes / fewest.backward);
  EXPECT_LE(forward.launches, llm_c.forward);
  EXPECT_LE(backward.launches, llm_c.backward);
  EXPECT_GE(forward.bytes, fewest.forward);
  EXPECT_GE(backward.bytes, fewest.backward);
  EXPECT_LE(forward.bytes + backward.bytes, 1.1 * (fewest.forward + fewest.backward));
}

// karpathy/llm.c, train_gpt2.cu, gpt2_forward() and gpt2_backward_and_reduce() with cuDNN and GELU
// in the products (its default on H100). Forward: four products, attention, two residuals with
// their norms. Backward: of each of four products two kernels for the bias (matmul_backward_bias)
// and two products; of each of two norms a kernel and the memset in front of it; attention. How
// many kernels cuDNN starts its source does not say: one is counted, where our own backward pass
// has three.
TEST(LayerKernels, OfGpt2AreNoMoreThanThoseOfLlmC) {
  hold("GPT-2 layer", gpt2_of, 12, {4 + 1 + 2, 4 * 4 + 2 * 2 + 1});
}

// Likewise train_llama3.cu (branch llama3): beside the above, keys are copied for each query head,
// rotary and SwiGLU are kernels of their own, and there are no biases. Its attention is made of
// products and a softmax (llmc/attention.cuh: permute, product, softmax, product, unpermute; in
// backward unpermute, two products, softmax, two products, permute).
TEST(LayerKernels, OfLlamaAreNoMoreThanThoseOfLlmC) {
  hold("Llama layer", llama_of, 16, {4 + 3 + 2 + 5, 4 * 2 + 3 + 2 * 2 + 7});
}

}  // namespace
}  // namespace quintet::engine::test
