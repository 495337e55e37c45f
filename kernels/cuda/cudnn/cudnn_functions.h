// The functions of cuDNN's graph API that we call, from the library that is opened when a GPU is,
// or from a test's stand-in.
#pragma once

#include <cudnn_graph.h>

namespace quintet::kernels::cuda {

struct CudnnFunctions {
  decltype(&cudnnGetVersion) version = nullptr;
  decltype(&cudnnGetErrorString) error_text = nullptr;
  decltype(&cudnnGetLastErrorString) last_error = nullptr;
  decltype(&cudnnCreate) create_handle = nullptr;
  decltype(&cudnnDestroy) destroy_handle = nullptr;
  decltype(&cudnnSetStream) set_stream = nullptr;
  decltype(&cudnnBackendCreateDescriptor) create = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) destroy = nullptr;
  decltype(&cudnnBackendSetAttribute) set = nullptr;
  decltype(&cudnnBackendGetAttribute) get = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;
  decltype(&cudnnBackendExecute) execute = nullptr;
};

}  // namespace quintet::kernels::cuda
