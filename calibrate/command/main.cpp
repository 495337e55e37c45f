// quintet-calibrate: this machine's cost table. Started by `quintet calibrate`.

#include <exception>
#include <string>
#include <vector>

#include "calibrate/command/calibrate_command.h"
#include "calibrate/loop/loop_command.h"
#include "calibrate/messages/message_job.h"
#include "engine/command/kept_memory.h"
#include "engine/launch/rendezvous/rendezvous_place.h"
#include "sim/usage/complain.h"
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

}  // namespace

int main(int count, char** words) {
  engine::keep_freed_memory();
  try {
    std::vector<std::string> given(words + (count > 0 ? 1 : 0), words + count);
    if (!given.empty() && given.front() == calibrate::started_rank_word)
      return static_cast<int>(be_message_rank(given));
    CLI::App program("Measures what training costs on this machine.", "quintet");
    program.require_subcommand(1);
    Verbs verbs;
    verbs.push_back(calibrate::add_calibrate(program));
    verbs.push_back(calibrate::add_loop(program));
    if (given.empty() || given.front() != "loop") given.insert(given.begin(), "calibrate");
    return static_cast<int>(after_writing_out(run_verb(program, verbs, given)));
  } catch (const std::exception& failure) {
    return static_cast<int>(quintet::complain({"", failure.what()}));
  }
}
