// A rank of a job with a GPU of its own, for measuring: opened when rank 0 asks first.
#pragma once

#include <memory>
#include <vector>

#include "calibrate/ranks/rank_tasks.h"

namespace quintet::calibrate {

// What ranks with GPUs can be asked for: all of NCCL's where its tuner plugin lies beside this
// program.
std::vector<Method> methods_of_gpu_ranks();

// Rank r of a machine uses GPU r of those that CUDA_VISIBLE_DEVICES leaves. Its first task, which
// all ranks get together, opens the GPU and NCCL; it fails where ranks share a GPU: their times
// would mean nothing. The transport must outlive it.
std::unique_ptr<TimingWork> gpu_timing_work(engine::Transport& transport, JobSeats job,
                                            int local_rank);

}  // namespace quintet::calibrate
