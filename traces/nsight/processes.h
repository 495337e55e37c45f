// The processes of an export, each a trace in the making, and what its tables say of each other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "traces/nsight/database.h"
#include "traces/nsight/nccl_calls.h"
#include "traces/trace/trace_draft.h"

namespace quintet::nsight {

// Nsight's ids of a machine, a process and a thread in one number: the lowest 24 bits are the
// thread's, the next 24 the process's.
constexpr std::int64_t process_of(std::int64_t global_thread) {
  return global_thread & ~std::int64_t{0xFFFFFF};
}
constexpr std::int64_t thread_number(std::int64_t global) {
  return global & 0xFFFFFF;
}
constexpr std::int64_t process_number(std::int64_t global) {
  return (global >> 24) & 0xFFFFFF;
}

// A cudaEventRecord.
struct EventRecord {
  std::int64_t correlation = 0;
  std::int64_t stream = -1;
};

struct Process {
  std::int64_t global = 0;
  TraceDraft draft;
  std::unordered_set<std::int64_t> put_on_streams;       // correlations of what ran on a stream
  std::unordered_map<std::int64_t, RecordedWait> waits;  // by correlation of the call
  std::unordered_map<std::int64_t, std::vector<EventRecord>> records;  // by CUDA's event
  std::map<int, std::int64_t> contexts;  // by device: the first that is met
  NcclCalls nccl;
};

class Processes {
 public:
  explicit Processes(const Database& database) : database_(database) {}

  Process& of(std::int64_t global_process);
  std::map<std::int64_t, Process>& all() { return all_; }

  // Rows that name no process are this one's.
  void set_only(std::int64_t global_process) { only_ = global_process; }
  // None: the row does not say, and there is no only one.
  Process* of_row(std::optional<std::int64_t> global_process);

  // Of StringIds; empty where there is none. Good until the next call.
  std::string_view text(std::optional<std::int64_t> id);
  void name_thread(std::int64_t global_thread, std::string name);
  std::int32_t thread_row(Process& process, std::int64_t global_thread);

  // Of rows that belong to no process: counted with the first that is known.
  void leave_out(const std::string& what, std::int64_t count = 1) { left_out_[what] += count; }
  const std::map<std::string, std::int64_t>& left_out() const { return left_out_; }

  // What went wrong with a text, if anything did.
  const std::optional<Error>& wrong() const { return wrong_; }

 private:
  std::string look_up(std::int64_t id);

  const Database& database_;
  std::map<std::int64_t, Process> all_;
  std::optional<std::int64_t> only_;
  std::map<std::int64_t, std::string> thread_names_;
  std::unordered_map<std::int64_t, std::int32_t> thread_rows_;
  std::unordered_map<std::int64_t, std::string> texts_;
  Statement find_text_;
  std::map<std::string, std::int64_t> left_out_;
  std::optional<Error> wrong_;
};

}  // namespace quintet::nsight
