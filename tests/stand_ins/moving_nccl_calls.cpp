// NCCL's functions, as one rank calls them.
#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/stand_ins/moving_nccl_parts.h"

namespace quintet::engine::test {

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

MovingNccl::Batch& MovingNccl::OfRank::batch() {
  const std::scoped_lock lock(mutex_);
  return batches_[std::this_thread::get_id()];
}

ncclResult_t MovingNccl::OfRank::start() {
  ++batch().depth;
  return ncclSuccess;
}

ncclResult_t MovingNccl::OfRank::end() {
  Batch& mine = batch();
  if (--mine.depth > 0) return ncclSuccess;
  return in_place_or_apart(std::exchange(mine, {}));
}

ncclResult_t MovingNccl::OfRank::in_place_or_apart(Batch batch) {
  std::vector<ncclComm*> handles = batch.joining;
  for (const Batch::Asked& each : batch.asked) handles.push_back(each.handle);
  const auto apart = std::find_if(handles.begin(), handles.end(),
                                  [](const ncclComm* handle) { return !handle->blocking; });
  if (apart == handles.end()) return execute(batch);
  ncclComm& of = **apart;
  if (of.state == ncclInProgress) return ncclInvalidArgument;
  if (of.thread.joinable()) of.thread.join();
  of.state = ncclInProgress;
  of.thread = std::thread([this, &of, batch]() mutable { of.state = execute(batch); });
  return ncclInProgress;
}

// Messages of one communicator are one piece of work.
ncclResult_t MovingNccl::OfRank::execute(Batch& batch) {
  ncclResult_t result = ncclSuccess;
  const auto also = [&](ncclResult_t next) {
    if (result == ncclSuccess) result = next;
  };
  for (ncclComm* const handle : batch.joining) also(nccl_.join(*handle));
  std::map<ncclComm*, std::set<Side>> sides;
  std::map<ncclComm*, int> messages;
  for (const Batch::Asked& each : batch.asked) {
    const int mine = each.handle->position;
    std::string name = "all";
    if (each.call.message != Call::Message::none) {
      ++messages[each.handle];
      const bool sent = each.call.message == Call::Message::sent;
      name = route_text(sent ? mine : each.peer, sent ? each.peer : mine);
    }
    sides[each.handle].insert({name, mine});
  }
  for (auto& [handle, first] : sides) also(nccl_.connect(*handle, first));
  if (result == ncclSuccess) {
    std::map<ncclComm*, Batch::Asked> grouped;
    for (const Batch::Asked& each : batch.asked) {
      if (each.call.message == Call::Message::none || messages[each.handle] == 1) {
        also(nccl_.launch(*each.handle, each.call, each.stream));
        continue;
      }
      Batch::Asked& all = grouped.try_emplace(each.handle, each).first->second;
      all.call.kind = CollectiveKind::all_to_all;
      all.call.message = Call::Message::none;
      auto& parts = each.call.message == Call::Message::sent ? all.call.sent : all.call.received;
      parts.push_back({each.peer, each.call.buffer});
    }
    for (const auto& [handle, all] : grouped) also(nccl_.launch(*handle, all.call, all.stream));
  }
  for (ncclComm* const handle : batch.finalised) also(nccl_.await_graphs(*handle, "the end"));
  for (ncclComm* const handle : batch.freed) {
    also(nccl_.await_graphs(*handle, "the abort or the end"));
    const std::scoped_lock lock(nccl_.mutex_);
    if (std::exchange(handle->freed, true))
      nccl_.stuck_.push_back(handle->text() + " is freed twice");
  }
  return result;
}

ncclResult_t MovingNccl::OfRank::init(ncclComm_t* handle, int members, ncclUniqueId id,
                                      int position, const ncclConfig_t& config) {
  start();
  quintet::kernels::StreamEvent last = device_.make_event();  // devices call NCCL with their own lock held
  {
    const std::scoped_lock lock(nccl_.mutex_);
    int number = 0;
    std::memcpy(&number, id.internal, sizeof number);
    std::unique_ptr<Group>& group = nccl_.groups_[number];
    if (!group) group = std::make_unique<Group>();
    group->members = static_cast<std::size_t>(members);
    group->arrivals.resize(group->members);
    nccl_.handles_.push_back(std::make_unique<ncclComm>());
    ncclComm& made = *nccl_.handles_.back();
    made.name = config.commName;
    made.blocking = config.blocking != 0;
    made.id = number;
    made.members = members;
    made.position = position;
    made.group = group.get();
    made.device = &device_;
    made.last = std::move(last);
    *handle = &made;
  }
  batch().joining.push_back(*handle);
  return end();
}

ncclResult_t MovingNccl::OfRank::add(ncclComm_t handle, std::vector<ncclComm*> Batch::*list) {
  start();
  (batch().*list).push_back(handle);
  return end();
}

ncclResult_t MovingNccl::OfRank::abort(ncclComm_t handle) {
  {
    const std::scoped_lock lock(nccl_.mutex_);
    static_cast<Group*>(handle->group)->aborted.insert(handle->position);
    nccl_.changed_.notify_all();
  }
  return add(handle, &Batch::freed);
}

ncclResult_t MovingNccl::OfRank::allocate(void** memory, std::size_t bytes) {
  *memory = device_.allocate(bytes);
  if (*memory == nullptr) return ncclUnhandledCudaError;
  allocated_[static_cast<std::byte*>(*memory)] = bytes;
  return ncclSuccess;
}

ncclResult_t MovingNccl::OfRank::give_back(void* memory) {
  allocated_.erase(static_cast<std::byte*>(memory));
  device_.free(memory);
  return ncclSuccess;
}

// Memory that has a handle for others begins at a page's begin.
ncclResult_t MovingNccl::OfRank::open_window(ncclComm_t handle, void* memory, std::size_t bytes,
                                             ncclWindow_t* window) {
  *window = nullptr;
  auto* const first = static_cast<std::byte*>(memory);
  auto whole = allocated_.upper_bound(first);
  if (whole == allocated_.begin()) return ncclUnhandledCudaError;
  --whole;
  const auto offset = static_cast<std::size_t>(first - whole->first);
  if (offset + bytes > whole->second) return ncclUnhandledCudaError;
  if (offset % NCCL_WIN_REQUIRED_ALIGNMENT != 0) return ncclInvalidArgument;
  const ncclResult_t opened = nccl_.open_window(*handle, {first, bytes, offset, whole->second});
  if (opened == ncclSuccess) *window = reinterpret_cast<ncclWindow_t>(memory);
  return opened;
}

ncclResult_t MovingNccl::OfRank::close_window(ncclComm_t handle, ncclWindow_t window) {
  const std::scoped_lock lock(nccl_.mutex_);
  if (handle->freed) nccl_.stuck_.push_back(handle->text() + " is used after its end");
  for (Window& each : static_cast<Group*>(handle->group)->windows[handle->position])
    if (each.open && each.first == reinterpret_cast<std::byte*>(window)) {
      each.open = false;
      --nccl_.windows_;
    }
  return ncclSuccess;
}

ncclResult_t MovingNccl::OfRank::ask(ncclComm_t handle, Call call, cudaStream_t stream, int peer) {
  {
    const std::scoped_lock lock(nccl_.mutex_);
    if (handle->freed) nccl_.stuck_.push_back(handle->text() + " is used after its end");
    if (handle->freed) return ncclInvalidArgument;
  }
  start();
  batch().asked.push_back({handle, std::move(call), stream, peer});
  return end();
}

NcclFunctions MovingNccl::functions(kernels::Device& device) {
  OfRank* rank = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    rank = ranks_.emplace_back(std::make_unique<OfRank>(*this, device)).get();
  }
  NcclFunctions nccl;
  nccl.get_unique_id = [this](ncclUniqueId* id) {
    const std::scoped_lock lock(mutex_);
    *id = {};
    std::memcpy(id->internal, &++ids_, sizeof ids_);
    return ncclSuccess;
  };
  nccl.get_error_string = [](ncclResult_t) { return "an error"; };
  nccl.get_last_error = [](ncclComm_t) { return ""; };
  nccl.init_rank = [rank](ncclComm_t* handle, int members, ncclUniqueId id, int position,
                          ncclConfig_t* config) {
    return rank->init(handle, members, id, position, *config);
  };
  nccl.get_async_error = [](ncclComm_t handle, ncclResult_t* result) {
    *result = handle->state;
    return ncclSuccess;
  };
  nccl.finalize = [rank](ncclComm_t handle) { return rank->finalise(handle); };
  nccl.destroy = [rank](ncclComm_t handle) { return rank->free(handle); };
  nccl.abort = [rank](ncclComm_t handle) { return rank->abort(handle); };
  nccl.group_start = [rank] { return rank->start(); };
  nccl.group_end = [rank] { return rank->end(); };
  nccl.all_reduce = [rank](const void*, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
    return rank->ask(handle,
                     {CollectiveKind::all_reduce, Call::Message::none,
                      bytes_at(to, count * element(type)), type_of(type), reduction_of(operation)},
                     stream);
  };
  nccl.reduce_scatter = [rank](const void* from, void*, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
    const auto members = static_cast<std::size_t>(handle->members);
    return rank->ask(
        handle,
        {CollectiveKind::reduce_scatter, Call::Message::none,
         bytes_at(from, members * count * element(type)), type_of(type), reduction_of(operation)},
        stream);
  };
  nccl.all_gather = [rank](const void*, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t handle, cudaStream_t stream) {
    const auto members = static_cast<std::size_t>(handle->members);
    return rank->ask(
        handle,
        {CollectiveKind::all_gather, Call::Message::none,
         bytes_at(to, members * count * element(type)), DataType::int8, Reduction::sum},
        stream);
  };
  nccl.broadcast = [rank](const void*, void* to, std::size_t count, ncclDataType_t type, int root,
                          ncclComm_t handle, cudaStream_t stream) {
    return rank->ask(handle,
                     {.kind = CollectiveKind::broadcast,
                      .buffer = bytes_at(to, count * element(type)),
                      .root = root},
                     stream);
  };
  nccl.reduce = [rank](const void* from, void*, std::size_t count, ncclDataType_t type,
                       ncclRedOp_t operation, int root, ncclComm_t handle, cudaStream_t stream) {
    return rank->ask(handle,
                     {.kind = CollectiveKind::reduce,
                      .buffer = bytes_at(from, count * element(type)),
                      .type = type_of(type),
                      .reduction = reduction_of(operation),
                      .root = root},
                     stream);
  };
  nccl.send = [rank](const void* from, std::size_t count, ncclDataType_t type, int peer,
                     ncclComm_t handle, cudaStream_t stream) {
    return rank->ask(
        handle, {.message = Call::Message::sent, .buffer = bytes_at(from, count * element(type))},
        stream, peer);
  };
  nccl.receive = [rank](void* to, std::size_t count, ncclDataType_t type, int peer,
                        ncclComm_t handle, cudaStream_t stream) {
    return rank->ask(
        handle, {.message = Call::Message::received, .buffer = bytes_at(to, count * element(type))},
        stream, peer);
  };
  nccl.allocate = [rank](void** memory, std::size_t bytes) {
    return rank->allocate(memory, bytes);
  };
  nccl.free = [rank](void* memory) { return rank->give_back(memory); };
  nccl.enlist = [this](ncclComm_t, void*, std::size_t, void** handle) {
    const std::scoped_lock lock(mutex_);
    *handle = reinterpret_cast<void*>(static_cast<std::size_t>(++registered_));
    return ncclSuccess;
  };
  nccl.open_window = [rank](ncclComm_t handle, void* memory, std::size_t bytes,
                            ncclWindow_t* window, int flags) {
    return flags == NCCL_WIN_COLL_SYMMETRIC ? rank->open_window(handle, memory, bytes, window)
                                            : ncclInvalidArgument;
  };
  nccl.close_window = [rank](ncclComm_t handle, ncclWindow_t window) {
    return rank->close_window(handle, window);
  };
  nccl.strike = [this](ncclComm_t handle, void*) {
    const std::scoped_lock lock(mutex_);
    if (handle->freed) stuck_.push_back(handle->text() + " is used after its end");
    --registered_;
    return ncclSuccess;
  };
  return nccl;
}

}  // namespace quintet::engine::test
