// Records through CUPTI's activity API what the GPUs of this process do.
//
// It subscribes too: that CUPTI is another tool's is known at once, and callbacks tell which node
// of a captured graph comes from which purpose, since records of a launched graph name only the
// launch and the node.
#pragma once

#include "kernels/activity_recorder.h"
#include "kernels/cuda/cupti/cupti_functions.h"
#include "kernels/cuda/cupti/record_buffers.h"

namespace quintet::kernels::cuda {

// The functions must stay valid. At most one recorder at a time (CUPTI hands its callbacks no
// pointer of ours); best before the process's first CUDA context.
OpenedRecorder make_cupti_recorder(const CuptiFunctions& cupti, const BufferCount& count = {});

}  // namespace quintet::kernels::cuda
