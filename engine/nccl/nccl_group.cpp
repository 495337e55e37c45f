#include "engine/nccl/nccl_group.h"

#include <algorithm>
#include <cassert>
#include <fstream>
#include <thread>
#include <utility>

#include "engine/nccl/nccl_check.h"
#include "engine/nccl/nccl_functions.h"
#include "engine/nccl/unique_ids.h"

namespace quintet::engine {

namespace {

constexpr std::chrono::milliseconds pause{1};

cudaStream_t of(void* stream) {
  return static_cast<cudaStream_t>(stream);
}

}  // namespace

NcclGroup::NcclGroup(const NcclJob& job, std::string name, int size, int position)
    : job_(job),
      name_(std::move(name)),
      size_(size),
      position_(position),
      watch_(job_.nccl, job_.peers, job_.patience) {}

Result<std::unique_ptr<NcclGroup>> NcclGroup::open(const NcclJob& job,
                                                   const std::vector<Rank>& members,
                                                   const TunerRules& rules) {
  const auto place = std::find(members.begin(), members.end(), job.peers.rank());
  assert(place != members.end());
  std::unique_ptr<NcclGroup> made(new NcclGroup(job, rules.communicator,
                                                static_cast<int>(members.size()),
                                                static_cast<int>(place - members.begin())));
  if (auto wrong = made->verdict(made->opened(members, rules))) return *wrong;
  return made;
}

// The file is written before each communicator: the plugin is not told which one it serves.
std::optional<NcclTrouble> NcclGroup::opened(const std::vector<Rank>& members,
                                             const TunerRules& rules) {
  if (!job_.rules_file.empty()) {
    std::ofstream out(job_.rules_file, std::ios::trunc);
    out << rules_text(rules);
    out.close();
    if (!out) return own_trouble(job_.rules_file, "cannot be written");
  }
  const Result<ncclUniqueId> id = shared_unique_id(job_.nccl, job_.peers, members, where());
  if (!id) return NcclTrouble{id.error(), true};
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 1;  // what launches in a thread of NCCL's own takes longer
  config.commName = name_.c_str();
  // In a group, so that the watch has the communicator before the ranks wait for each other.
  job_.nccl.group_start();
  const ncclResult_t begun = job_.nccl.init_rank(&handle_, size_, *id, position_, &config);
  if (handle_ != nullptr) watch_.add(handle_, where());
  auto wrong = asked("ncclCommInitRankConfig", [&] {
    const ncclResult_t ended = job_.nccl.group_end();
    return begun == ncclSuccess ? ended : begun;
  });
  if (!wrong) watch_.opened(handle_);
  return wrong;
}

std::optional<NcclTrouble> NcclGroup::asked(const std::string& call,
                                            const std::function<ncclResult_t()>& ask) {
  return watch_.call({where(), call, handle_, size_}, ask);
}

// NCCL only sees a connection break where another rank has died: the job may know which.
std::optional<Error> NcclGroup::verdict(const std::optional<NcclTrouble>& trouble) {
  if (!trouble) return std::nullopt;
  if (!trouble->perhaps_another_rank) return trouble->error;
  const auto deadline = std::chrono::steady_clock::now() + job_.patience.verdict_within;
  while (!job_.peers.failure() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(pause);
  return job_.peers.failure().value_or(trouble->error);
}

std::optional<NcclTrouble> NcclGroup::queue(const CollectiveCall& collective, void* stream) {
  const NcclFunctions& nccl = job_.nccl;
  std::byte* const buffer = collective.buffer.data();
  const std::size_t count = collective.buffer.size() / sizeof(float);
  const std::size_t part = count / static_cast<std::size_t>(size_);
  std::byte* const own = buffer + part * sizeof(float) * static_cast<std::size_t>(position_);
  const int root = collective.root;
  switch (collective.kind) {
    case CollectiveKind::all_reduce:
      return asked("ncclAllReduce", [&] {
        return nccl.all_reduce(buffer, buffer, count, ncclFloat32, ncclSum, handle_, of(stream));
      });
    case CollectiveKind::reduce_scatter:
      return asked("ncclReduceScatter", [&] {
        return nccl.reduce_scatter(buffer, own, part, ncclFloat32, ncclSum, handle_, of(stream));
      });
    case CollectiveKind::all_gather:
      return asked("ncclAllGather", [&] {
        return nccl.all_gather(own, buffer, part, ncclFloat32, handle_, of(stream));
      });
    case CollectiveKind::broadcast:
      return asked("ncclBroadcast", [&] {
        return nccl.broadcast(buffer, buffer, count, ncclFloat32, root, handle_, of(stream));
      });
    case CollectiveKind::reduce:
      return asked("ncclReduce", [&] {
        return nccl.reduce(buffer, buffer, count, ncclFloat32, ncclSum, root, handle_, of(stream));
      });
    case CollectiveKind::all_to_all:
      return exchange(collective, stream);
  }
  return std::nullopt;
}

// NCCL makes an all-to-all of messages, all at once.
std::optional<NcclTrouble> NcclGroup::exchange(const CollectiveCall& collective, void* stream) {
  const NcclFunctions& nccl = job_.nccl;
  const std::size_t part = collective.buffer.size() / static_cast<std::size_t>(size_);
  const auto wrong_in = [&](const char* call, ncclResult_t result) {
    return trouble(nccl, where(), call, result, handle_);
  };
  if (auto wrong = wrong_in("ncclGroupStart", nccl.group_start())) return wrong;
  std::optional<NcclTrouble> wrong;
  for (int peer = 0; peer < size_ && !wrong; ++peer) {
    const std::size_t place = part * static_cast<std::size_t>(peer);
    wrong = wrong_in("ncclSend", nccl.send(collective.buffer.data() + place, part, ncclUint8, peer,
                                           handle_, of(stream)));
    if (!wrong)
      wrong = wrong_in("ncclRecv", nccl.receive(collective.received.data() + place, part, ncclUint8,
                                                peer, handle_, of(stream)));
  }
  // Left open, the group would keep back all that this thread asks of NCCL.
  const auto ended = asked("ncclGroupEnd", [&] { return nccl.group_end(); });
  return wrong ? wrong : ended;
}

std::optional<Error> NcclGroup::start(const CollectiveCall& collective,
                                      const kernels::Stream& stream) {
  return verdict(queue(collective, stream.handle));
}

std::optional<Error> NcclGroup::send(int to, std::span<const std::byte> message,
                                     const kernels::Stream& stream) {
  return verdict(asked("ncclSend", [&] {
    return job_.nccl.send(message.data(), message.size(), ncclUint8, to, handle_,
                          of(stream.handle));
  }));
}

std::optional<Error> NcclGroup::receive(int from, std::span<std::byte> message,
                                        const kernels::Stream& stream) {
  return verdict(asked("ncclRecv", [&] {
    return job_.nccl.receive(message.data(), message.size(), ncclUint8, from, handle_,
                             of(stream.handle));
  }));
}

std::optional<Error> NcclGroup::look() {
  if (auto failed = watch_.look()) return failed;
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = job_.nccl.get_async_error(handle_, &state);
  return verdict(trouble(job_.nccl, where(), "asynchronous error",
                         asked == ncclSuccess ? state : asked, handle_));
}

std::optional<Error> NcclGroup::close() {
  if (auto wrong = verdict(asked("ncclCommFinalize", [&] { return job_.nccl.finalize(handle_); })))
    return wrong;
  if (!watch_.forget(handle_)) return watch_.look();
  const ncclComm_t handle = std::exchange(handle_, nullptr);
  return verdict(
      trouble(job_.nccl, where(), "ncclCommDestroy", job_.nccl.destroy(handle), nullptr));
}

// One after another each would wait for kernels of those not aborted yet
// (https://github.com/NVIDIA/nccl/issues/1013).
void NcclGroup::abort(std::span<const std::unique_ptr<NcclGroup>> groups) {
  for (const auto& group : groups)
    if (group) group->watch_.flag();
  for (const auto& group : groups)
    if (group) group->watch_.abort();
}

}  // namespace quintet::engine
