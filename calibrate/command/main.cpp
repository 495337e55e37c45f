// quintet-calibrate: this machine's cost table. Started by `quintet calibrate`.

#include <string>
#include <vector>

#include "calibrate/command/calibrate_command.h"
#include "calibrate/loop/loop_command.h"
#include "calibrate/messages/message_job.h"
#include "engine/command/kept_memory.h"
#include "engine/launch/rendezvous/rendezvous_place.h"
#include "sim/usage/complain.h"
#include "sim/usage/out_of_memory.h"
#include "sim/usage/run_verb.h"

namespace {

using namespace quintet;

// A rank of the job that times messages, started by this very program.
ExitCode be_message_rank(const std::vector<std::string>& given) {
  const auto rank = calibrate::parse_started_rank(given);
  if (!rank) return complain(rank.error());
  const auto token = engine::token_from_environment();
  if (!token) return complain(token.error());
  if (const auto error = calibrate::be_started_rank(*rank, *token)) {
    complain(*error);
    return ExitCode::answer_is_no;
  }
  return ExitCode::done;
}

ExitCode run(std::vector<std::string> given) {
  if (!given.empty() && given.front() == calibrate::started_rank_word)
    return be_message_rank(given);
  CommandLine program{"Measures what training costs on this machine."};
  program.verbs.push_back(calibrate::calibrate_verb());
  program.verbs.push_back(calibrate::loop_verb());
  if (given.empty() || given.front() != "loop") given.insert(given.begin(), "calibrate");
  return after_writing_out(run_verb(program, given));
}

}  // namespace

int main(int count, char** words) {
  engine::keep_freed_memory();
  return static_cast<int>(guarded([&] {
    return making(
        "what calibrate measures with",
        "less is needed with a smaller --largest, --tokens or fewer --ranks",
        [&] { return run(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count)); });
  }));
}
