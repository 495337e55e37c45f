#include "engine/recording/attribution.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <unordered_map>

namespace quintet::engine {

namespace {

using kernels::Activity;
using kernels::ActivityKind;
using kernels::DeviceRecords;
using std::chrono::nanoseconds;

class Attributing {
 public:
  Attributing(const DeviceRecords& records, std::uint64_t step) : step_(step) {
    for (const kernels::CallPurpose& each : records.purposes) purposes_[each.call] = each.purpose;
    for (const Activity& each : records.activities) take(each);
    counts_.dropped = static_cast<std::int64_t>(records.dropped);
    counts_.broken = static_cast<std::int64_t>(records.broken);
    for (const kernels::RecordingCost& each : records.costs)
      counts_.cost += nanoseconds(each.end - each.start);
  }

  Attribution result();

 private:
  std::optional<Requester> requester(const Activity& activity) const;
  void take(const Activity& activity);

  std::uint64_t step_;
  std::unordered_map<std::uint32_t, std::uint64_t> purposes_;  // by call
  std::map<int, std::vector<const Activity*>> pieces_;         // by task
  RecordCounts counts_;
};

std::optional<Requester> Attributing::requester(const Activity& activity) const {
  const auto found = purposes_.find(activity.call);
  if (found == purposes_.end()) return std::nullopt;
  std::optional<Requester> asked = requester_of(found->second);
  if (!asked || activity.graph_node == 0) return asked;
  const std::optional<Requester> captured = requester_of(activity.captured_for);
  if (!captured) return std::nullopt;
  return Requester{asked->step, captured->task};
}

void Attributing::take(const Activity& activity) {
  ++counts_.pieces;
  const std::optional<Requester> asked = requester(activity);
  if (!asked)
    ++counts_.of_nothing;
  else if (asked->step != step_)
    ++counts_.of_others;
  else if (activity.start <= 0 || activity.end < activity.start)
    ++counts_.without_time;
  else if (!asked->task)
    ++counts_.of_no_task;
  else
    pieces_[*asked->task].push_back(&activity);
}

// The time that the pieces, in order of start, cover together.
nanoseconds covered(const std::vector<const Activity*>& pieces) {
  std::int64_t sum = 0, until = 0;
  for (const Activity* const piece : pieces) {
    sum += std::max<std::int64_t>(0, piece->end - std::max(piece->start, until));
    until = std::max(until, piece->end);
  }
  return nanoseconds(sum);
}

DeviceWork work_of(int task, std::vector<const Activity*> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Activity* left, const Activity* right) { return left->start < right->start; });
  DeviceWork work{task,
                  nanoseconds(pieces.front()->start),
                  {},
                  covered(pieces),
                  static_cast<int>(pieces.size()),
                  {}};
  std::int64_t longest = -1;
  for (const Activity* const piece : pieces) {
    work.end = std::max(work.end, nanoseconds(piece->end));
    if (piece->kind != ActivityKind::kernel || piece->end - piece->start <= longest) continue;
    longest = piece->end - piece->start;
    work.longest = piece->name;
  }
  return work;
}

Attribution Attributing::result() {
  Attribution made{{}, counts_};
  for (auto& [task, pieces] : pieces_) {
    made.counts.of_tasks += static_cast<std::int64_t>(pieces.size());
    made.work.push_back(work_of(task, std::move(pieces)));
  }
  return made;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

}  // namespace

RecordCounts& RecordCounts::operator+=(const RecordCounts& more) {
  pieces += more.pieces;
  of_tasks += more.of_tasks;
  of_no_task += more.of_no_task;
  of_others += more.of_others;
  of_nothing += more.of_nothing;
  without_time += more.without_time;
  dropped += more.dropped;
  broken += more.broken;
  cost += more.cost;
  return *this;
}

Attribution attribute(const DeviceRecords& records, std::uint64_t step) {
  return Attributing(records, step).result();
}

std::string note_of(const DeviceWork& work) {
  char busy[64];
  std::snprintf(busy, sizeof(busy), ", busy %.1f us", static_cast<double>(work.busy.count()) / 1e3);
  std::string note = std::to_string(work.pieces) + (work.pieces == 1 ? " piece" : " pieces") + busy;
  if (!work.longest.empty()) note += ", longest " + short_kernel_name(work.longest);
  return note;
}

std::string short_kernel_name(const std::string& name) {
  std::string text = demangled(name);
  const std::string nameless = "(anonymous namespace)::";
  for (auto at = text.find(nameless); at != std::string::npos; at = text.find(nameless))
    text.erase(at, nameless.size());
  text = text.substr(0, text.find_first_of("<("));
  const auto before = text.find_last_of(" :");
  return before == std::string::npos ? text : text.substr(before + 1);
}

}  // namespace quintet::engine
