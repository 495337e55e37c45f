// One of cuDNN's descriptors, with its attributes set by type. What cuDNN refuses throws
// CudnnError.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/cudnn/cudnn_functions.h"

namespace quintet::kernels::cuda {

class CudnnError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void check(const CudnnFunctions& cudnn, cudnnStatus_t status, const std::string& what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  char more[512] = "";
  cudnn.last_error(more, sizeof more);
  throw CudnnError("cuDNN: " + what + ": " + cudnn.error_text(status) +
                   (more[0] == '\0' ? "" : std::string(", ") + more));
}

class CudnnDescriptor {
 public:
  CudnnDescriptor(const CudnnFunctions& cudnn, cudnnBackendDescriptorType_t type) : cudnn_(&cudnn) {
    check(cudnn, cudnn.create(type, &raw_), "a descriptor");
  }
  CudnnDescriptor(CudnnDescriptor&& other) noexcept
      : cudnn_(other.cudnn_), raw_(std::exchange(other.raw_, nullptr)) {}
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
    std::swap(cudnn_, other.cudnn_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~CudnnDescriptor() {
    if (raw_ != nullptr) cudnn_->destroy(raw_);
  }

  cudnnBackendDescriptor_t raw() const { return raw_; }
  const CudnnFunctions& functions() const { return *cudnn_; }

  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
           const void* values) {
    check(*cudnn_, cudnn_->set(raw_, name, type, count, values),
          "attribute " + std::to_string(name));
  }
  void set(cudnnBackendAttributeName_t name, std::int64_t value) {
    set(name, CUDNN_TYPE_INT64, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, bool value) {
    set(name, CUDNN_TYPE_BOOLEAN, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
    set(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, cudnnPointwiseMode_t value) {
    set(name, CUDNN_TYPE_POINTWISE_MODE, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, cudnnReduceTensorOp_t value) {
    set(name, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t value) {
    set(name, CUDNN_TYPE_HEUR_MODE, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
    const cudnnBackendDescriptor_t raw = value.raw();
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
  }
  CudnnDescriptor finalised(const std::string& what) && {
    check(*cudnn_, cudnn_->finalize(raw_), what);
    return std::move(*this);
  }

 private:
  const CudnnFunctions* cudnn_;
  cudnnBackendDescriptor_t raw_ = nullptr;
};

}  // namespace quintet::kernels::cuda
