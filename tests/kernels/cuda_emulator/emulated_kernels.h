// The GPU's kernels on the emulator, for tests that see the toolkit's own headers.
#pragma once

#include <memory>

#include "kernels/kernels.h"

namespace quintet::kernels {

std::unique_ptr<Kernels> emulated_cuda_kernels();

}  // namespace quintet::kernels
