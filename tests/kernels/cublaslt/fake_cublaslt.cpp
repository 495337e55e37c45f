#include "tests/kernels/cublaslt/fake_cublaslt.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "kernels/cuda/cublaslt_functions.h"
#include "kernels/cuda/cublaslt_product.h"
#include "tests/kernels/cublaslt/fake_matrices.h"

namespace quintet::kernels::cuda {

namespace {

FakeCublasLt* running = nullptr;

struct Layout {
  cudaDataType_t type;
  std::uint64_t rows, columns;
  std::int64_t stride;
  std::size_t place(std::size_t row, std::size_t column) const {
    return column * static_cast<std::size_t>(stride) + row;
  }
};

using Attributes = std::map<int, std::vector<char>>;

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

template <class Value>
Value attribute(const Attributes& of, int name, Value otherwise) {
  const auto found = of.find(name);
  if (found != of.end()) std::memcpy(&otherwise, found->second.data(), sizeof otherwise);
  return otherwise;
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

// A matrix of `lines` (M or N) by depth (K).
struct Operand {
  const Layout& layout;
  const void* memory;
  bool depth_lies_together;
  const float* scales;
  std::int32_t scaling;
  std::uint64_t depth, lines;

  double at(std::size_t line, std::size_t k) const {
    const auto place = depth_lies_together ? layout.place(k, line) : layout.place(line, k);
    return fake::read(layout.type, memory, place) * scale(line, k);
  }
  // The manual's "Scaling factors layouts".
  double scale(std::size_t line, std::size_t k) const {
    if (scales == nullptr) return 1.0;
    const std::size_t blocks = (depth + 127) / 128, padded = (blocks + 3) / 4 * 4;
    std::size_t place = 0;
    if (scaling == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F) place = k / 128 * lines + line;
    if (scaling == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F)
      place = line / 128 * padded + k / 128;
    return static_cast<double>(scales[place]);
  }
};

// One call of cublasLtMatmul().
struct Product {
  const Attributes& operation;
  const Layout &left, &right, &result;
  const void *a, *b;
  const void* c;
  void* d;
  double alpha, beta;

  bool turned(int name) const { return attribute<std::int32_t>(operation, name, 0) == CUBLAS_OP_T; }
  bool left_turned() const { return turned(CUBLASLT_MATMUL_DESC_TRANSA); }
  bool right_turned() const { return turned(CUBLASLT_MATMUL_DESC_TRANSB); }
  std::uint32_t epilogue() const {
    return attribute<std::uint32_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                    CUBLASLT_EPILOGUE_DEFAULT);
  }
  void* vector() const {
    return attribute<void*>(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr);
  }
  void* beside() const {
    return attribute<void*>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, nullptr);
  }
  std::int64_t stride_beside() const {
    return attribute<std::int64_t>(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 0);
  }
  std::uint64_t depth() const { return left_turned() ? left.rows : left.columns; }

  Operand left_operand() const {
    return {left,           a,       left_turned(), scales_of(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER),
            left_scaling(), depth(), result.rows};
  }
  Operand right_operand() const {
    return {
        right,           b,       !right_turned(), scales_of(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER),
        right_scaling(), depth(), result.columns};
  }
  const float* scales_of(int name) const {
    return attribute<const float*>(operation, name, nullptr);
  }
  std::int32_t left_scaling() const {
    return attribute<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, 0);
  }
  std::int32_t right_scaling() const {
    return attribute<std::int32_t>(operation, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, 0);
  }
  double sum(std::size_t row, std::size_t column) const {
    const Operand rows = left_operand(), columns = right_operand();
    double total = 0.0;
    for (std::size_t k = 0; k < rows.depth; ++k) total += rows.at(row, k) * columns.at(column, k);
    return total;
  }
};

bool sizes_agree(const Product& p) {
  const std::uint64_t rows = p.left_turned() ? p.left.columns : p.left.rows;
  const std::uint64_t columns = p.right_turned() ? p.right.rows : p.right.columns;
  const std::uint64_t depth = p.right_turned() ? p.right.columns : p.right.rows;
  const auto lines_fit = [](const Layout& l) {
    return static_cast<std::uint64_t>(l.stride) >= l.rows;
  };
  return rows == p.result.rows && columns == p.result.columns && depth == p.depth() &&
         lines_fit(p.left) && lines_fit(p.right) && lines_fit(p.result);
}

bool is_float8(cudaDataType_t type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

// The manual on 8 bits on Hopper.
bool float8_is_supported(const Product& p) {
  const auto a = p.left_scaling(), b = p.right_scaling();
  const bool both_squares = a == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F && a == b;
  const bool one_whole = (a == 0) != (b == 0);
  const bool both_e5m2 = p.left.type == CUDA_R_8F_E5M2 && p.right.type == CUDA_R_8F_E5M2;
  return is_float8(p.right.type) && p.left_turned() && !p.right_turned() && !both_squares &&
         !one_whole && !both_e5m2 && p.depth() % 16 == 0 && p.left.stride % 16 == 0 &&
         p.right.stride % 16 == 0;
}

// The manual's tables for regular matrices.
bool types_are_supported(const Product& p) {
  if (is_float8(p.left.type)) return float8_is_supported(p);
  if (p.left.type != p.right.type) return false;
  return p.result.type == CUDA_R_32F ||
         (p.left.type == CUDA_R_16BF && p.result.type == CUDA_R_16BF);
}

bool beside_is_supported(const Product& p) {
  const auto rows = static_cast<std::int64_t>(p.result.rows);
  return (p.epilogue() & 128U) == 0 ||
         (p.stride_beside() % 8 == 0 && p.stride_beside() >= rows && p.beside() != nullptr);
}

// The bias, and all that is done to one element.
void write_element(const Product& p, std::size_t row, std::size_t column) {
  const std::uint32_t epilogue = p.epilogue();
  const auto beside_at = column * static_cast<std::size_t>(p.stride_beside()) + row;
  double value = p.alpha * p.sum(row, column);
  if (p.beta != 0.0) value += p.beta * fake::read(p.result.type, p.c, p.result.place(row, column));
  if ((epilogue & CUBLASLT_EPILOGUE_BIAS) != 0) value += fake::read(p.result.type, p.vector(), row);
  if (epilogue == CUBLASLT_EPILOGUE_DGELU)
    value *= fake::gelu_slope(fake::read(p.result.type, p.beside(), beside_at));
  if (epilogue == CUBLASLT_EPILOGUE_GELU_AUX || epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS) {
    fake::write(p.result.type, p.beside(), beside_at, value);
    value = fake::gelu(value);
  }
  fake::write(p.result.type, p.d, p.result.place(row, column), value);
}

// Sums over depth of the left factor's rows, or of the right one's columns.
void write_bias_gradient(const Product& p) {
  const bool of_left = p.epilogue() == CUBLASLT_EPILOGUE_BGRADA;
  if (!of_left && p.epilogue() != CUBLASLT_EPILOGUE_BGRADB) return;
  const Operand summed = of_left ? p.left_operand() : p.right_operand();
  for (std::size_t i = 0; i < summed.lines; ++i) {
    double total = 0.0;
    for (std::size_t k = 0; k < summed.depth; ++k) total += summed.at(i, k);
    fake::write(p.result.type, p.vector(), i, total);
  }
}

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
  for (std::size_t column = 0; column < p.result.columns; ++column)
    for (std::size_t row = 0; row < p.result.rows; ++row) write_element(p, row, column);
  write_bias_gradient(p);
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
  CublasLtProduct product_{library_.functions(), cache_, std::make_unique<FakeBench>(library_)};
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
