// What NCCL's NVTX ranges say of its kernels: a kernel was launched inside ncclAllReduce, or at the
// end of a group by ncclGroupEnd, which launches what the group's calls asked for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "traces/nccl/members.h"
#include "traces/trace/trace_draft.h"

namespace quintet::nsight {

// A range of NCCL's domain on a thread.
struct NcclCall {
  enum class Kind : std::uint8_t { communication, group_start, group_end };
  Kind call = Kind::communication;
  CommunicationKind kind = CommunicationKind::unknown;
  std::int64_t start = 0, end = 0;
  std::int64_t bytes = -1;                    // as the call counts them; -1: not known
  std::optional<std::uint64_t> communicator;  // NCCL's hash of it
  int peer = -1;                              // in the communicator
};

// None: NCCL has no such call, or one that does not communicate.
std::optional<NcclCall> nccl_call_named(std::string_view name);

class NcclCalls {
 public:
  void add_call(std::int64_t thread, const NcclCall& call) { calls_[thread].push_back(call); }
  // `facts`: index into communications.
  void add_kernel(std::int64_t correlation, std::int32_t facts);
  bool launched(std::int64_t correlation) const { return kernels_.count(correlation) > 0; }
  void add_launch(std::int64_t thread, std::int64_t start, std::int64_t correlation) {
    launches_[thread].push_back({start, correlation});
  }
  // The process's rank in a communicator, of so many.
  void set_member(std::uint64_t communicator, std::int64_t rank, std::int64_t ranks);

  // Completes the facts of the kernels that the calls explain.
  void settle(TraceDraft& draft);

 private:
  struct Launch {
    std::int64_t start = 0, correlation = 0;
  };
  // Calls whose kernels are launched in one piece of a thread's time.
  struct Unit {
    std::int64_t start = 0, end = 0;
    std::vector<NcclCall> calls;
  };

  static std::vector<Unit> units_of(std::vector<NcclCall>& calls);
  void settle_unit(const Unit& unit, const std::vector<std::int32_t>& kernels,
                   TraceDraft& draft) const;
  void set(std::int32_t facts, const NcclCall& call, TraceDraft& draft) const;
  void set_together(std::int32_t facts, const Unit& unit, TraceDraft& draft) const;
  std::int64_t ranks_of(const NcclCall& call) const;

  std::map<std::int64_t, std::vector<NcclCall>> calls_;  // by thread
  std::map<std::int64_t, std::vector<Launch>> launches_;
  std::multimap<std::int64_t, std::int32_t> kernels_;  // by correlation
  std::map<std::uint64_t, GroupMember> members_;
};

}  // namespace quintet::nsight
