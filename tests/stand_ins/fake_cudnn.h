// Stands in for cuDNN's graph API: keeps every descriptor with its attributes, offers as many
// engines as the test wants, and computes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "kernels/cuda/cudnn/cudnn_functions.h"

namespace quintet::kernels::cuda::fake_cudnn {

struct Descriptor {
  cudnnBackendDescriptorType_t type{};
  std::map<int, std::vector<std::byte>> attributes;
  bool finalised = false;

  template <class Value>
  std::vector<Value> values(cudnnBackendAttributeName_t name) const;
};

struct Run {
  std::map<std::int64_t, void*> pointers;
  void* workspace = nullptr;
};

// What the test wants, and what happened.
struct World {
  std::size_t version = 91900;
  int engines = 2;
  int refused_plans = 0;  // the first so many
  std::vector<std::unique_ptr<Descriptor>> descriptors;
  std::vector<Run> runs;

  std::vector<const Descriptor*> of(cudnnBackendDescriptorType_t type) const;
};

// cuDNN's functions are given no place of ours to keep things in.
World& world();
CudnnFunctions functions();

template <class Value>
std::vector<Value> Descriptor::values(cudnnBackendAttributeName_t name) const {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return {};
  const auto* const first = reinterpret_cast<const Value*>(found->second.data());
  return std::vector<Value>(first, first + found->second.size() / sizeof(Value));
}

}  // namespace quintet::kernels::cuda::fake_cudnn
