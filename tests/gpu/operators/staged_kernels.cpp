#include "tests/gpu/operators/staged_kernels.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/gpu/operators/host_memory.h"

namespace quintet::gpu_tests {

namespace {

using namespace kernels;

constexpr std::size_t guard_bytes = 256;  // keeps what the host has on 16 bytes there
constexpr std::byte guard_pattern{0xA5};

// The pieces that one call's arguments point to.
class Staging {
 public:
  Staging(Device& device, const Stream& stream, Guards guards)
      : device_(device), stream_(stream), guard_(guards == Guards::checked ? guard_bytes : 0) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    for (const auto& [first, piece] : pieces_) device_.free(piece.memory);
  }

  // Arguments are numbers, enumerators and pointers; what is the address of a piece is a pointer.
  template <class Arguments>
  Arguments moved(const Arguments& arguments) {
    static_assert(std::is_trivially_copyable_v<Arguments>);
    Arguments there = arguments;
    auto* const bytes = reinterpret_cast<std::byte*>(&there);
    for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= sizeof(Arguments);
         at += alignof(void*)) {
      std::uintptr_t word = 0;
      std::memcpy(&word, bytes + at, sizeof word);
      if (const auto piece = host_piece_at(word)) {
        const auto address =
            reinterpret_cast<std::uintptr_t>(place_of(*piece)) + (word - piece->first);
        std::memcpy(bytes + at, &address, sizeof address);
      }
    }
    return there;
  }

  void bring_back() {
    for (const auto& [first, piece] : pieces_) {
      std::vector<std::byte> all(piece.bytes + 2 * guard_);
      device_.copy(all.data(), piece.memory, all.size(), stream_);
      device_.synchronise(stream_);
      check_guards(all);
      std::memcpy(reinterpret_cast<void*>(first), all.data() + guard_, piece.bytes);
    }
  }

 private:
  struct Piece {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };

  std::byte* place_of(const HostPiece& piece) {
    const auto [found, is_new] = pieces_.try_emplace(piece.first);
    if (is_new) found->second = sent(piece);
    return static_cast<std::byte*>(found->second.memory) + guard_;
  }

  Piece sent(const HostPiece& piece) {
    std::vector<std::byte> all(piece.bytes + 2 * guard_, guard_pattern);
    std::memcpy(all.data() + guard_, reinterpret_cast<const void*>(piece.first), piece.bytes);
    void* const memory = device_.allocate(std::max<std::size_t>(all.size(), 1));
    if (memory == nullptr) throw std::runtime_error("the device has no memory left");
    device_.copy(memory, all.data(), all.size(), stream_);
    return {memory, piece.bytes};
  }

  void check_guards(const std::vector<std::byte>& all) const {
    const auto is_whole = [](std::byte value) { return value == guard_pattern; };
    const auto guard = static_cast<std::ptrdiff_t>(guard_);
    if (!std::all_of(all.begin(), all.begin() + guard, is_whole))
      throw std::runtime_error("a kernel wrote before the begin of its memory");
    if (!std::all_of(all.end() - guard, all.end(), is_whole))
      throw std::runtime_error("a kernel wrote beyond the end of its memory");
  }

  Device& device_;
  const Stream& stream_;
  std::size_t guard_;
  std::map<std::uintptr_t, Piece> pieces_;  // by their first address on the host
};

// A GPU's kernels cannot read the starts before they run (kernels/attention.h).
void tell_rows(AttentionLayout& shape) {
  if (shape.query_rows < 0) shape.query_rows = shape.query_starts[shape.sequences];
  if (shape.key_rows < 0) shape.key_rows = shape.key_starts[shape.sequences];
}
template <class Arguments>
void tell_rows(Arguments& arguments) {
  if constexpr (requires { arguments.shape.query_starts; }) tell_rows(arguments.shape);
}

class StagedKernels : public Kernels,
                      private Float8Kernels,
                      private CosineKernels,
                      private ReplicatorKernels {
 public:
  StagedKernels(Device& device, std::unique_ptr<Kernels> there, Guards guards)
      : device_(device), stream_(device.make_stream()), there_(std::move(there)), guards_(guards) {}
  ~StagedKernels() override {
    there_.reset();
    device_.destroy(stream_);
  }

#define QUINTET_OPERATOR(name, Arguments)                    \
  void name(const kernels::Arguments& a, Stream&) override { \
    run(a, *there_, &Kernels::name);                         \
  }
#include "kernels/operators.inc"
  QUINTET_OPERATOR(gemm_gelu, GemmGelu)
  QUINTET_OPERATOR(gemm_gelu_backward, GemmGeluBackward)
  QUINTET_OPERATOR(gemm_bias_gradient, GemmBiasGradient)
  QUINTET_OPERATOR(layer_norm_gradient, LayerNormGradient)
  QUINTET_OPERATOR(rms_norm_gradient, RmsNormGradient)
#undef QUINTET_OPERATOR

  bool fuses_products() const override {
    return there_->fuses_products();
  }

  Float8Kernels* on_float8() override {
    return there_->on_float8() == nullptr ? nullptr : this;
  }
  CosineKernels* on_cosines() override {
    return there_->on_cosines() == nullptr ? nullptr : this;
  }
  ReplicatorKernels* on_replicators() override {
    return there_->on_replicators() == nullptr ? nullptr : this;
  }

 private:
#define QUINTET_STAGED(part, Part, name, Arguments)          \
  void name(const kernels::Arguments& a, Stream&) override { \
    run(a, *there_->part(), &Part::name);                    \
  }
  QUINTET_STAGED(on_float8, Float8Kernels, absolute_maximum, AbsoluteMaximum)
  QUINTET_STAGED(on_float8, Float8Kernels, roll_maxima, RollMaxima)
  QUINTET_STAGED(on_float8, Float8Kernels, quantise, Quantise)
  QUINTET_STAGED(on_float8, Float8Kernels, dequantise, Dequantise)
  QUINTET_STAGED(on_float8, Float8Kernels, float8_gemm, Float8Gemm)
  QUINTET_STAGED(on_cosines, CosineKernels, cosine_transform, CosineTransform)
  QUINTET_STAGED(on_cosines, CosineKernels, largest_coefficients, LargestCoefficients)
  QUINTET_STAGED(on_cosines, CosineKernels, mean_of_coefficients, MeanOfCoefficients)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, momentum_add, MomentumAdd)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, subtract, Subtract)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, pack_positions, PackPositions)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, unpack_positions, UnpackPositions)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, draw_positions, DrawPositions)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, stride_positions, StridePositions)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, take_elements, TakeElements)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, put_elements, PutElements)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, merged_gradient, MergedGradient)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, outer_difference, OuterDifference)
  QUINTET_STAGED(on_replicators, ReplicatorKernels, outer_step, OuterStep)
#undef QUINTET_STAGED

  template <class Arguments, class Part>
  void run(const Arguments& given, Part& part, void (Part::*operation)(const Arguments&, Stream&)) {
    Arguments arguments = given;
    tell_rows(arguments);
    Staging staging(device_, stream_, guards_);
    (part.*operation)(staging.moved(arguments), stream_);
    staging.bring_back();
  }

  Device& device_;
  Stream stream_;
  std::unique_ptr<Kernels> there_;
  Guards guards_;
};

}  // namespace

std::unique_ptr<Kernels> staged_kernels(Device& device, std::unique_ptr<Kernels> there,
                                        Guards guards) {
  return std::make_unique<StagedKernels>(device, std::move(there), guards);
}

}  // namespace quintet::gpu_tests
