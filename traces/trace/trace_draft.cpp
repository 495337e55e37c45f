#include "traces/trace/trace_draft.h"

#include <utility>

namespace quintet {
namespace {

template <class Fact>
std::int32_t put(std::vector<Fact>& list, Fact fact) {
  list.push_back(std::move(fact));
  return static_cast<std::int32_t>(list.size() - 1);
}

}  // namespace

TraceDraft::TraceDraft(std::string file, std::string format) {
  trace_.file = std::move(file);
  trace_.format = std::move(format);
}

std::int32_t TraceDraft::name(std::string_view text) {
  if (const auto found = names_.find(text); found != names_.end()) return found->second;
  const std::int32_t at = put(trace_.names, std::string(text));
  names_.emplace(text, at);
  return at;
}

std::int32_t TraceDraft::row(const RecordedRow& row) {
  const auto [at, is_new] = rows_.try_emplace({row.kind, row.device, row.id, row.name},
                                              static_cast<std::int32_t>(trace_.rows.size()));
  if (is_new) trace_.rows.push_back(row);
  return at->second;
}

std::int32_t TraceDraft::group(std::string_view name) {
  if (const auto found = groups_.find(name); found != groups_.end()) return found->second;
  const std::int32_t at = put(trace_.groups, ProcessGroup{.name = std::string(name)});
  groups_.emplace(name, at);
  return at;
}

std::int32_t TraceDraft::facts(RecordedCommunication communication) {
  return put(trace_.communications, std::move(communication));
}
std::int32_t TraceDraft::facts(RecordedCopy copy) {
  return put(trace_.copies, copy);
}
std::int32_t TraceDraft::facts(RecordedWait wait) {
  return put(trace_.waits, wait);
}
std::int32_t TraceDraft::facts(RecordedOperation operation) {
  return put(trace_.operations, operation);
}

void TraceDraft::leave_out(std::string_view what, std::int64_t count) {
  if (count == 0) return;
  const auto found = left_out_.find(what);
  if (found == left_out_.end())
    left_out_.emplace(what, count);
  else
    found->second += count;
}

RankTrace TraceDraft::finish() {
  for (const auto& [what, count] : left_out_) trace_.left_out.push_back({what, count});
  put_in_order(trace_);
  RankTrace finished = std::move(trace_);
  *this = TraceDraft(finished.file, finished.format);
  return finished;
}

}  // namespace quintet
