// A library's attention or our own, whichever is faster, by shape.
//
// A shape's first call outside of a stream capture is answered by both, each once untimed, so that
// its code is loaded, and then 3 times timed, of which the fastest counts. Which is faster may
// differ from run to run, and with it the last bits; where bits must repeat, our own are asked for.
// A call whose shape was not measured before is our own's while a stream is captured.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kernels/cuda/cublaslt/product_bench.h"
#include "kernels/cuda/fused_attention.h"

namespace quintet::kernels::cuda {

// Calls of one kind that take as long as each other.
struct AttentionTask {
  enum class Pass { forward, backward } pass = Pass::forward;
  ElementType type = ElementType::bf16;
  Index sequences = 0, query_rows = 0, key_rows = 0, query_heads = 0, key_heads = 0, head_size = 0;
  AttentionMask mask = AttentionMask::causal;
  Index window = 0;
  SequenceLengths lengths = SequenceLengths::any;
  auto operator<=>(const AttentionTask&) const = default;
};

struct AttentionSeconds {
  double library = 0, own = 0;
  bool library_is_faster() const { return library < own; }
};

// One for all streams of a device, so that ranks that share a device share the choice and its bits.
class AttentionChoices {
 public:
  std::optional<AttentionSeconds> find(const AttentionTask& task) const;
  void keep(const AttentionTask& task, const AttentionSeconds& seconds);
  // "; forward of 64 x 1024, 12 heads (12 of keys) of 64, causal: the library's, 0.210 ms against
  // 0.350 ms" for each.
  std::string in_words() const;

 private:
  mutable std::mutex mutex_;
  std::map<AttentionTask, AttentionSeconds> measured_;
};

class MeasuredAttention : public FusedAttention {
 public:
  static constexpr int timed_runs = 3;

  // `own` does whatever it is asked for. The choices outlive it.
  MeasuredAttention(std::unique_ptr<FusedAttention> library, std::unique_ptr<FusedAttention> own,
                    std::unique_ptr<ProductBench> bench, AttentionChoices& choices);

  bool forward(const AttentionForward&, const Stream&) override;
  bool backward(const AttentionBackward&, const Stream&) override;

 private:
  using Attend = std::function<bool(FusedAttention& by)>;
  bool run(const AttentionTask& task, const Attend& attend, const Stream& stream);
  double seconds_of(FusedAttention& by, const Attend& attend, const Stream& stream);

  std::unique_ptr<FusedAttention> library_, own_;
  std::unique_ptr<ProductBench> bench_;
  AttentionChoices& choices_;
};

}  // namespace quintet::kernels::cuda
