// The operators' tests on GPU 0. QUINTET_GUARDS=none gives every piece its exact size, for
// compute-sanitizer.
#include <cstdlib>
#include <string_view>

#include "engine/device/gpu_module.h"
#include "tests/gpu/operators/staged_kernels.h"
#include "tests/kernels/support.h"

namespace quintet::kernels {

namespace {

gpu_tests::Guards wanted_guards() {
  const char* const named = std::getenv("QUINTET_GUARDS");
  return named != nullptr && std::string_view(named) == "none" ? gpu_tests::Guards::none
                                                               : gpu_tests::Guards::checked;
}

Device* gpu() {
  static const Result<std::unique_ptr<Device>> only = engine::open_gpu(0);
  return only ? only->get() : nullptr;
}

std::unique_ptr<Kernels> make() {
  return gpu_tests::staged_kernels(*gpu(), gpu()->make_kernels(), wanted_guards());
}

}  // namespace

std::vector<Implementation> implementations() {
  if (gpu() == nullptr) return {{"cuda", {}, Sums::split_exactly}};
  const bool own_products = gpu()->properties().matrix_product.rfind("our own", 0) == 0;
  return {{"cuda", make, own_products ? Sums::split_exactly : Sums::any}};
}

}  // namespace quintet::kernels
