#include "engine/nccl/nccl_communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/nccl/nccl_check.h"
#include "engine/nccl/nccl_functions.h"

namespace quintet::engine {

namespace {

std::optional<ncclDataType_t> summed_type(DataType type) {
  switch (type) {
    case DataType::fp32:
      return ncclFloat32;
    case DataType::bf16:
      return ncclBfloat16;
    case DataType::tf32:
    case DataType::fp16:
    case DataType::fp8:
    case DataType::int32:
    case DataType::int8:
      return std::nullopt;
  }
  return std::nullopt;
}

ncclRedOp_t operation_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return ncclSum;
    case Reduction::maximum:
      return ncclMax;
  }
  return ncclSum;
}

}  // namespace

NcclCommunicator::NcclCommunicator(const NcclFunctions& nccl, Peers& peers, kernels::Device& device,
                                   const NcclOptions& options)
    : nccl_(nccl),
      peers_(peers),
      device_(device),
      options_(options),
      watch_(nccl, peers, options.patience) {}

NcclCommunicator::~NcclCommunicator() = default;

std::optional<NcclTrouble> NcclCommunicator::asked(const Open& opened, const std::string& call,
                                                   const std::function<ncclResult_t()>& ask) {
  return watch_.call({opened.where(), call, opened.handle, opened.members}, ask);
}

std::optional<NcclTrouble> NcclCommunicator::started(const Open& opened, const CollectiveCall& work,
                                                     void* stream_handle) {
  const std::string where = opened.where();
  const auto stream = static_cast<cudaStream_t>(stream_handle);
  std::byte* const buffer = work.buffer.data();
  const std::size_t part = work.buffer.size() / static_cast<std::size_t>(opened.members);
  assert(part * static_cast<std::size_t>(opened.members) == work.buffer.size() ||
         work.kind == CollectiveKind::all_reduce);
  std::byte* const own_part = buffer + part * static_cast<std::size_t>(opened.position);
  if (work.kind == CollectiveKind::all_gather)
    return asked(opened, "ncclAllGather", [&] {
      return nccl_.all_gather(own_part, buffer, part, ncclUint8, opened.handle, stream);
    });
  const std::optional<ncclDataType_t> type = summed_type(work.type);
  if (!type) return own_trouble(where, "sums and maxima on GPUs are of fp32 and bf16");
  const auto element = static_cast<std::size_t>(size_of(work.type).value);
  const ncclRedOp_t operation = operation_of(work.reduction);
  if (work.kind == CollectiveKind::all_reduce)
    return asked(opened, "ncclAllReduce", [&] {
      return nccl_.all_reduce(buffer, buffer, work.buffer.size() / element, *type, operation,
                              opened.handle, stream);
    });
  if (work.kind == CollectiveKind::reduce_scatter)
    return asked(opened, "ncclReduceScatter", [&] {
      return nccl_.reduce_scatter(buffer, own_part, part / element, *type, operation, opened.handle,
                                  stream);
    });
  return own_trouble(where, std::string(name_of(work.kind)) + " is not executed");
}

void NcclCommunicator::start(const CollectiveCall& work, const kernels::Stream& stream) {
  if (watch_.troubled()) return;
  const auto found = collectives_.find({work.communicator, work.lane});
  assert(found != collectives_.end());  // a rank has no work of groups that it is not in
  Open& opened = *found->second;
  if (opened.last_use && work.use <= opened.last_use)
    return watch_.note(
        own_trouble(opened.where(), fmt::format("use {} comes after use {}; NCCL needs one order",
                                                work.use.value_or(0), *opened.last_use)));
  opened.last_use = work.use;
  watch_.note(started(opened, work, stream.handle));
}

NcclCommunicator::Open* NcclCommunicator::route(const MessageRoute& route) {
  const auto found = routes_.find(route);
  if (found != routes_.end()) return found->second;
  watch_.note(own_trouble(text_of(route), "is not in this rank's script"));
  return nullptr;
}

void NcclCommunicator::send(Rank to, Payload payload, std::span<const std::byte> message,
                            const kernels::Stream& stream) {
  if (watch_.troubled()) return;
  const Open* const opened = route({payload, peers_.rank(), to});
  if (opened == nullptr) return;
  watch_.note(asked(*opened, "ncclSend", [&] {
    return nccl_.send(message.data(), message.size(), ncclUint8, 1, opened->handle,
                      static_cast<cudaStream_t>(stream.handle));
  }));
}

void NcclCommunicator::receive(Rank from, Payload payload, std::span<std::byte> message,
                               const kernels::Stream& stream) {
  if (watch_.troubled()) return;
  const Open* const opened = route({payload, from, peers_.rank()});
  if (opened == nullptr) return;
  watch_.note(asked(*opened, "ncclRecv", [&] {
    return nccl_.receive(message.data(), message.size(), ncclUint8, 0, opened->handle,
                         static_cast<cudaStream_t>(stream.handle));
  }));
}

void NcclCommunicator::abort(const Error& cause) {
  watch_.end_job(cause);
  watch_.abort();
}

std::optional<Error> NcclCommunicator::close() {
  for (Open& opened : open_) {
    if (watch_.troubled()) break;
    watch_.note(asked(opened, "ncclCommFinalize", [&] { return nccl_.finalize(opened.handle); }));
  }
  if (auto failed = verdict()) return failed;
  for (Open& opened : open_) {
    if (!watch_.forget(opened.handle)) return watch_.look();
    const ncclComm_t handle = std::exchange(opened.handle, nullptr);
    const ncclResult_t result = nccl_.destroy(handle);
    if (const auto wrong = trouble(nccl_, opened.where(), "ncclCommDestroy", result, nullptr))
      return wrong->error;
  }
  return std::nullopt;
}

}  // namespace quintet::engine
