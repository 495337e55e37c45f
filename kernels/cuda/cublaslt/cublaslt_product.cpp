#include "kernels/cuda/cublaslt/cublaslt_product.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace quintet::kernels::cuda {

namespace {

Owned<cublasLtContext> make_handle(const CublasLtFunctions& lt) {
  cublasLtHandle_t made = nullptr;
  check(lt.create(&made), "its start");
  return {made, lt.destroy};
}

ProductAlgorithm guessed(const cublasLtMatmulHeuristicResult_t& guess) {
  return {guess.algo, guess.workspaceSize, Choice::guessed};
}

// Where timed runs of an accumulating product write, so that what is there is added to once.
class OtherResult {
 public:
  OtherResult(ProductBench& bench, const LibraryProduct& product) : bench_(bench) {
    const bool adds = product.shape.write == GradientWrite::accumulate;
    if (adds) own_ = bench.allocate(result_bytes(product.shape));
    memory_ = adds ? own_ : product.memory.result;
  }
  OtherResult(const OtherResult&) = delete;
  OtherResult& operator=(const OtherResult&) = delete;
  ~OtherResult() {
    if (own_ != nullptr) bench_.free(own_);
  }
  void* memory() const { return memory_; }  // nullptr: there was none left

 private:
  ProductBench& bench_;
  void* own_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace

struct CublasLtProduct::Multiplication {
  const LibraryProduct& product;
  Descriptors& descriptors;
  Workspace workspace;
  const Stream& stream;

  cublasStatus_t run(cublasLtHandle_t handle, const ProductAlgorithm& with, void* result) const {
    return descriptors.multiply(handle, product.memory, result, with.algorithm, workspace.memory,
                                workspace.bytes, static_cast<cudaStream_t>(stream.handle));
  }
};

CublasLtProduct::CublasLtProduct(const CublasLtFunctions& lt, AlgorithmCache& cache,
                                 std::unique_ptr<ProductBench> bench, Tuning tuning)
    : lt_(lt), cache_(cache), bench_(std::move(bench)), tuning_(tuning), handle_(make_handle(lt)) {}

CublasLtProduct::~CublasLtProduct() = default;

bool CublasLtProduct::run(const std::optional<LibraryProduct>& product, const Stream& stream) {
  if (!product || impossible_.contains(product->shape)) return false;
  const Multiplication task{*product, descriptors_of(product->shape), bench_->workspace(stream),
                            stream};
  task.descriptors.set(product->memory);
  const auto algorithm = choose(task);
  if (!algorithm) return false;
  check(task.run(handle_.get(), *algorithm, product->memory.result), "a product");
  return true;
}

Descriptors& CublasLtProduct::descriptors_of(const ProductShape& shape) {
  const auto found = descriptors_.find(shape);
  if (found != descriptors_.end()) return found->second;
  return descriptors_.emplace(shape, Descriptors(lt_, shape)).first->second;
}

std::optional<ProductAlgorithm> CublasLtProduct::choose(const Multiplication& task) {
  const bool can_measure = tuning_ == Tuning::measure && !bench_->is_capturing(task.stream);
  const auto kept = cache_.find(task.product.shape);
  if (kept && kept->workspace_bytes <= task.workspace.bytes &&
      (kept->by == Choice::measured || !can_measure))
    return kept;
  const Guesses guesses =
      task.descriptors.candidates(handle_.get(), most_guesses, task.workspace.bytes);
  if (guesses.empty() && task.workspace.bytes > 0) impossible_.insert(task.product.shape);
  if (guesses.empty()) return std::nullopt;
  const auto chosen = can_measure ? fastest(task, guesses) : guessed(guesses.front());
  if (chosen) cache_.keep(task.product.shape, *chosen);
  return chosen;
}

// The first guess where there is no memory to measure in.
std::optional<ProductAlgorithm> CublasLtProduct::fastest(const Multiplication& task,
                                                         const Guesses& guesses) {
  const OtherResult result(*bench_, task.product);
  std::optional<ProductAlgorithm> best;
  if (result.memory() == nullptr) best = guessed(guesses.front());
  double best_seconds = std::numeric_limits<double>::infinity();
  for (const auto& guess : guesses) {
    if (result.memory() == nullptr) break;
    const auto seconds = seconds_of(task, guessed(guess), result.memory());
    if (!seconds || *seconds >= best_seconds) continue;
    best_seconds = *seconds;
    best = guessed(guess);
  }
  if (best) best->by = Choice::measured;
  return best;
}

// Nothing where the algorithm does not run here after all.
std::optional<double> CublasLtProduct::seconds_of(const Multiplication& task,
                                                  const ProductAlgorithm& algorithm, void* result) {
  if (task.run(handle_.get(), algorithm, result) != CUBLAS_STATUS_SUCCESS) return std::nullopt;
  double fastest = std::numeric_limits<double>::infinity();
  for (int timed = 0; timed < timed_runs; ++timed) {
    const auto queue_work = [&] { check(task.run(handle_.get(), algorithm, result), "a product"); };
    fastest = std::min(fastest, bench_->seconds_of(queue_work, task.stream));
  }
  return fastest;
}

}  // namespace quintet::kernels::cuda
