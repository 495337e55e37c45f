#include "sim/command/search/search_work.h"

#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "sim/base/progress_line.h"
#include "sim/base/quantity_text.h"
#include "sim/base/text_table.h"

namespace quintet {
namespace {

using Clock = std::chrono::steady_clock;

// The one thing that a signal's handler can reach.
std::atomic<bool> search_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void interrupt_search(int) {
  search_interrupted = true;
}

void listen_to_interrupts() {
  struct sigaction action {};
  action.sa_handler = interrupt_search;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string objective_text(double objective) {
  return fmt::format("{:.4g}", objective);
}

std::string line_of(const SearchProgress& progress, SearchPhase phase, double took) {
  std::string line = fmt::format("{} {}", name_of(phase), percent(progress.share));
  if (progress.best) line += ", best " + objective_text(progress.best->objective);
  if (progress.best && progress.bound && progress.best->objective > 0)
    line += fmt::format(", at most {} better",
                        percent(std::max(0.0, 1 - *progress.bound / progress.best->objective)));
  if (progress.share > 0.01 && progress.share < 1)
    line += ", " + rounded_text(Seconds{took * (1 / progress.share - 1)}) + " left";
  return line;
}

// Sets the search's stop where a signal came or the time is over: a round may be longer.
class Watch {
 public:
  explicit Watch(std::optional<Seconds> time) : time_(time), thread_([this] { look(); }) {}
  ~Watch() {
    over_ = true;
    thread_.join();
  }
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  void look() {
    const Clock::time_point begin = Clock::now();
    while (!over_) {
      if (search_interrupted || (time_ && seconds_since(begin) >= time_->value)) stop_ = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  std::optional<Seconds> time_;
  std::atomic<bool> stop_ = false, over_ = false;
  std::thread thread_;
};

}  // namespace

Result<SearchEnd> work_on(Search& search, const SearchIdentity& identity, const SearchWork& work) {
  constexpr double save_every = 2;  // seconds
  std::error_code failure;
  if (!work.state.empty() && std::filesystem::exists(work.state, failure)) {
    Result<SearchState> saved = read_search(work.state, identity);
    if (!saved) return saved.error();
    search.resume(std::move(*saved));
  }
  const auto save = [&]() -> std::optional<Error> {
    if (work.state.empty()) return std::nullopt;
    return replace_file(work.state, search_text(identity, search.state()));
  };
  if (const auto error = save()) return *error;
  listen_to_interrupts();
  const Watch watch(work.time);
  ProgressLine line(work.quiet ? ProgressShown::never : ProgressShown::on_terminal);
  const Clock::time_point begin = Clock::now();
  Clock::time_point saved = begin, phase_begin = begin;
  SearchPhase phase = search.state().phase;
  while (search.advance(watch.stop())) {
    if (search.state().phase != phase) phase_begin = Clock::now();
    phase = search.state().phase;
    line.show(line_of(search.progress(), phase, seconds_since(phase_begin)));
    if (seconds_since(saved) < save_every) continue;
    if (const auto error = save()) return *error;
    saved = Clock::now();
  }
  line.clear();
  if (const auto error = save()) return *error;
  return SearchEnd{search.state(), search.progress(), search_interrupted,
                   Seconds{seconds_since(begin)}};
}

}  // namespace quintet
