// quintet-calibrate: this machine's cost table. Started by `quintet calibrate`.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "calibrate/calibrate_command.h"
#include "calibrate/loop_command.h"
#include "calibrate/measure_messages.h"
#include "engine/kept_memory.h"
#include "engine/launch/rendezvous_place.h"
#include "sim/usage/complain.h"
#include "sim/usage/run_verb.h"

namespace {

using namespace quintet;

// A rank of the job that times messages, started by this very program.
int be_ring_rank(const std::vector<std::string>& given) {
  const auto address = engine::parse_address(given[3]);
  const auto token = engine::token_from_environment();
  if (!address || !token)
    return static_cast<int>(complain(address ? token.error() : address.error()));
  const auto timings =
      calibrate::time_rings({std::stoi(given[1]), std::stoi(given[2]), *address, given[4], *token});
  if (!timings) return static_cast<int>(complain(timings.error()));
  if (given[1] == "0") std::puts(calibrate::line_of(*timings).c_str());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  engine::keep_freed_memory();
  try {
    std::vector<std::string> given(words + (count > 0 ? 1 : 0), words + count);
    if (given.size() == 5 && given.front() == calibrate::ring_rank_word) return be_ring_rank(given);
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
