#include "tests/stand_ins/fake_cublaslt.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "kernels/cuda/cublaslt/cublaslt_functions.h"
#include "kernels/cuda/cublaslt/cublaslt_product.h"
#include "tests/stand_ins/fake_product.h"

namespace quintet::kernels::cuda {

namespace {

using fake::attribute, fake::Attributes, fake::Layout, fake::Product;

FakeCublasLt* running = nullptr;

// Sizes by the comments of cublasLt.h.
const std::map<int, std::size_t>& operation_sizes() {
  static const std::map<int, std::size_t> sizes{{CUBLASLT_MATMUL_DESC_TRANSA, 4},
                                                {CUBLASLT_MATMUL_DESC_TRANSB, 4},
                                                {CUBLASLT_MATMUL_DESC_EPILOGUE, 4},
                                                {CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8},
                                                {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, 8},
                                                {CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 8},
                                                {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, 8},
                                                {CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, 8},
                                                {CUBLASLT_MATMUL_DESC_A_SCALE_MODE, 4},
                                                {CUBLASLT_MATMUL_DESC_B_SCALE_MODE, 4}};
  return sizes;
}
const std::map<int, std::size_t>& preference_sizes() {
  static const std::map<int, std::size_t> sizes{{CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 8},
                                                {CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 4},
                                                {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 4},
                                                {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 4},
                                                {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 4},
                                                {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 4}};
  return sizes;
}

template <class Real, class Handle>
Real& real(Handle handle) {
  return *reinterpret_cast<Real*>(handle);
}

template <class Real, class Handle, class... Arguments>
cublasStatus_t make(Handle* made, Arguments... arguments) {
  ++running->descriptors_alive;
  *made = reinterpret_cast<Handle>(std::make_unique<Real>(Real{arguments...}).release());
  return CUBLAS_STATUS_SUCCESS;
}
template <class Real, class Handle>
cublasStatus_t destroy(Handle made) {
  --running->descriptors_alive;
  const std::unique_ptr<Real> ended(reinterpret_cast<Real*>(made));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set(Attributes& of, const std::map<int, std::size_t>& sizes, int name,
                   const void* value, std::size_t bytes) {
  const auto size = sizes.find(name);
  if (size == sizes.end() || size->second != bytes) return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const from = static_cast<const char*>(value);
  of[name].assign(from, from + bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// What a guess keeps in cublasLtMatmulAlgo_t's 64 bytes: its number, the alignments it relies on.
struct Guess {
  std::uint64_t number;
  std::uint64_t alignments[4];
};

bool aligned(const Guess& guess, const Product& p) {
  const void* const memory[4] = {p.a, p.b, p.c, p.d};
  return std::equal(memory, memory + 4, guess.alignments, [](const void* at, std::uint64_t to) {
    return reinterpret_cast<std::uintptr_t>(at) % to == 0;
  });
}

cublasStatus_t fake_multiply(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha,
                             const void* a, cublasLtMatrixLayout_t left, const void* b,
                             cublasLtMatrixLayout_t right, const void* beta, const void* c,
                             cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t result,
                             const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                             std::size_t workspace_bytes, cudaStream_t) {
  const Product p{real<Attributes>(operation),
                  real<Layout>(left),
                  real<Layout>(right),
                  real<Layout>(result),
                  a,
                  b,
                  c,
                  d,
                  static_cast<double>(*static_cast<const float*>(alpha)),
                  static_cast<double>(*static_cast<const float*>(beta))};
  Guess guess{};
  std::memcpy(&guess, algorithm, sizeof guess);
  const int number = static_cast<int>(guess.number);
  running->multiplied.push_back(number);
  running->results.push_back(d);
  const auto& failing = running->guesses_that_fail;
  if (std::find(failing.begin(), failing.end(), number) != failing.end())
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (workspace == nullptr || workspace_bytes < running->workspace_of_guesses || !sizes_agree(p) ||
      !aligned(guess, p))
    return CUBLAS_STATUS_INVALID_VALUE;
  carry_out(p);
  return CUBLAS_STATUS_SUCCESS;
}

Guess guess_of(const Attributes& preference, std::uint64_t number) {
  Guess guess{number, {}};
  for (int matrix = 0; matrix < 4; ++matrix)
    guess.alignments[matrix] = attribute<std::uint32_t>(
        preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES + matrix, 256);
  return guess;
}

cublasStatus_t fake_heuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                              cublasLtMatrixLayout_t left, cublasLtMatrixLayout_t right,
                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t result,
                              cublasLtMatmulPreference_t preference, int most,
                              cublasLtMatmulHeuristicResult_t found[], int* count) {
  ++running->times_asked;
  *count = 0;
  const Product p{real<Attributes>(operation),
                  real<Layout>(left),
                  real<Layout>(right),
                  real<Layout>(result),
                  nullptr,
                  nullptr,
                  nullptr,
                  nullptr,
                  1.0,
                  0.0};
  const auto& wishes = real<Attributes>(preference);
  running->reduction_schemes =
      attribute<std::uint32_t>(wishes, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 7);
  const auto workspace =
      attribute<std::uint64_t>(wishes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 0);
  if (!sizes_agree(p)) return CUBLAS_STATUS_INVALID_VALUE;
  if (!types_are_supported(p) || !beside_is_supported(p) ||
      workspace < running->workspace_of_guesses)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto guesses = static_cast<int>(running->seconds_of_guess.size());
  for (; *count < std::min(most, guesses); ++*count) {
    const Guess guess = guess_of(wishes, static_cast<std::uint64_t>(*count));
    std::memcpy(&found[*count].algo, &guess, sizeof guess);
    found[*count].workspaceSize = running->workspace_of_guesses;
    found[*count].state = CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}

CublasLtFunctions fake_functions() {
  CublasLtFunctions lt;
  lt.version = [] { return std::size_t{130001}; };
  lt.create = [](cublasLtHandle_t* made) { return make<int>(made, 0); };
  lt.destroy = [](cublasLtHandle_t handle) { return destroy<int>(handle); };
  lt.operation_create = [](cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                           cudaDataType_t scale) {
    if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
    return make<Attributes>(made);
  };
  lt.operation_destroy = [](cublasLtMatmulDesc_t made) { return destroy<Attributes>(made); };
  lt.operation_set = [](cublasLtMatmulDesc_t of, cublasLtMatmulDescAttributes_t name,
                        const void* value, std::size_t bytes) {
    return set(real<Attributes>(of), operation_sizes(), name, value, bytes);
  };
  lt.layout_create = [](cublasLtMatrixLayout_t* made, cudaDataType type, std::uint64_t rows,
                        std::uint64_t columns, std::int64_t stride) {
    return make<Layout>(made, type, rows, columns, stride);
  };
  lt.layout_destroy = [](cublasLtMatrixLayout_t made) { return destroy<Layout>(made); };
  lt.preference_create = [](cublasLtMatmulPreference_t* made) { return make<Attributes>(made); };
  lt.preference_destroy = [](cublasLtMatmulPreference_t made) { return destroy<Attributes>(made); };
  lt.preference_set = [](cublasLtMatmulPreference_t of, cublasLtMatmulPreferenceAttributes_t name,
                         const void* value, std::size_t bytes) {
    return set(real<Attributes>(of), preference_sizes(), name, value, bytes);
  };
  lt.heuristic = fake_heuristic;
  lt.multiply = fake_multiply;
  return lt;
}

// Library, cache and product in one, for tests that only multiply.
class ProductOnFake : public MatrixProduct {
 public:
  bool multiply(const Gemm& g, const Stream& s) override { return product_.multiply(g, s); }
  bool multiply(const GemmGelu& g, const Stream& s) override { return product_.multiply(g, s); }
  bool multiply(const GemmGeluBackward& g, const Stream& s) override {
    return product_.multiply(g, s);
  }
  bool multiply(const GemmBiasGradient& g, const Stream& s) override {
    return product_.multiply(g, s);
  }
  bool multiply(const Float8Gemm& g, const Stream& s) override { return product_.multiply(g, s); }

 private:
  FakeCublasLt library_;
  AlgorithmCache cache_;
  // One guess and no timed runs, each of which would multiply too.
  CublasLtProduct product_{library_.functions(), cache_, std::make_unique<FakeBench>(library_),
                           Tuning::first_guess};
};

}  // namespace

FakeCublasLt::FakeCublasLt() {
  running = this;
}

FakeCublasLt::~FakeCublasLt() {
  running = nullptr;
}

const CublasLtFunctions& FakeCublasLt::functions() const {
  static const CublasLtFunctions functions = fake_functions();
  return functions;
}

void* FakeBench::allocate(std::size_t bytes) {
  if (!memory_left) return nullptr;
  allocated += bytes;
  std::vector<char> piece(bytes + 256);
  void* memory = piece.data() + (256 - reinterpret_cast<std::uintptr_t>(piece.data()) % 256);
  pieces_.emplace(memory, std::move(piece));
  return memory;
}

void FakeBench::free(void* memory) {
  pieces_.erase(memory);
}

double FakeBench::seconds_of(const std::function<void()>& queue_work, const Stream&) {
  queue_work();
  return library_.seconds_of_guess[static_cast<std::size_t>(library_.multiplied.back())];
}

std::unique_ptr<MatrixProduct> product_on_fake() {
  return std::make_unique<ProductOnFake>();
}

}  // namespace quintet::kernels::cuda
