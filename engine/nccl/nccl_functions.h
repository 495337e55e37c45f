// NCCL's functions as a table, so that there is no need to link it, and tests can bring their own.
// What each does: nccl.h.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <functional>

namespace quintet::engine {

struct NcclFunctions {
  std::function<ncclResult_t(int*)> get_version;
  std::function<ncclResult_t(ncclUniqueId*)> get_unique_id;
  std::function<const char*(ncclResult_t)> get_error_string;
  std::function<const char*(ncclComm_t)> get_last_error;

  std::function<ncclResult_t(ncclComm_t*, int, ncclUniqueId, int, ncclConfig_t*)> init_rank;
  std::function<ncclResult_t(ncclComm_t, ncclResult_t*)> get_async_error;
  std::function<ncclResult_t(ncclComm_t)> finalize, destroy, abort;
  std::function<ncclResult_t()> group_start, group_end;

  std::function<ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t,
                             ncclComm_t, cudaStream_t)>
      all_reduce, reduce_scatter;
  std::function<ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, ncclComm_t,
                             cudaStream_t)>
      all_gather;
  std::function<ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, int, ncclComm_t,
                             cudaStream_t)>
      broadcast;
  std::function<ncclResult_t(const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t, int,
                             ncclComm_t, cudaStream_t)>
      reduce;
  std::function<ncclResult_t(const void*, std::size_t, ncclDataType_t, int, ncclComm_t,
                             cudaStream_t)>
      send;
  std::function<ncclResult_t(void*, std::size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)>
      receive;

  // Empty where the library has them not.
  std::function<ncclResult_t(void**, std::size_t)> allocate;
  std::function<ncclResult_t(void*)> free;
  std::function<ncclResult_t(ncclComm_t, void*, std::size_t, void**)> enlist;  // ncclCommRegister
  std::function<ncclResult_t(ncclComm_t, void*)> strike;                       // ncclCommDeregister
  // ncclCommWindowRegister and ncclCommWindowDeregister
  std::function<ncclResult_t(ncclComm_t, void*, std::size_t, ncclWindow_t*, int)> open_window;
  std::function<ncclResult_t(ncclComm_t, ncclWindow_t)> close_window;
};

}  // namespace quintet::engine
