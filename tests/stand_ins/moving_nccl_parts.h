// What the stand-in for NCCL is made of.
#pragma once

#include <atomic>
#include <utility>

#include "tests/stand_ins/moving_nccl.h"

// One rank's place in a group.
struct ncclComm {
  std::string name;
  bool blocking = true;
  int id = 0, members = 0, position = 0;
  void* group = nullptr;
  quintet::kernels::Device* device = nullptr;
  quintet::kernels::StreamEvent last{};  // behind the call before
  bool called = false;
  int graphs = 0;                                 // that keep work of it
  std::atomic<ncclResult_t> state = ncclSuccess;  // of what its own thread does
  std::thread thread{};
  bool freed = false;

  std::string text() const { return "member " + std::to_string(position) + " of \"" + name + "\""; }
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

// Memory of a member from `first` on, in an allocation.
struct MovingNccl::Window {
  const std::byte* first = nullptr;
  std::size_t bytes = 0, offset = 0, allocated = 0;
  bool open = true;

  bool holds(std::span<const std::byte> buffer) const {
    return open && buffer.data() >= first && buffer.data() < first + bytes;
  }
};

struct MovingNccl::Group {
  std::size_t members = 0;
  std::set<int> joined, aborted;        // members
  std::set<Side> sides;                 // that have come to their first use
  std::vector<std::uint64_t> arrivals;  // per member, so far
  std::map<std::uint64_t, std::map<int, Call>> waiting;
  std::set<std::uint64_t> over;
  std::map<int, std::vector<Window>> windows;  // by member, in the order in which they were opened
};

// What a thread asks for between the start of a group and its end.
struct MovingNccl::Batch {
  struct Asked {
    ncclComm* handle = nullptr;
    Call call;
    cudaStream_t stream = nullptr;
    int peer = 0;  // of messages
  };
  int depth = 0;
  std::vector<ncclComm*> joining, finalised, freed;
  std::vector<Asked> asked;
};

// The calls of one rank.
class MovingNccl::OfRank {
 public:
  OfRank(MovingNccl& nccl, kernels::Device& device) : nccl_(nccl), device_(device) {}

  ncclResult_t init(ncclComm_t* handle, int members, ncclUniqueId id, int position,
                    const ncclConfig_t& config);
  ncclResult_t start();
  ncclResult_t end();
  ncclResult_t abort(ncclComm_t handle);
  ncclResult_t finalise(ncclComm_t handle) { return add(handle, &Batch::finalised); }
  ncclResult_t free(ncclComm_t handle) { return add(handle, &Batch::freed); }
  ncclResult_t ask(ncclComm_t handle, Call call, cudaStream_t stream, int peer = 0);
  ncclResult_t allocate(void** memory, std::size_t bytes);
  ncclResult_t give_back(void* memory);
  ncclResult_t open_window(ncclComm_t handle, void* memory, std::size_t bytes,
                           ncclWindow_t* window);
  ncclResult_t close_window(ncclComm_t handle, ncclWindow_t window);

 private:
  ncclResult_t add(ncclComm_t handle, std::vector<ncclComm*> Batch::*list);
  Batch& batch();
  ncclResult_t execute(Batch& batch);
  ncclResult_t in_place_or_apart(Batch batch);

  MovingNccl& nccl_;
  kernels::Device& device_;
  std::mutex mutex_;
  std::map<std::thread::id, Batch> batches_;
  std::map<std::byte*, std::size_t> allocated_;
};

inline std::string route_text(int from, int to) {
  return std::to_string(from) + ">" + std::to_string(to);
}

}  // namespace quintet::engine::test
