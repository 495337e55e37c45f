// The GPU's part, found and loaded when a program first asks for a GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/activity_recorder.h"
#include "kernels/device.h"
#include "sim/base/result.h"

namespace quintet::engine {

// Where libquintet_cuda.so may lie, best first: what the environment variable QUINTET_CUDA_MODULE
// names, and nothing else if it is set; beside the program; in ../lib/quintet from there.
std::vector<std::string> gpu_module_places();

// GPU `number` of those that CUDA_VISIBLE_DEVICES leaves. An error says in plain words why there is
// none. The module stays loaded. CUDA_DEVICE_MAX_CONNECTIONS becomes the most there can be, 32.
Result<std::unique_ptr<kernels::Device>> open_gpu(int number);

// What is said of a CUDA_DEVICE_MAX_CONNECTIONS that was given before a GPU was first asked for,
// and is not kept: with fewer connections streams share them, and what waits for another rank holds
// up what that rank waits for. Nothing: it was not given, or asks for as many.
std::optional<std::string> connections_remark(const std::optional<std::string>& given);

// How many there are; an error, in plain words, where there is none.
Result<int> found_gpus();

// 0 where there is none, or no module.
int count_gpus();

// What records the work of the GPUs that this process uses; best before the first is opened.
kernels::OpenedRecorder open_gpu_recorder();

}  // namespace quintet::engine
