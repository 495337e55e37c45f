// A device's kernels for callers whose memory is the host's: every operator's arguments are moved
// to the device, each piece of memory whole, and back when it is done. Lets the operators' tests
// (tests/kernels) run on a GPU as they are.
#pragma once

#include <memory>

#include "kernels/device.h"

namespace quintet::gpu_tests {

enum class Guards {
  none,     // pieces have their exact size: compute-sanitizer sees what goes beyond
  checked,  // a pattern before and after each piece; std::runtime_error where it was written over
};

// The device outlives them.
std::unique_ptr<kernels::Kernels> staged_kernels(kernels::Device& device,
                                                 std::unique_ptr<kernels::Kernels> kernels,
                                                 Guards guards);

}  // namespace quintet::gpu_tests
