#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "sim/frameworks/megatron.h"

namespace quintet::megatron {
namespace {

using Refusal = std::optional<Error>;

Error at(const Arguments& given, std::string_view name, std::string_view what) {
  return {given.place(name), fmt::format("{} {}", name, what)};
}

Refusal refuse_small(const Arguments& given) {
  for (const ArgumentRow& row : arguments()) {
    if (row.type != ArgumentType::integer || row.field.empty() || !given.has(row.name)) continue;
    const int least = row.name == "--fp8-margin" ? 0 : 1;
    if (given.integer(row.name, least) < least)
      return at(given, row.name,
                fmt::format("is to be {} or more, not {}", least, given.integer(row.name, least)));
  }
  return std::nullopt;
}

Refusal refuse_pipeline(const Arguments& given) {
  constexpr std::array ways{std::string_view("--num-layers-per-virtual-pipeline-stage"),
                            std::string_view("--num-virtual-stages-per-pipeline-rank"),
                            std::string_view("--pipeline-model-parallel-layout")};
  std::string_view first;
  for (const std::string_view way : ways) {
    if (!given.has(way)) continue;
    if (!first.empty()) return at(given, way, fmt::format("excludes {}", first));
    first = way;
  }
  const bool several = given.integer("--num-virtual-stages-per-pipeline-rank", 1) > 1 ||
                       given.has("--num-layers-per-virtual-pipeline-stage");
  const int stages = given.integer("--pipeline-model-parallel-size", 1);
  const bool overlap = !given.has("--no-overlap-p2p-communication");
  if (several && stages < (overlap ? 2 : 3))
    return at(given, first,
              overlap ? "needs --pipeline-model-parallel-size above 1"
                      : "needs --pipeline-model-parallel-size above 2 where "
                        "--no-overlap-p2p-communication is given");
  return std::nullopt;
}

Refusal refuse_uneven(const Arguments& given) {
  constexpr std::array numbers{std::string_view("--decoder-first-pipeline-num-layers"),
                               std::string_view("--decoder-last-pipeline-num-layers")};
  constexpr std::array ends{std::string_view("--account-for-embedding-in-pipeline-split"),
                            std::string_view("--account-for-loss-in-pipeline-split")};
  constexpr std::string_view layout = "--pipeline-model-parallel-layout";
  for (const std::string_view end : ends) {
    if (!given.has(end)) continue;
    if (given.has(layout)) return at(given, end, fmt::format("excludes {}", layout));
    for (const std::string_view number : numbers)
      if (given.has(number)) return at(given, end, fmt::format("excludes {}", number));
  }
  for (const std::string_view number : numbers)
    if (given.has(number) && given.has(layout))
      return at(given, number, fmt::format("excludes {}", layout));
  return std::nullopt;
}

Refusal refuse_sharding(const Arguments& given, const std::string& connections) {
  const bool megatron = given.has("--use-megatron-fsdp"), torch = given.has("--use-torch-fsdp2");
  const bool distributed = given.has("--use-distributed-optimizer");
  if (given.has("--overlap-param-gather") && !distributed && !megatron)
    return at(given, "--overlap-param-gather",
              "needs --use-distributed-optimizer or --use-megatron-fsdp");
  if (given.has("--overlap-param-gather") && !given.has("--overlap-grad-reduce"))
    return at(given, "--overlap-param-gather", "needs --overlap-grad-reduce");
  const std::string format = given.text("--ckpt-format", "torch_dist");
  if (megatron && format != "fsdp_dtensor")
    return at(given, "--use-megatron-fsdp", "needs --ckpt-format fsdp_dtensor");
  for (const std::string_view name : {"--use-megatron-fsdp", "--use-torch-fsdp2"})
    if (given.has(name) && connections == "1")
      return at(given, name, "excludes CUDA_DEVICE_MAX_CONNECTIONS=1");
  if (!torch) return std::nullopt;
  const auto refused = [&](std::string_view what) { return at(given, "--use-torch-fsdp2", what); };
  if (given.integer("--pipeline-model-parallel-size", 1) != 1)
    return refused("needs --pipeline-model-parallel-size 1");
  if (given.integer("--expert-model-parallel-size", 1) != 1)
    return refused("needs --expert-model-parallel-size 1");
  if (distributed) return refused("excludes --use-distributed-optimizer");
  if (!given.has("--no-gradient-accumulation-fusion"))
    return refused("needs --no-gradient-accumulation-fusion");
  if (given.has("--fp16")) return refused("excludes --fp16");
  if (!given.has("--untie-embeddings-and-output-weights"))
    return refused("needs --untie-embeddings-and-output-weights");
  if (format != "torch_dist" && format != "torch_dcp")
    return refused("needs --ckpt-format torch_dist or torch_dcp");
  return std::nullopt;
}

Refusal refuse_lengths(const Arguments& given) {
  const std::int64_t length = given.integer("--seq-length", 0);
  const std::int64_t context = given.integer("--context-parallel-size", 1);
  if (context > 1 && length % (2 * context) != 0)
    return at(given, "--seq-length",
              fmt::format("is to be a multiple of 2 x --context-parallel-size, {}", 2 * context));
  if (given.has("--max-position-embeddings") &&
      given.integer("--max-position-embeddings", 0) < length)
    return at(given, "--max-position-embeddings", "is to be --seq-length or more");
  return std::nullopt;
}

Refusal refuse_work(const Arguments& given) {
  const std::string granularity = given.text("--recompute-granularity", "");
  if (granularity == "selective" && given.has("--recompute-method"))
    return at(given, "--recompute-method", "is not for --recompute-granularity selective");
  if (granularity == "full" && !given.has("--recompute-method"))
    return at(given, "--recompute-granularity", "full needs --recompute-method");
  if (granularity == "full" && given.text("--cuda-graph-impl", "none") != "none")
    return at(given, "--cuda-graph-impl", "excludes --recompute-granularity full");
  const bool local = given.text("--cuda-graph-impl", "none") == "local";
  if (local && granularity == "selective")
    return at(given, "--cuda-graph-impl", "local excludes --recompute-granularity");
  if (local && given.has("--recompute-activations"))
    return at(given, "--cuda-graph-impl", "local excludes --recompute-activations");
  if (given.has("--bf16") && given.has("--fp16")) return at(given, "--fp16", "excludes --bf16");
  if (given.has("--tp-comm-overlap") && !given.has("--sequence-parallel"))
    return at(given, "--tp-comm-overlap", "needs --sequence-parallel");
  if (given.has("--optimizer-cpu-offload") && !given.has("--use-precision-aware-optimizer"))
    return at(given, "--optimizer-cpu-offload", "needs --use-precision-aware-optimizer");
  if (given.has("--ddp-num-buckets") && given.has("--ddp-bucket-size"))
    return at(given, "--ddp-num-buckets", "excludes --ddp-bucket-size");
  const bool whole = given.text("--cuda-graph-scope", "full") == "full_iteration";
  if (whole && given.text("--cuda-graph-impl", "none") == "transformer_engine")
    return at(given, "--cuda-graph-scope", "full_iteration needs --cuda-graph-impl local");
  if (local && given.text("--cuda-graph-scope", "full") == "attn")
    return at(given, "--cuda-graph-scope", "attn needs --cuda-graph-impl transformer_engine");
  return std::nullopt;
}

}  // namespace

std::optional<Error> refusal(const Arguments& given, const std::string& connections) {
  if (auto error = refuse_small(given)) return error;
  for (const std::string_view name : {"--micro-batch-size", "--seq-length"})
    if (!given.has(name)) return at(given, name, "is required");
  if (auto error = refuse_pipeline(given)) return error;
  if (auto error = refuse_uneven(given)) return error;
  if (auto error = refuse_sharding(given, connections)) return error;
  if (auto error = refuse_lengths(given)) return error;
  return refuse_work(given);
}

}  // namespace quintet::megatron
