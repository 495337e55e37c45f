#include "engine/launch/launcher.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "engine/launch/line_forwarder.h"
#include "engine/launch/machine_limits.h"

namespace quintet::engine {

namespace {

struct Pipe {
  Descriptor reading, writing;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Error{"pipe", system_error(errno)};
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

struct RankProcess {
  Rank rank;
  pid_t id = -1;
  std::optional<int> status;  // as waitpid tells it
  bool killed_by_us = false;
  bool stopped = false;  // when the job was over
};

// Smaller: a better reason for the job's end.
enum class Blame {
  stopped,
  signal,
  own_failure,
  wrong_input,
  other_failed,
  interrupted,
  killed_late,
  done
};

Blame blame_of(const RankProcess& process) {
  const int status = *process.status;
  if (process.stopped) return Blame::stopped;
  if (process.killed_by_us) return Blame::killed_late;
  if (!WIFEXITED(status)) return Blame::signal;
  switch (static_cast<RankExit>(WEXITSTATUS(status))) {
    case RankExit::done:
      return Blame::done;
    case RankExit::failed:
      return Blame::own_failure;
    case RankExit::wrong_input:
      return Blame::wrong_input;
    case RankExit::other_failed:
      return Blame::other_failed;
    case RankExit::interrupted:
      return Blame::interrupted;
  }
  return Blame::own_failure;
}

// What has the better reason is `words`: the rank's last line.
std::string with_reason(const std::string& what, const std::string& words) {
  return words.empty() ? what : what + ": " + words;
}

// `kills`: how many processes the kernel killed here for want of memory meanwhile.
std::string by_signal(const std::string& who, int signal, std::int64_t kills) {
  std::string text = fmt::format("{} was killed by signal {} ({})", who, signal, strsignal(signal));
  if (signal == SIGKILL && kills > 0)
    text += fmt::format(", by the kernel: the memory of its control group was used up ({} killed)",
                        kills);
  return text;
}

std::string how_it_ended(const RankProcess& process, const std::string& words, std::int64_t kills) {
  const std::string who = fmt::format("rank {}", process.rank.value);
  const int status = *process.status;
  if (process.stopped)
    return fmt::format("{} did not answer: its process {} was stopped (by SIGSTOP, or a debugger)",
                       who, process.id);
  if (process.killed_by_us) return who + " did not end by itself and was killed";
  if (WIFSIGNALED(status)) return by_signal(who, WTERMSIG(status), kills);
  if (WEXITSTATUS(status) == static_cast<int>(RankExit::other_failed))
    return with_reason(who + " lost another rank", words);
  if (WEXITSTATUS(status) == static_cast<int>(RankExit::interrupted))
    return who + " was interrupted";
  if (WEXITSTATUS(status) == static_cast<int>(RankExit::failed))
    return with_reason(who + " failed", words);
  if (WEXITSTATUS(status) == static_cast<int>(RankExit::wrong_input))
    return with_reason(who + " refused what it was given", words);
  return with_reason(fmt::format("{} ended with exit code {}", who, WEXITSTATUS(status)), words);
}

RankExit exit_for(Blame blame) {
  switch (blame) {
    case Blame::done:
      return RankExit::done;
    case Blame::wrong_input:
      return RankExit::wrong_input;
    case Blame::interrupted:
      return RankExit::interrupted;
    case Blame::stopped:
    case Blame::signal:
    case Blame::own_failure:
    case Blame::other_failed:
    case Blame::killed_late:
      return RankExit::failed;
  }
  return RankExit::failed;
}

class Launch {
 public:
  Launch(const LaunchOptions& options, RankStarter& starter, const SignalSource& signals)
      : options_(options), starter_(starter), signals_(signals) {}

  Result<LaunchEnd> run() {
    for (int rank = 0; rank < options_.world; ++rank)
      if (const auto wrong = start(Rank{rank})) {
        kill_all();
        while (running()) reap(), usleep(1000);
        return *wrong;
      }
    while (running() || printing()) {
      wait_a_moment();
      for (int number; (number = signals_.next()) != 0;) pass_on(number);
      reap();
      if (ending_since_) end_the_stopped();
      if (ending_since_ && Clock::now() > *ending_since_ + options_.grace) kill_all();
    }
    return end();
  }

