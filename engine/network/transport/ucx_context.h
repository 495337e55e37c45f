// UCX opened on one network interface: its context and a worker, owned. UCX's own types stay in the
// source file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/base/result.h"

struct ucp_context;
struct ucp_worker;

namespace quintet::engine {

enum class SharedMemory { use, refuse };  // refuse: also ranks of one host talk through the network

struct UcxOptions {
  std::string interface;  // as `ip link` calls it; nothing else is bound
  SharedMemory shared_memory = SharedMemory::use;
};

struct CleanUpContext {
  void operator()(ucp_context* context) const;
};
struct DestroyWorker {
  void operator()(ucp_worker* worker) const;
};
using UcxContext = std::unique_ptr<ucp_context, CleanUpContext>;
using UcxWorkerHandle = std::unique_ptr<ucp_worker, DestroyWorker>;

// A rank has connections to all others, and strangers cost a descriptor each until they are sent
// away.
void allow_many_descriptors();

// Once per process, before the first context: what UCX prints and how many connections it may hold.
void prepare_process_for_ucx();

enum class Device { none, ethernet, infiniband };
// "eth0", or "mlx5_0:1": an RDMA device and its port.
Device device_called(const std::string& name);
// Why ranks cannot talk through the interface; nothing: they can.
std::optional<Error> unusable(const std::string& name);

// Fails where the interface is not there or UCX cannot use it.
Result<UcxContext> ucx_context(const UcxOptions& options);
// Listens from here on.
Result<UcxWorkerHandle> ucx_worker(const UcxContext& context);

}  // namespace quintet::engine
