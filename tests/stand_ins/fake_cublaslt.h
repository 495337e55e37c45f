// A stand-in for cuBLASLt that multiplies on the CPU from nothing but the descriptors it was given,
// by columns, as the manual says: a wrong stride, transposition, type or epilogue gives a wrong
// product. It refuses what the manual says is refused, attributes of a wrong size too.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "kernels/cuda/cublaslt/product_bench.h"

namespace quintet::kernels::cuda {

struct CublasLtFunctions;
class MatrixProduct;

// What the stand-in does and what was asked of it. One at a time: the library's functions are plain
// functions and find it in a variable.
class FakeCublasLt {
 public:
  FakeCublasLt();
  FakeCublasLt(const FakeCublasLt&) = delete;
  FakeCublasLt& operator=(const FakeCublasLt&) = delete;
  ~FakeCublasLt();

  const CublasLtFunctions& functions() const;

  // Guesses it has, and what each takes.
  std::vector<double> seconds_of_guess{3.0, 1.0, 2.0};
  std::vector<int> guesses_that_fail{};
  std::size_t workspace_of_guesses = 1024;

  int times_asked = 0;            // for guesses
  std::vector<int> multiplied{};  // the guess of each product
  std::vector<void*> results{};   // where each product was written
  std::size_t descriptors_alive = 0;
  unsigned reduction_schemes = 0;  // that were allowed last
};

// Times by FakeCublasLt::seconds_of_guess.
class FakeBench : public ProductBench {
 public:
  explicit FakeBench(FakeCublasLt& library) : library_(library) {}

  bool is_capturing(const Stream&) override { return capturing; }
  Workspace workspace(const Stream&) override { return {workspace_.data(), workspace_.size()}; }
  void* allocate(std::size_t bytes) override;
  void free(void* memory) override;
  double seconds_of(const std::function<void()>& queue_work, const Stream&) override;

  bool capturing = false;
  bool memory_left = true;
  std::size_t allocated = 0;

 private:
  FakeCublasLt& library_;
  std::vector<char> workspace_ = std::vector<char>(4096);
  std::map<void*, std::vector<char>> pieces_;
};

// cuBLASLt's product over a stand-in of its own.
std::unique_ptr<MatrixProduct> product_on_fake();

}  // namespace quintet::kernels::cuda
