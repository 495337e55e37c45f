#include "tests/stand_ins/fake_cudnn.h"

#include <algorithm>
#include <cstring>

namespace quintet::kernels::cuda::fake_cudnn {

namespace {

constexpr std::int64_t workspace_bytes = 4096;

std::size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
      return sizeof(bool);
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    case CUDNN_TYPE_CHAR:
      return 1;
    default:
      return 4;  // enumerators and fp32
  }
}

Descriptor& descriptor(cudnnBackendDescriptor_t raw) {
  return *static_cast<Descriptor*>(raw);
}

cudnnStatus_t create(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* made) {
  world().descriptors.push_back(std::make_unique<Descriptor>());
  world().descriptors.back()->type = type;
  *made = world().descriptors.back().get();
  return CUDNN_STATUS_SUCCESS;
}

// Kept, so that tests can look at it after all.
cudnnStatus_t destroy(cudnnBackendDescriptor_t) {
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t set(cudnnBackendDescriptor_t raw, cudnnBackendAttributeName_t name,
                  cudnnBackendAttributeType_t type, std::int64_t count, const void* values) {
  if (descriptor(raw).finalised) return CUDNN_STATUS_BAD_PARAM;
  const auto* const bytes = static_cast<const std::byte*>(values);
  descriptor(raw).attributes[name].assign(bytes,
                                          bytes + static_cast<std::size_t>(count) * size_of(type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t get(cudnnBackendDescriptor_t, cudnnBackendAttributeName_t name,
                  cudnnBackendAttributeType_t, std::int64_t, std::int64_t* count, void* values) {
  *count = name == CUDNN_ATTR_ENGINEHEUR_RESULTS ? world().engines : 1;
  if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE)
    std::memcpy(values, &workspace_bytes, sizeof workspace_bytes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t finalize(cudnnBackendDescriptor_t raw) {
  if (descriptor(raw).type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR &&
      world().refused_plans > 0) {
    --world().refused_plans;
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  descriptor(raw).finalised = true;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t execute(cudnnHandle_t, cudnnBackendDescriptor_t, cudnnBackendDescriptor_t pack) {
  const Descriptor& given = descriptor(pack);
  const auto numbers = given.values<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers = given.values<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  Run run;
  for (std::size_t i = 0; i < numbers.size(); ++i) run.pointers[numbers[i]] = pointers[i];
  run.workspace = given.values<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE).at(0);
  world().runs.push_back(run);
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

std::vector<const Descriptor*> World::of(cudnnBackendDescriptorType_t type) const {
  std::vector<const Descriptor*> found;
  for (const auto& each : descriptors)
    if (each->type == type) found.push_back(each.get());
  return found;
}

World& world() {
  static World only;
  return only;
}

CudnnFunctions functions() {
  CudnnFunctions made;
  made.version = [] { return world().version; };
  made.error_text = [](cudnnStatus_t) { return "not supported, says the stand-in"; };
  made.last_error = [](char* text, std::size_t) { text[0] = '\0'; };
  made.create = create;
  made.destroy = destroy;
  made.set = set;
  made.get = get;
  made.finalize = finalize;
  made.execute = execute;
  return made;
}

}  // namespace quintet::kernels::cuda::fake_cudnn
