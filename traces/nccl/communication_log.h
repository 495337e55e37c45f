// What NCCL logs with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL,TUNING of the collectives and
// messages that it is asked for (src/init.cc, src/enqueue.cc): which, in which order, how large, by
// which algorithm. It logs calls, never how long they take; instants of the calls are there only if
// the lines have time stamps (NCCL_DEBUG_TIMESTAMP_LEVELS=INFO). So this is a value of its own and
// no RankTrace: nothing in it lasts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/timeline/reading_progress.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

// One process's handle of a communicator.
struct LoggedCommunicator {
  std::string handle;  // "0x5581a0", of that process only
  std::string name;    // the same for all its members: NCCL's commId; empty: not logged
  int size = 0;        // 0: not known
  int rank = -1;       // of the process in it; -1: not known
  int device = -1;     // CUDA's
  std::string parent;  // handle of the one it was split from; empty: none
  int color = 0;       // of the split
  bool operator==(const LoggedCommunicator&) const = default;
};

struct LoggedCommunication {
  CommunicationKind kind = CommunicationKind::unknown;
  DataType type = DataType::fp32;
  bool type_known = false;
  std::int64_t count = -1;         // of elements, as the call counts them
  Bytes size{-1};                  // nccl-tests' convention; below 0: not known
  std::int32_t communicator = -1;  // index into LoggedProcess::communicators
  // Calls of one communicator with the same were launched together, as a group.
  std::int64_t launch = -1;
  int root = -1;                    // of broadcasts and reductions; the peer of messages
  std::string stream;               // "0x55e0"
  std::string algorithm, protocol;  // "RING", "LL128", as NCCL writes them; empty: not logged
  int channels = 0;                 // 0: not logged
  std::optional<std::int64_t> nanoseconds;  // since 1970 by the host's clock, of the call
  bool operator==(const LoggedCommunication&) const = default;
};

struct LoggedProcess {
  std::string host;
  std::int64_t id = 0;
  int rank = -1;  // of the job, where RCCL logs it; -1: not known
  std::vector<LoggedCommunicator> communicators;
  std::vector<LoggedCommunication> communications;  // in the order in which they were called
  bool operator==(const LoggedProcess&) const = default;
};

struct CommunicationLog {
  std::string file;
  std::vector<LoggedProcess> processes;  // by host and id
  std::vector<LeftOut> left_out;
  bool operator==(const CommunicationLog&) const = default;
};

bool is_nccl_log(std::string_view beginning);

// Lines of several processes may be mixed, and lines of others in between. Errors: no line of NCCL,
// or none of a collective or message (then which subsystems to log).
Result<CommunicationLog> read_nccl_log(const std::filesystem::path& file,
                                       const ReadingProgress& progress = {});
Result<CommunicationLog> parse_nccl_log(std::string_view text, const std::string& where);

}  // namespace quintet
