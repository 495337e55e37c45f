#include "engine/nccl/nccl_communicator.h"

#include <algorithm>
#include <cassert>
#include <thread>
#include <utility>

#include "engine/nccl/nccl_check.h"
#include "engine/nccl/nccl_functions.h"

namespace quintet::engine {

namespace {

constexpr std::chrono::microseconds pause{100};

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

NcclCommunicator::NcclCommunicator(const NcclFunctions& nccl, Peers& peers,
                                   const NcclOptions& options)
    : nccl_(nccl), peers_(peers), options_(options) {}

NcclCommunicator::~NcclCommunicator() {
  abort_all();
}

std::optional<NcclTrouble> NcclCommunicator::settled(const Open& opened, const std::string& call,
                                                     int result) {
  return engine::settled(nccl_, peers_, {opened.where(), call, opened.handle, opened.members},
                         static_cast<ncclResult_t>(result), options_.within);
}

std::optional<NcclTrouble> NcclCommunicator::started(Open& opened, const CollectiveCall& work,
                                                     void* stream_handle) {
  const std::string where = opened.where();
  if (opened.last_use && work.use <= opened.last_use)
    return own_trouble(where, "use " + std::to_string(work.use.value_or(0)) + " comes after use " +
                                  std::to_string(*opened.last_use) + "; NCCL needs one order");
  opened.last_use = work.use;
  const auto stream = static_cast<cudaStream_t>(stream_handle);
  std::byte* const buffer = work.buffer.data();
  const std::size_t part = work.buffer.size() / static_cast<std::size_t>(opened.members);
  assert(part * static_cast<std::size_t>(opened.members) == work.buffer.size() ||
         work.kind == CollectiveKind::all_reduce);
  std::byte* const own_part = buffer + part * static_cast<std::size_t>(opened.position);
  if (work.kind == CollectiveKind::all_gather)
    return settled(opened, "ncclAllGather",
                   nccl_.all_gather(own_part, buffer, part, ncclUint8, opened.handle, stream));
  const std::optional<ncclDataType_t> type = summed_type(work.type);
  if (!type) return own_trouble(where, "sums and maxima on GPUs are of fp32 and bf16");
  const auto element = static_cast<std::size_t>(size_of(work.type).value);
  const ncclRedOp_t operation = operation_of(work.reduction);
  if (work.kind == CollectiveKind::all_reduce)
    return settled(opened, "ncclAllReduce",
                   nccl_.all_reduce(buffer, buffer, work.buffer.size() / element, *type, operation,
                                    opened.handle, stream));
  if (work.kind == CollectiveKind::reduce_scatter)
    return settled(opened, "ncclReduceScatter",
                   nccl_.reduce_scatter(buffer, own_part, part / element, *type, operation,
                                        opened.handle, stream));
  return own_trouble(where, std::string(name_of(work.kind)) + " is not executed");
}

void NcclCommunicator::start(const CollectiveCall& work, const kernels::Stream& stream) {
  if (failure_ || suspicion_) return;
  const auto opened = collectives_.find({work.communicator, work.lane});
  assert(opened != collectives_.end());  // a rank has no work of groups that it is not in
  note(started(*opened->second, work, stream.handle), Clock::now());
}

NcclCommunicator::Open* NcclCommunicator::route(const MessageRoute& route) {
  const auto found = routes_.find(route);
  if (found != routes_.end()) return found->second;
  note(own_trouble(text_of(route), "is not in this rank's script"), Clock::now());
  return nullptr;
}

void NcclCommunicator::send(Rank to, Payload payload, std::span<const std::byte> message,
                            const kernels::Stream& stream) {
  if (failure_ || suspicion_) return;
  const Open* const opened = route({payload, peers_.rank(), to});
  if (opened == nullptr) return;
  const ncclResult_t result = nccl_.send(message.data(), message.size(), ncclUint8, 1,
                                         opened->handle, static_cast<cudaStream_t>(stream.handle));
  note(settled(*opened, "ncclSend", result), Clock::now());
}

void NcclCommunicator::receive(Rank from, Payload payload, std::span<std::byte> message,
                               const kernels::Stream& stream) {
  if (failure_ || suspicion_) return;
  const Open* const opened = route({payload, from, peers_.rank()});
  if (opened == nullptr) return;
  const ncclResult_t result =
      nccl_.receive(message.data(), message.size(), ncclUint8, 0, opened->handle,
                    static_cast<cudaStream_t>(stream.handle));
  note(settled(*opened, "ncclRecv", result), Clock::now());
}

std::optional<Error> NcclCommunicator::poll(Clock::time_point now) {
  if (failure_) return failure_;
  if (const auto failure = peers_.failure()) {
    fail(*failure);
    return failure_;
  }
  for (const Open& opened : open_) {
    if (suspicion_ || opened.handle == nullptr) break;
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = nccl_.get_async_error(opened.handle, &state);
    const ncclResult_t found = asked == ncclSuccess ? state : asked;
    note(trouble(nccl_, opened.where(), "asynchronous error", found, opened.handle), now);
  }
  if (suspicion_ && now - suspicion_->since >= options_.verdict_within) end_job(suspicion_->error);
  return failure_;
}

void NcclCommunicator::note(const std::optional<NcclTrouble>& trouble, Clock::time_point now) {
  if (!trouble || failure_ || suspicion_) return;
  if (trouble->perhaps_another_rank)
    suspicion_ = Suspicion{trouble->error, now};
  else
    end_job(trouble->error);
}

// The job may have ended for another reason meanwhile: that one came first.
void NcclCommunicator::end_job(const Error& own) {
  peers_.abort(own.text());
  const std::string me = "rank " + std::to_string(peers_.rank().value);
  fail(peers_.failure().value_or(Error{me, own.text()}));
}

void NcclCommunicator::fail(const Error& error) {
  if (!failure_) failure_ = error;
  abort_all();
}

void NcclCommunicator::abort(const Error& cause) {
  if (!failure_) end_job(cause);
}

// In one group: aborting one after another waits for kernels of those not aborted yet
// (https://github.com/NVIDIA/nccl/issues/1013). Their own answers can only be about what has failed
// already.
void NcclCommunicator::abort_all() {
  const bool any = std::any_of(open_.begin(), open_.end(),
                               [](const Open& opened) { return opened.handle != nullptr; });
  if (!any) return;
  nccl_.group_start();
  for (Open& opened : open_)
    if (opened.handle != nullptr) nccl_.abort(std::exchange(opened.handle, nullptr));
  nccl_.group_end();
}

std::optional<Error> NcclCommunicator::close() {
  for (Open& opened : open_) {
    if (failure_ || suspicion_) break;
    const ncclResult_t result = nccl_.finalize(opened.handle);
    note(settled(opened, "ncclCommFinalize", result), Clock::now());
  }
  while (suspicion_ && !poll()) std::this_thread::sleep_for(pause);
  if (failure_) return failure_;
  for (Open& opened : open_) {
    const ncclResult_t result = nccl_.destroy(std::exchange(opened.handle, nullptr));
    if (const auto wrong = trouble(nccl_, opened.where(), "ncclCommDestroy", result, nullptr))
      return wrong->error;
  }
  return std::nullopt;
}

}  // namespace quintet::engine
