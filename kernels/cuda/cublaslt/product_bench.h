// What the choice among a library's algorithms needs of the GPU: memory and a watch. Tests have one
// of their own.
#pragma once

#include <cstddef>
#include <functional>

#include "kernels/types.h"

namespace quintet::kernels::cuda {

struct Workspace {
  void* memory = nullptr;  // on 256 bytes
  std::size_t bytes = 0;
};

class ProductBench {
 public:
  ProductBench() = default;
  ProductBench(const ProductBench&) = delete;
  ProductBench& operator=(const ProductBench&) = delete;
  virtual ~ProductBench() = default;

  virtual bool is_capturing(const Stream&) = 0;
  // The stream's own, for one product after the other; of 0 bytes while capturing where there was
  // none before.
  virtual Workspace workspace(const Stream&) = 0;
  // nullptr where there is not that much left.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void free(void* memory) = 0;
  // What the work that is queued takes on the GPU; waits for it.
  virtual double seconds_of(const std::function<void()>& queue_work, const Stream&) = 0;
};

}  // namespace quintet::kernels::cuda
