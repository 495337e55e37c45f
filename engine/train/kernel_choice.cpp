#include "engine/train/kernel_choice.h"

#include "kernels/kernels.h"

namespace quintet::engine {

namespace {

std::unique_ptr<kernels::Kernels> kernels_of(KernelChoice choice, int threads) {
  switch (choice) {
    case KernelChoice::reference:
      return kernels::reference_kernels();
    case KernelChoice::fast:
      return kernels::fast_kernels();
    case KernelChoice::onednn:
      return kernels::onednn_kernels(threads);
  }
  return nullptr;
}

}  // namespace

std::string name_of(KernelChoice choice) {
  switch (choice) {
    case KernelChoice::reference:
      return "reference";
    case KernelChoice::fast:
      return "fast";
    case KernelChoice::onednn:
      return "onednn";
  }
  return "";
}

Result<std::unique_ptr<kernels::Kernels>> make_kernels(KernelChoice choice, int threads) {
  if (auto wrong = kernels::wrong_cpu_limit()) return Error{"environment", *std::move(wrong)};
  std::unique_ptr<kernels::Kernels> made = kernels_of(choice, threads);
  if (!made)
    return Error{"--kernels onednn",
                 "this build has no oneDNN; use fast or reference, or build again where it is "
                 "(Debian: apt-get install libdnnl-dev ocl-icd-opencl-dev)"};
  return made;
}

}  // namespace quintet::engine
