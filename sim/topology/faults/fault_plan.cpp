#include "sim/topology/faults/fault_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <utility>

#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"
#include "sim/topology/faults/faults.h"

namespace quintet {
namespace {

// A cable may be named from either end.
std::string turned(const std::string& part) {
  const std::size_t dash = part.find('-');
  return dash == std::string::npos ? part : part.substr(dash + 1) + "-" + part.substr(0, dash);
}

bool same_subject(const Fault& one, const Fault& other) {
  if (one.part.empty() || other.part.empty())
    return one.part == other.part && one.rank == other.rank;
  return one.part == other.part || one.part == turned(other.part);
}

std::string subject(const Fault& fault) {
  return fault.part.empty() ? fmt::format("rank {}", fault.rank) : fault.part;
}

std::string moment_text(const RunMoment& moment) {
  if (!moment.step) return text(moment.time);
  return fmt::format("step {}{}", *moment.step,
                     moment.time > Seconds{} ? " and " + text(moment.time) : "");
}

// They have one clock: both by steps, or both by time.
std::partial_ordering compared(const RunMoment& one, const RunMoment& other) {
  if (one.step.has_value() != other.step.has_value()) return std::partial_ordering::unordered;
  if (one.step != other.step) return *one.step <=> *other.step;
  return one.time.value <=> other.time.value;
}

bool precedes(const RunMoment& one, const std::optional<RunMoment>& other) {
  return !other || compared(one, *other) < 0;
}

// What one is, the other cannot be too.
bool exclude(FaultKind one, FaultKind other) {
  return one == other || one == FaultKind::fail || other == FaultKind::fail;
}

class Builder {
 public:
  Builder(const FaultFile& file, const std::string& where) : file_(file), where_(where) {}

  Result<FaultPlan> build() {
    for (number_ = 0; number_ < file_.events.size(); ++number_)
      if (auto error = add(file_.events[number_])) return *error;
    for (number_ = 0; number_ < file_.events.size(); ++number_)
      if (file_.events[number_].what == FaultKind::back)
        if (auto error = come_back(file_.events[number_])) return *error;
    if (auto error = contradiction()) return *error;
    return FaultPlan{file_.name, file_.source, where_, std::move(faults_), std::move(numbers_)};
  }

 private:
  Error wrong(std::size_t number, const char* key, const std::string& what) const {
    return {fmt::format("{}: events[{}].{}", where_, number, key), what};
  }
  Error wrong(const char* key, const std::string& what) const { return wrong(number_, key, what); }

  std::optional<Error> add(const FaultEvent& event) {
    if (auto error = wrong_subject(event)) return error;
    if (auto error = wrong_amount(event)) return error;
    if (auto error = wrong_moments(event)) return error;
    if (event.what == FaultKind::back) return std::nullopt;
    Fault fault{event.what,
                event.part,
                event.rank.value_or(-1),
                event.share.value_or(1),
                event.by.value_or(Seconds{}),
                begin_of(event),
                end_of(event)};
    if (fault.end && !(compared(fault.begin, *fault.end) < 0))
      return wrong(event.until_step ? "until_step" : "until_time",
                   fmt::format("expected an end after the begin ({}) and told as it is, by a step "
                               "or by time alone, found {}",
                               moment_text(fault.begin), moment_text(*fault.end)));
    faults_.push_back(std::move(fault));
    numbers_.push_back(number_);
    return std::nullopt;
  }

  std::optional<Error> wrong_subject(const FaultEvent& event) const {
    if (event.part.empty() != event.rank.has_value())
      return wrong("part", "expected either a part of the machine, such as host3/nic5, or a rank");
    const bool of_rank = event.what == FaultKind::slow || event.what == FaultKind::back;
    if (event.rank && !of_rank)
      return wrong("what",
                   fmt::format("expected slow or back for a rank, found {}: name the NIC or "
                               "cable that it sends through",
                               name_of(event.what)));
    return std::nullopt;
  }