 private:
  std::optional<Error> start(Rank rank) {
    Result<Pipe> input = make_pipe(), output = make_pipe(), error = make_pipe();
    for (const Result<Pipe>* pipe : {&input, &output, &error})
      if (!*pipe) return pipe->error();
    ProcessStart process = options_.process(rank);
    process.input = input->reading.number();
    process.output = output->writing.number();
    process.error = error->writing.number();
    const Result<pid_t> id = starter_.start(rank, process);
    if (!id) return id.error();
    processes_.push_back({rank, *id, std::nullopt, false});
    const std::string token = options_.token + "\n";
    [[maybe_unused]] const auto told = write(input->writing.number(), token.data(), token.size());
    const std::string name = fmt::format("rank {}: ", rank.value);
    outputs_.emplace_back(std::move(output->reading), STDOUT_FILENO, rank.value == 0 ? "" : name);
    outputs_.emplace_back(std::move(error->reading), STDERR_FILENO, name);
    return std::nullopt;
  }

  bool running() const {
    return std::any_of(processes_.begin(), processes_.end(),
                       [](const RankProcess& each) { return !each.status; });
  }
  bool printing() const {
    return std::any_of(outputs_.begin(), outputs_.end(),
                       [](const LineForwarder& each) { return each.open(); });
  }

  void wait_a_moment() {
    std::vector<pollfd> ready{{signals_.descriptor(), POLLIN, 0}};
    std::vector<LineForwarder*> of;
    for (LineForwarder& output : outputs_)
      if (output.open()) {
        ready.push_back({output.descriptor(), POLLIN, 0});
        of.push_back(&output);
      }
    constexpr int longest_nap = 200;
    if (poll(ready.data(), ready.size(), longest_nap) <= 0) {
      // Whatever still holds the pipes is no rank of ours.
      if (!running())
        for (LineForwarder& output : outputs_) output.close();
      return;
    }
    if (options_.before_output) options_.before_output();
    for (std::size_t i = 0; i < of.size(); ++i)
      if (ready[i + 1].revents != 0) of[i]->forward();
    if (options_.after_output) options_.after_output(outputs_.front().last_line());
  }

  void pass_on(int number) {
    if (number == SIGCHLD) return;
    if (interrupted_by_ != 0) return kill_all();
    interrupted_by_ = number;
    for (const RankProcess& process : processes_)
      if (!process.status) kill(process.id, number);
  }

  void reap() {
    for (RankProcess& process : processes_) {
      int status = 0;
      if (process.status || waitpid(process.id, &status, WNOHANG) != process.id) continue;
      process.status = status;
      const Blame blame = blame_of(process);
      if (blame == Blame::done) continue;
      ended_.push_back(process.rank);
      if (blame != Blame::interrupted && !ending_since_) ending_since_ = Clock::now();
    }
  }

  // They can hear of nothing.
  void end_the_stopped() {
    for (RankProcess& process : processes_)
      if (!process.status && !process.killed_by_us && is_stopped(process.id)) {
        process.stopped = process.killed_by_us = true;
        kill(process.id, SIGKILL);
      }
  }

  void kill_all() {
    for (RankProcess& process : processes_)
      if (!process.status && !process.killed_by_us) {
        process.killed_by_us = true;
        kill(process.id, SIGKILL);
      }
  }

  std::string how_it_ended(const RankProcess& process) const {
    const LineForwarder& errors = outputs_[2 * process.rank.index() + 1];
    return engine::how_it_ended(process, errors.last_line(),
                                machine_limits().memory_kills - kills_before_);
  }

  // The best reason; among equals the first that came.
  LaunchEnd end() const {
    const RankProcess* worst = nullptr;
    for (const Rank rank : ended_) {
      const RankProcess& process = processes_[rank.index()];
      if (!worst || blame_of(process) < blame_of(*worst)) worst = &process;
    }
    if (!worst) return {};
    if (interrupted_by_ != 0) {
      const std::string by = std::string("interrupted (") + strsignal(interrupted_by_) + ")";
      const bool in_order = blame_of(*worst) == Blame::interrupted;
      return {RankExit::interrupted, in_order ? by : by + ": " + how_it_ended(*worst)};
    }
    return {exit_for(blame_of(*worst)), how_it_ended(*worst)};
  }

  const LaunchOptions& options_;
  RankStarter& starter_;
  const SignalSource& signals_;
  std::vector<RankProcess> processes_;
  std::vector<LineForwarder> outputs_;
  std::vector<Rank> ended_;  // not well, in order
  std::optional<Clock::time_point> ending_since_;
  int interrupted_by_ = 0;  // a signal
  const std::int64_t kills_before_ = machine_limits().memory_kills;
};

}  // namespace

Result<LaunchEnd> launch(const LaunchOptions& options, RankStarter& starter,
                         const SignalSource& signals) {
  return Launch(options, starter, signals).run();
}

}  // namespace quintet::engine
