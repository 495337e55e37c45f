// What records the GPUs' work: CUPTI, where this was built with its header and it lets itself be
// used here.
#pragma once

#include "kernels/activity_recorder.h"

namespace quintet::kernels::cuda {

// By cupti_recorder.cpp, or by without_cupti.cpp.
OpenedRecorder open_recorder();

}  // namespace quintet::kernels::cuda
