#include "engine/device/gpu_module.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <filesystem>

#include "kernels/gpu_module.h"
#include "sim/base/own_program.h"

namespace quintet::engine {

namespace {

constexpr const char* all_connections = "32";  // the most that CUDA makes

namespace fs = std::filesystem;
using kernels::cuda::FoundGpus;
using kernels::cuda::Module;

Result<const Module*> load(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{path, dlerror()};
  void* const symbol = dlsym(library, kernels::cuda::module_symbol);
  if (symbol == nullptr) return Error{path, "is not Quintet's GPU module"};
  const Module* const module = reinterpret_cast<const Module* (*)()>(symbol)();
  if (module->version != kernels::cuda::module_version)
    return Error{path, "belongs to another build of Quintet (interface " +
                           std::to_string(module->version) + ", not " +
                           std::to_string(kernels::cuda::module_version) + ")"};
  return module;
}

Result<const Module*> find_module() {
  const std::vector<std::string> places = gpu_module_places();
  for (const std::string& place : places)
    if (fs::exists(place)) return load(place);
  std::string looked;
  for (const std::string& place : places) looked += (looked.empty() ? "" : " or ") + place;
  return Error{"", "this build has no GPU module: there is no " + looked +
                       " (it is built where CMake finds CUDA 13)"};
}

// A rank has a stream for each lane, and NCCL some of its own: where streams share one of the 8
// connections that CUDA makes otherwise, work that waits for another rank holds up the other
// stream.
// Megatron's habit, 1, orders kernels of one process by it; here events do.
void ask_for_connections() {
  constexpr int replace_what_is_set = 1;
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", all_connections, replace_what_is_set);
}

}  // namespace

std::optional<std::string> connections_remark(const std::optional<std::string>& given) {
  if (!given || *given == all_connections) return std::nullopt;
  return "CUDA_DEVICE_MAX_CONNECTIONS=" + *given + " is not kept: " + all_connections +
         " is taken instead. With fewer connections than streams, a message that is waited for "
         "holds up what its sender waits for, and pipelines stand still.";
}

std::vector<std::string> gpu_module_places() {
  if (const char* const named = std::getenv("QUINTET_CUDA_MODULE")) return {named};
  const std::string name = "libquintet_cuda.so";
  const fs::path folder = own_program().parent_path();
  return {folder / name, (folder / "../lib/quintet" / name).lexically_normal()};
}

Result<std::unique_ptr<kernels::Device>> open_gpu(int number) {
  const Result<int> found = found_gpus();
  if (!found) return found.error();
  if (number < 0 || number >= *found)
    return Error{"GPU " + std::to_string(number),
                 "this machine has GPUs 0 to " + std::to_string(*found - 1)};
  try {
    return (*find_module())->open(number);
  } catch (const std::exception& failure) {
    return Error{"GPU " + std::to_string(number), failure.what()};
  }
}

// CUDA reads the number of connections when it starts: before anything is asked of it.
Result<int> found_gpus() {
  ask_for_connections();
  const Result<const Module*> module = find_module();
  if (!module) return module.error();
  const FoundGpus found = (*module)->find_gpus();
  if (found.count == 0) return Error{"", "no GPU: " + found.why_none};
  return found.count;
}

int count_gpus() {
  const Result<int> found = found_gpus();
  return found ? *found : 0;
}

kernels::OpenedRecorder open_gpu_recorder() {
  const Result<const Module*> module = find_module();
  if (!module) return {nullptr, module.error().text()};
  return (*module)->open_recorder();
}

}  // namespace quintet::engine
