#include "kernels/cuda/cudnn/measured_attention.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

namespace quintet::kernels::cuda {

namespace {

AttentionTask task_of(AttentionTask::Pass pass, const AttentionLayout& s, ElementType type) {
  return {pass,        type,        s.sequences, s.query_rows, s.key_rows, s.query_heads,
          s.key_heads, s.head_size, s.mask,      s.window,     s.lengths};
}

std::string words_of(const AttentionTask& task, const AttentionSeconds& seconds) {
  const bool library = seconds.library_is_faster();
  const double chosen = library ? seconds.library : seconds.own;
  const double other = library ? seconds.own : seconds.library;
  char text[256];
  std::snprintf(text, sizeof text,
                "; %s of %lld x %lld, %lld heads (%lld of keys) of %lld, %s: %s, %.3f ms against "
                "%.3f ms",
                task.pass == AttentionTask::Pass::forward ? "forward" : "backward",
                static_cast<long long>(task.sequences),
                static_cast<long long>(task.query_rows / std::max<Index>(1, task.sequences)),
                static_cast<long long>(task.query_heads), static_cast<long long>(task.key_heads),
                static_cast<long long>(task.head_size),
                task.mask == AttentionMask::causal ? "causal" : "no mask",
                library ? "the library's" : "our own", chosen * 1e3, other * 1e3);
  return text;
}

}  // namespace

std::optional<AttentionSeconds> AttentionChoices::find(const AttentionTask& task) const {
  const std::lock_guard lock(mutex_);
  const auto found = measured_.find(task);
  return found == measured_.end() ? std::nullopt : std::optional(found->second);
}

void AttentionChoices::keep(const AttentionTask& task, const AttentionSeconds& seconds) {
  const std::lock_guard lock(mutex_);
  measured_.emplace(task, seconds);
}

std::string AttentionChoices::in_words() const {
  const std::lock_guard lock(mutex_);
  std::string words;
  for (const auto& [task, seconds] : measured_) words += words_of(task, seconds);
  return words;
}

MeasuredAttention::MeasuredAttention(std::unique_ptr<FusedAttention> library,
                                     std::unique_ptr<FusedAttention> own,
                                     std::unique_ptr<ProductBench> bench, AttentionChoices& choices)
    : library_(std::move(library)),
      own_(std::move(own)),
      bench_(std::move(bench)),
      choices_(choices) {}

bool MeasuredAttention::forward(const AttentionForward& a, const Stream& stream) {
  return run(
      task_of(AttentionTask::Pass::forward, a.shape, a.query.type),
      [&](FusedAttention& by) { return by.forward(a, stream); }, stream);
}

bool MeasuredAttention::backward(const AttentionBackward& a, const Stream& stream) {
  return run(
      task_of(AttentionTask::Pass::backward, a.shape, a.query.type),
      [&](FusedAttention& by) { return by.backward(a, stream); }, stream);
}

// What the library refuses it refuses every time: nothing is kept of that.
bool MeasuredAttention::run(const AttentionTask& task, const Attend& attend, const Stream& stream) {
  if (const auto known = choices_.find(task))
    return known->library_is_faster() && attend(*library_);
  if (bench_->is_capturing(stream) || !attend(*library_)) return false;
  attend(*own_);
  choices_.keep(task, {seconds_of(*library_, attend, stream), seconds_of(*own_, attend, stream)});
  // Another rank of the device may have been first; what it chose holds for all.
  return choices_.find(task)->library_is_faster() && attend(*library_);
}

double MeasuredAttention::seconds_of(FusedAttention& by, const Attend& attend,
                                     const Stream& stream) {
  double fastest = std::numeric_limits<double>::infinity();
  for (int timed = 0; timed < timed_runs; ++timed)
    fastest = std::min(fastest, bench_->seconds_of([&] { attend(by); }, stream));
  return fastest;
}

}  // namespace quintet::kernels::cuda
