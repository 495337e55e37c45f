#include "tests/engine/nccl/moving_nccl.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/executor/combine.h"
#include "tests/engine/device/fake_device.h"

// One rank's place in a group.
struct ncclComm {
  void* group = nullptr;
  int position = 0;
  quintet::kernels::Device* device = nullptr;
  quintet::kernels::Event last{};  // behind the call before
  bool called = false;
};

namespace quintet::engine::test {

struct MovingNccl::Call {
  CollectiveKind kind = CollectiveKind::all_reduce;
  bool message = false;
  std::span<std::byte> buffer;  // whole; of a message: what is sent or where it goes
  DataType type = DataType::fp32;
  Combination combination = Combination::sum;
};

struct MovingNccl::Group {
  std::size_t members = 0;
  std::set<int> aborted;                // members
  std::vector<std::uint64_t> arrivals;  // per member, so far
  std::map<std::uint64_t, std::map<int, Call>> waiting;
  std::set<std::uint64_t> over;
};

namespace {

std::span<std::byte> bytes_at(const void* memory, std::size_t size) {
  return {static_cast<std::byte*>(const_cast<void*>(memory)), size};
}

DataType type_of(ncclDataType_t type) {
  return type == ncclFloat32 ? DataType::fp32 : DataType::bf16;
}

std::size_t element(ncclDataType_t type) {
  return type == ncclFloat32 ? 4 : type == ncclBfloat16 ? 2 : 1;
}

Combination combination_of(ncclRedOp_t operation) {
  return operation == ncclMax ? Combination::maximum : Combination::sum;
}

}  // namespace

MovingNccl::MovingNccl() = default;
MovingNccl::~MovingNccl() = default;

int MovingNccl::moves() const {
  const std::scoped_lock lock(mutex_);
  return moves_;
}

ncclResult_t MovingNccl::open(ncclComm_t* handle, kernels::Device& device, int members, int id,
                              int position) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Group>& group = groups_[id];
  if (!group) group = std::make_unique<Group>();
  group->members = static_cast<std::size_t>(members);
  group->arrivals.resize(group->members);
  handles_.push_back(std::make_unique<ncclComm>());
  *handle = handles_.back().get();
  (*handle)->group = group.get();
  (*handle)->position = position;
  (*handle)->device = &device;
  (*handle)->last = device.make_event();
  return ncclSuccess;
}

// Numbered when it runs, not when it is called: a graph runs one call again and again.
ncclResult_t MovingNccl::queue(ncclComm_t handle, const Call& call, cudaStream_t stream) {
  auto& group = *static_cast<Group*>(handle->group);
  const kernels::Stream on{stream};
  if (handle->called) handle->device->wait(on, handle->last);
  handle->called = true;
  const auto which = std::make_shared<std::uint64_t>(0);
  const int member = handle->position;
  queue_meeting(
      *handle->device, on, [=, this, &group] { *which = arrive(group, member, call); },
      [=, this, &group] { return is_over(group, member, *which); });
  handle->device->record(handle->last, on);
  return ncclSuccess;
}

std::uint64_t MovingNccl::arrive(Group& group, int member, const Call& call) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t which = ++group.arrivals[static_cast<std::size_t>(member)];
  std::map<int, Call>& calls = group.waiting[which];
  calls[member] = call;
  if (calls.size() < group.members) return which;
  std::vector<Call> all;
  for (const auto& [place, each] : calls) all.push_back(each);
  move(all);
  ++moves_;
  group.waiting.erase(which);
  group.over.insert(which);
  return which;
}

bool MovingNccl::is_over(const Group& group, int member, std::uint64_t which) const {
  const std::scoped_lock lock(mutex_);
  return group.aborted.contains(member) || group.over.contains(which);
}

// The sender of a message is the first of the two.
void MovingNccl::move(std::vector<Call>& calls) {
  if (calls.front().message) {
    std::copy(calls[0].buffer.begin(), calls[0].buffer.end(), calls[1].buffer.begin());
    return;
  }
  std::vector<CollectiveWork> works;
  for (const Call& call : calls) {
    CollectiveWork work;
    work.kind = call.kind;
    work.buffer = call.buffer;
    work.type = call.type;
    work.combination = call.combination;
    works.push_back(work);
  }
  combine(works);
}

NcclFunctions MovingNccl::functions(kernels::Device& device) {
  NcclFunctions nccl;
  nccl.get_unique_id = [this](ncclUniqueId* id) {
    const std::scoped_lock lock(mutex_);
    *id = {};
    std::memcpy(id->internal, &++ids_, sizeof ids_);
    return ncclSuccess;
  };
  nccl.get_error_string = [](ncclResult_t) { return "an error"; };
  nccl.get_last_error = [](ncclComm_t) { return ""; };
  nccl.init_rank = [this, &device](ncclComm_t* handle, int members, ncclUniqueId id, int position,
                                   ncclConfig_t*) {
    int number = 0;
    std::memcpy(&number, id.internal, sizeof number);
    return open(handle, device, members, number, position);
  };
  nccl.get_async_error = [](ncclComm_t, ncclResult_t* result) {
    *result = ncclSuccess;
    return ncclSuccess;
  };
  nccl.finalize = nccl.destroy = [](ncclComm_t) { return ncclSuccess; };
  nccl.abort = [this](ncclComm_t handle) {
    const std::scoped_lock lock(mutex_);
    static_cast<Group*>(handle->group)->aborted.insert(handle->position);
    return ncclSuccess;
  };
  nccl.group_start = nccl.group_end = [] { return ncclSuccess; };
  nccl.all_reduce = [this](const void*, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
    return queue(handle,
                 {CollectiveKind::all_reduce, false, bytes_at(to, count * element(type)),
                  type_of(type), combination_of(operation)},
                 stream);
  };
  nccl.reduce_scatter = [this](const void* from, void*, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
    const std::size_t members = static_cast<Group*>(handle->group)->members;
    return queue(
        handle,
        {CollectiveKind::reduce_scatter, false, bytes_at(from, members * count * element(type)),
         type_of(type), combination_of(operation)},
        stream);
  };
  nccl.all_gather = [this](const void*, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t handle, cudaStream_t stream) {
    const std::size_t members = static_cast<Group*>(handle->group)->members;
    return queue(handle,
                 {CollectiveKind::all_gather, false, bytes_at(to, members * count * element(type)),
                  DataType::int8, Combination::sum},
                 stream);
  };
  nccl.send = [this](const void* from, std::size_t count, ncclDataType_t type, int,
                     ncclComm_t handle, cudaStream_t stream) {
    return queue(handle, {.message = true, .buffer = bytes_at(from, count * element(type))},
                 stream);
  };
  nccl.receive = [this](void* to, std::size_t count, ncclDataType_t type, int, ncclComm_t handle,
                        cudaStream_t stream) {
    return queue(handle, {.message = true, .buffer = bytes_at(to, count * element(type))}, stream);
  };
  return nccl;
}

}  // namespace quintet::engine::test
