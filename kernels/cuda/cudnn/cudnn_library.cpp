#include "kernels/cuda/cudnn/cudnn_library.h"

namespace quintet::kernels::cuda {

OpenedCudnn open_cudnn(const std::vector<std::string>& places) {
  const auto find_all = [](Symbols& library, CudnnFunctions& cudnn) {
    library.find("cudnnGetVersion", cudnn.version);
    library.find("cudnnGetErrorString", cudnn.error_text);
    library.find("cudnnGetLastErrorString", cudnn.last_error);
    library.find("cudnnCreate", cudnn.create_handle);
    library.find("cudnnDestroy", cudnn.destroy_handle);
    library.find("cudnnSetStream", cudnn.set_stream);
    library.find("cudnnBackendCreateDescriptor", cudnn.create);
    library.find("cudnnBackendDestroyDescriptor", cudnn.destroy);
    library.find("cudnnBackendSetAttribute", cudnn.set);
    library.find("cudnnBackendGetAttribute", cudnn.get);
    library.find("cudnnBackendFinalize", cudnn.finalize);
    library.find("cudnnBackendExecute", cudnn.execute);
  };
  return open_library<CudnnFunctions>(places, {"cuDNN", 90600}, find_all);
}

}  // namespace quintet::kernels::cuda
