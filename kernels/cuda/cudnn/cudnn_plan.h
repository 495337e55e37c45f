// An OperatorGraph made ready to run by cuDNN.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "kernels/cuda/cudnn/cudnn_descriptor.h"
#include "kernels/cuda/cudnn/operator_graph.h"

namespace quintet::kernels::cuda {

// What a graph is made for: the GPU of a handle, or, without one, a GPU in words (a device
// property descriptor of cuDNN 9.8 and later). Exactly one of the two.
struct CudnnTarget {
  cudnnHandle_t handle = nullptr;
  const CudnnDescriptor* properties = nullptr;
};

// Engines of cuDNN that can run the graph, best first.
std::vector<CudnnDescriptor> engines_for(const CudnnFunctions& cudnn, const CudnnTarget& target,
                                         const CudnnDescriptor& graph);
CudnnDescriptor described(const CudnnFunctions& cudnn, const CudnnTarget& target,
                          const OperatorGraph& graph);

class CudnnPlan {
 public:
  std::int64_t workspace_bytes() const { return workspace_bytes_; }
  // Pointers by the numbers of the graph's tensors: of the GPU's memory, and of numbers on the
  // host. The handle says on which stream.
  void run(cudnnHandle_t handle, const std::map<std::int64_t, void*>& pointers,
           void* workspace) const;

 private:
  friend std::variant<CudnnPlan, std::string> make_plan(const CudnnFunctions&, const CudnnTarget&,
                                                        const OperatorGraph&);
  explicit CudnnPlan(CudnnDescriptor plan);

  CudnnDescriptor plan_;
  std::int64_t workspace_bytes_ = 0;
};

// The first engine that is ready, or in words why none is.
std::variant<CudnnPlan, std::string> make_plan(const CudnnFunctions& cudnn,
                                               const CudnnTarget& target,
                                               const OperatorGraph& graph);

}  // namespace quintet::kernels::cuda