  std::optional<Error> wrong_amount(const FaultEvent& event) const {
    const bool slow = event.what == FaultKind::slow, delay = event.what == FaultKind::delay;
    if (slow && !(event.share && *event.share > 0 && *event.share < 1))
      return wrong("share",
                   "expected what is left of the rate, more than 0 and less than 1 (what carries "
                   "nothing has failed: \"what\": \"fail\")");
    if (!slow && event.share)
      return wrong("share",
                   fmt::format("is of slow alone; leave it out of {}", name_of(event.what)));
    if (delay && !(event.by && *event.by > Seconds{} && *event.by <= longest_delay))
      return wrong("by", fmt::format("expected a latency of more than zero and at most {}, such as "
                                     "\"20 ms\"{}",
                                     text(longest_delay),
                                     event.by ? ", found " + in_quotes(text(*event.by)) : ""));
    if (!delay && event.by)
      return wrong("by", fmt::format("is of delay alone; leave it out of {}", name_of(event.what)));
    return std::nullopt;
  }

  std::optional<Error> wrong_moments(const FaultEvent& event) const {
    const auto below_zero = [&](const char* key, const std::optional<Seconds>& time) {
      return time && *time < Seconds{}
                 ? std::optional(wrong(key, fmt::format("expected a time of 0 or more, found {}",
                                                        in_quotes(text(*time)))))
                 : std::nullopt;
    };
    if (auto error = below_zero("time", event.time)) return error;
    if (auto error = below_zero("until_time", event.until_time)) return error;
    if (!event.step && !event.time)
      return wrong("step", "expected a step or a time (or both) at which it happens");
    if (event.what == FaultKind::back && (event.until_step || event.until_time))
      return wrong(event.until_step ? "until_step" : "until_time",
                   "what has come back stays; leave it out, and add an event where it fails again");
    return std::nullopt;
  }

  static RunMoment begin_of(const FaultEvent& event) {
    return {event.step, event.time.value_or(Seconds{})};
  }
  static std::optional<RunMoment> end_of(const FaultEvent& event) {
    if (!event.until_step && !event.until_time) return std::nullopt;
    return RunMoment{event.until_step, event.until_time.value_or(Seconds{})};
  }

  // Ends all of its part that began before and has no end before.
  std::optional<Error> come_back(const FaultEvent& event) {
    const RunMoment back = begin_of(event);
    Fault subject_of_it;
    subject_of_it.part = event.part;
    subject_of_it.rank = event.rank.value_or(-1);
    bool any = false;
    for (Fault& fault : faults_) {
      if (!same_subject(fault, subject_of_it)) continue;
      if (compared(fault.begin, back) == std::partial_ordering::unordered)
        return wrong("step", two_clocks(subject(fault)));
      if (!(compared(fault.begin, back) < 0) || !precedes(back, fault.end)) continue;
      fault.end = back;
      any = true;
    }
    if (any) return std::nullopt;
    return wrong("part", fmt::format("{} comes back at {}, but nothing is wrong with it then; "
                                     "name what was slow, late or failed before",
                                     subject(subject_of_it), moment_text(back)));
  }

  static std::string two_clocks(const std::string& name) {
    return fmt::format(
        "{} has events by step and events by time alone, of which nobody knows which "
        "comes first; tell all of them by steps, or all by time",
        name);
  }

  std::optional<Error> contradiction() const {
    for (std::size_t later = 1; later < faults_.size(); ++later)
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const Fault &one = faults_[earlier], &other = faults_[later];
        if (!same_subject(one, other) || !exclude(one.kind, other.kind)) continue;
        const std::size_t number = numbers_[later];
        if (compared(one.begin, other.begin) == std::partial_ordering::unordered)
          return wrong(number, "step", two_clocks(subject(one)));
        if (precedes(one.begin, other.end) && precedes(other.begin, one.end))
          return wrong(
              number, "what",
              fmt::format("{} from {}, but events[{}] says {} from {}{}; let one end before "
                          "the other begins",
                          text(other), moment_text(other.begin), numbers_[earlier], text(one),
                          moment_text(one.begin), one.end ? " to " + moment_text(*one.end) : ""));
      }
    return std::nullopt;
  }

  const FaultFile& file_;
  const std::string& where_;
  std::vector<Fault> faults_;
  std::vector<std::size_t> numbers_;  // of each fault's event
  std::size_t number_ = 0;
};

}  // namespace

Result<FaultPlan> fault_plan(const FaultFile& file, const std::string& where) {
  return Builder(file, where).build();
}

}  // namespace quintet
