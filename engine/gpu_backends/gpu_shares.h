// Which ranks of a job share a GPU.
#pragma once

#include <string>

#include "engine/peers/peers.h"

namespace quintet::engine {

// The GPU of a machine of that many that a rank uses: one for each as far as they go.
int gpu_of(int local_rank, int gpus);

struct GpuShare {
  int most = 1;       // ranks on one GPU, anywhere in the job
  bool first = true;  // of those on this rank's
  bool operator==(const GpuShare&) const = default;
};

// All ranks together, each with its GPU's identity (kernels/device.h).
Result<GpuShare> found_share(Peers& peers, const std::string& identity);

// This identifies the machine that this process runs on, whatever host or namespace it calls
// itself.
std::string machine_identity();

}  // namespace quintet::engine
