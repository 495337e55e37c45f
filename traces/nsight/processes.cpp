#include "traces/nsight/processes.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace quintet::nsight {

Process& Processes::of(std::int64_t global_process) {
  const auto found = all_.find(global_process);
  if (found != all_.end()) return found->second;
  return all_
      .emplace(global_process, Process{.global = global_process,
                                       .draft = TraceDraft(database_.where(), "Nsight Systems")})
      .first->second;
}

Process* Processes::of_row(std::optional<std::int64_t> global_process) {
  if (global_process) return &of(process_of(*global_process));
  return only_ ? &of(*only_) : nullptr;
}

std::string_view Processes::text(std::optional<std::int64_t> id) {
  if (!id) return {};
  const auto found = texts_.find(*id);
  if (found != texts_.end()) return found->second;
  return texts_.emplace(*id, look_up(*id)).first->second;
}

// Only those that events have: long runs have millions that none of ours has.
std::string Processes::look_up(std::int64_t id) {
  if (wrong_ || !database_.has("StringIds", "value")) return {};
  if (!find_text_) {
    Result<Statement> made = database_.find_by_number("StringIds", "value");
    if (!made) return wrong_ = made.error(), std::string();
    find_text_ = std::move(*made);
  }
  sqlite3_bind_int64(find_text_.get(), 1, id);
  const int code = sqlite3_step(find_text_.get());
  std::string found;
  if (code == SQLITE_ROW)
    if (const unsigned char* const text = sqlite3_column_text(find_text_.get(), 0))
      found = reinterpret_cast<const char*>(text);
  if (code != SQLITE_ROW && code != SQLITE_DONE) wrong_ = database_.damaged("StringIds");
  sqlite3_reset(find_text_.get());
  return found;
}

void Processes::name_thread(std::int64_t global_thread, std::string name) {
  thread_names_.emplace(global_thread, std::move(name));
}

std::int32_t Processes::thread_row(Process& process, std::int64_t global_thread) {
  const auto known = thread_rows_.find(global_thread);
  if (known != thread_rows_.end()) return known->second;
  const std::int64_t id = thread_number(global_thread);
  const auto named = thread_names_.find(global_thread);
  const std::int32_t made =
      process.draft.row({.kind = RecordedRow::Kind::thread,
                         .id = id,
                         .name = named == thread_names_.end() || named->second.empty()
                                     ? fmt::format("thread {}", id)
                                     : fmt::format("thread {} ({})", id, named->second)});
  thread_rows_.emplace(global_thread, made);
  return made;
}

}  // namespace quintet::nsight
