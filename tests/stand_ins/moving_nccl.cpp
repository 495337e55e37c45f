#include "tests/stand_ins/moving_nccl.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/communication/combine.h"
#include "tests/stand_ins/fake_device.h"

// One rank's place in a group.
struct ncclComm {
  void* group = nullptr;
  int position = 0;
  quintet::kernels::Device* device = nullptr;
  quintet::kernels::StreamEvent last{};  // behind the call before
  bool called = false;
};

namespace quintet::engine::test {

struct MovingNccl::Call {
  enum class Message { none, sent, received };
  struct Part {
    int peer = 0;
    std::span<std::byte> bytes;
  };

  CollectiveKind kind = CollectiveKind::all_reduce;
  Message message = Message::none;
  std::span<std::byte> buffer;  // whole; of a message: what is sent or where it goes
  DataType type = DataType::fp32;
  Reduction reduction = Reduction::sum;
  int root = 0;
  std::vector<Part> sent{}, received{};  // of messages in a group, which make an all-to-all
};

// What a rank asks for between the start and the end of a group.
struct MovingNccl::Grouped {
  bool open = false;
  ncclComm_t handle = nullptr;
  cudaStream_t stream = nullptr;
  Call call;
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

Reduction reduction_of(ncclRedOp_t operation) {
  return operation == ncclMax ? Reduction::maximum : Reduction::sum;
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

void MovingNccl::exchange(std::vector<Call>& calls) {
  for (std::size_t to = 0; to < calls.size(); ++to)
    for (const Call::Part& place : calls[to].received)
      for (const Call::Part& part : calls[static_cast<std::size_t>(place.peer)].sent)
        if (part.peer == static_cast<int>(to))
          std::copy(part.bytes.begin(), part.bytes.end(), place.bytes.begin());
}

void MovingNccl::combine_all(const std::vector<Call>& calls) {
  std::vector<CollectiveCall> works;
  for (const Call& call : calls) {
    CollectiveCall work;
    work.kind = call.kind == CollectiveKind::reduce ? CollectiveKind::all_reduce : call.kind;
    work.buffer = call.buffer;
    work.type = call.type;
    work.reduction = call.reduction;
    works.push_back(work);
  }
  combine(works);
}

void MovingNccl::move(std::vector<Call>& calls) {
  const Call& first = calls.front();
  const auto root = static_cast<std::size_t>(first.root);
  if (first.message != Call::Message::none) {
    const std::size_t sender = first.message == Call::Message::sent ? 0 : 1;
    std::copy(calls[sender].buffer.begin(), calls[sender].buffer.end(),
              calls[1 - sender].buffer.begin());
    return;
  }
  if (first.kind == CollectiveKind::all_to_all) return exchange(calls);
  if (first.kind == CollectiveKind::broadcast) {
    for (Call& call : calls)
      if (&call != &calls[root])
        std::copy(calls[root].buffer.begin(), calls[root].buffer.end(), call.buffer.begin());
    return;
  }
  if (first.kind == CollectiveKind::reduce) return reduce(calls);
  combine_all(calls);
}

// All but the root keep what they had.
void MovingNccl::reduce(const std::vector<Call>& calls) {
  std::vector<std::vector<std::byte>> before;
  for (const Call& call : calls) before.emplace_back(call.buffer.begin(), call.buffer.end());
  combine_all(calls);
  for (std::size_t place = 0; place < calls.size(); ++place)
    if (static_cast<int>(place) != calls.front().root)
      std::copy(before[place].begin(), before[place].end(), calls[place].buffer.begin());
}

ncclResult_t MovingNccl::message(const std::shared_ptr<Grouped>& grouped, ncclComm_t handle,
                                 const Call& call, int peer, cudaStream_t stream) {
  if (!grouped->open) return queue(handle, call, stream);
  grouped->handle = handle;
  grouped->stream = stream;
  grouped->call.kind = CollectiveKind::all_to_all;
  auto& parts = call.message == Call::Message::sent ? grouped->call.sent : grouped->call.received;
  parts.push_back({peer, call.buffer});
  return ncclSuccess;
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
  const auto grouped = std::make_shared<Grouped>();
  nccl.group_start = [grouped] {
    *grouped = {};
    grouped->open = true;
    return ncclSuccess;
  };
  nccl.group_end = [this, grouped] {
    grouped->open = false;
    return grouped->handle == nullptr ? ncclSuccess
                                      : queue(grouped->handle, grouped->call, grouped->stream);
  };
  nccl.all_reduce = [this](const void*, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
    return queue(handle,
                 {CollectiveKind::all_reduce, Call::Message::none,
                  bytes_at(to, count * element(type)), type_of(type), reduction_of(operation)},
                 stream);
  };
  nccl.reduce_scatter = [this](const void* from, void*, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
    const std::size_t members = static_cast<Group*>(handle->group)->members;
    return queue(
        handle,
        {CollectiveKind::reduce_scatter, Call::Message::none,
         bytes_at(from, members * count * element(type)), type_of(type), reduction_of(operation)},
        stream);
  };
  nccl.all_gather = [this](const void*, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t handle, cudaStream_t stream) {
    const std::size_t members = static_cast<Group*>(handle->group)->members;
    return queue(handle,
                 {CollectiveKind::all_gather, Call::Message::none,
                  bytes_at(to, members * count * element(type)), DataType::int8, Reduction::sum},
                 stream);
  };
  nccl.broadcast = [this](const void*, void* to, std::size_t count, ncclDataType_t type, int root,
                          ncclComm_t handle, cudaStream_t stream) {
    return queue(handle,
                 {.kind = CollectiveKind::broadcast,
                  .buffer = bytes_at(to, count * element(type)),
                  .root = root},
                 stream);
  };
  nccl.reduce = [this](const void* from, void*, std::size_t count, ncclDataType_t type,
                       ncclRedOp_t operation, int root, ncclComm_t handle, cudaStream_t stream) {
    return queue(handle,
                 {.kind = CollectiveKind::reduce,
                  .buffer = bytes_at(from, count * element(type)),
                  .type = type_of(type),
                  .reduction = reduction_of(operation),
                  .root = root},
                 stream);
  };
  nccl.send = [this, grouped](const void* from, std::size_t count, ncclDataType_t type, int peer,
                              ncclComm_t handle, cudaStream_t stream) {
    return message(
        grouped, handle,
        {.message = Call::Message::sent, .buffer = bytes_at(from, count * element(type))}, peer,
        stream);
  };
  nccl.receive = [this, grouped](void* to, std::size_t count, ncclDataType_t type, int peer,
                                 ncclComm_t handle, cudaStream_t stream) {
    return message(
        grouped, handle,
        {.message = Call::Message::received, .buffer = bytes_at(to, count * element(type))}, peer,
        stream);
  };
  return nccl;
}

}  // namespace quintet::engine::test
