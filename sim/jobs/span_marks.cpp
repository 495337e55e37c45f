#include "sim/jobs/span_marks.h"

#include <algorithm>
#include <cmath>

namespace quintet {

bool SpanMarks::alike(std::size_t one, std::size_t other, const std::vector<bool>& running) const {
  for (std::size_t job = 0; job < running.size(); ++job)
    if (running[job] && marks_[one].into[job] != marks_[other].into[job]) return false;
  return true;
}

// Every job has begun a step meanwhile.
bool SpanMarks::all_step(std::size_t from, const std::vector<bool>& running) const {
  for (std::size_t job = 0; job < running.size(); ++job)
    if (running[job] && marks_[from].walked[job] == marks_.back().walked[job]) return false;
  return true;
}

// How far apart the jobs are on their circles: a step that has just begun is near one that is
// nearly over.
double SpanMarks::unlike(std::size_t one, const std::vector<bool>& running,
                         const std::vector<Duration>& usual) const {
  double most = 0;
  for (std::size_t job = 0; job < running.size(); ++job) {
    if (!running[job] || usual[job] <= Duration{}) continue;
    const double turns =
        seconds(marks_[one].into[job] - marks_.back().into[job]) / seconds(usual[job]);
    most = std::max(most, std::abs(turns - std::round(turns)));
  }
  return most;
}

RepeatingSpan SpanMarks::since(std::size_t from, double unlike) const {
  const SpanMark &first = marks_[from], &last = marks_.back();
  RepeatingSpan span{last.at - first.at, last.walked, last.carried, unlike};
  for (std::size_t job = 0; job < span.steps.size(); ++job) span.steps[job] -= first.walked[job];
  for (std::size_t link = 0; link < span.carried.size(); ++link)
    span.carried[link] -= first.carried[link];
  return span;
}

std::optional<RepeatingSpan> SpanMarks::span(const std::vector<bool>& running,
                                             const std::vector<Duration>& usual) const {
  if (marks_.empty()) return std::nullopt;
  const std::size_t last = marks_.size() - 1;
  for (std::size_t apart = 1; 2 * apart <= last; ++apart) {
    const std::size_t one = last - apart, two = last - 2 * apart;
    if (alike(one, last, running) && alike(two, last, running) && all_step(one, running) &&
        marks_[last].at - marks_[one].at == marks_[one].at - marks_[two].at)
      return since(one, 0);
  }
  if (marks_.size() < static_cast<std::size_t>(most_)) return std::nullopt;
  std::optional<std::size_t> best;
  for (std::size_t one = 1; one <= last / 2; ++one)
    if (all_step(one, running) &&
        (!best || unlike(one, running, usual) < unlike(*best, running, usual)))
      best = one;
  if (!best) return std::nullopt;
  return since(*best, unlike(*best, running, usual));
}

}  // namespace quintet
