#include "sim/simulate/fold/repeated_calls.h"

#include <algorithm>

namespace quintet {

namespace {

// How many calls a period of so many micro-batches has; 0: there are none in the middle of the
// step.
int calls_of_period(const Script& script, int micro_batches) {
  int last = -1;
  for (const Call& call : script.calls) last = std::max(last, call.micro_batch);
  const int middle = last / 2;
  const auto of_one = std::count_if(script.calls.begin(), script.calls.end(),
                                    [&](const Call& call) { return call.micro_batch == middle; });
  return last < 0 ? 0 : static_cast<int>(of_one) * micro_batches;
}

// The same call, a period later. What it waits for is a period later too, or earlier than all
// periods (`absolute` gets the latest of those).
bool continues(const Call& before, const Call& now, int length, int micro_batches, int& absolute) {
  if (before.micro_batch < 0 || now.micro_batch != before.micro_batch + micro_batches) return false;
  if (before.after.size() != now.after.size()) return false;
  for (std::size_t place = 0; place < now.after.size(); ++place) {
    if (now.after[place] == before.after[place] + length) continue;
    if (now.after[place] != before.after[place]) return false;
    absolute = std::max(absolute, now.after[place]);
  }
  return now.body == before.body && now.layers == before.layers &&
         now.first_layer == before.first_layer && now.layer_step == before.layer_step &&
         now.chunk == before.chunk && now.bucket == before.bucket &&
         now.elements == before.elements;
}

// The longest run of calls that come again a period later.
RepeatedCalls repeated_calls(const Script& script, int micro_batches) {
  RepeatedCalls best;
  const int length = calls_of_period(script, micro_batches);
  const auto calls = static_cast<int>(script.calls.size());
  if (length == 0) return best;
  int begin = 0, absolute = -1;
  for (int call = 0; call + length < calls; ++call) {
    if (!continues(script.calls[static_cast<std::size_t>(call)],
                   script.calls[static_cast<std::size_t>(call + length)], length, micro_batches,
                   absolute)) {
      begin = call + 1;
      absolute = -1;
      continue;
    }
    const int periods = (call + 1 - begin) / length + 1;
    if (absolute < begin && periods > best.periods) best = {begin, length, periods};
  }
  return best.periods < 2 ? RepeatedCalls{} : best;
}

// The call, which comes after the part, as it is without so many of the part's periods.
std::optional<Call> moved(Call call, const RepeatedCalls& part, int periods, int micro_batches) {
  const int gone = periods * part.length;
  if (call.micro_batch >= 0) call.micro_batch -= periods * micro_batches;
  for (int& earlier : call.after) {
    if (earlier < part.begin) continue;
    if (earlier < part.begin + gone) return std::nullopt;
    earlier -= gone;
  }
  return call;
}

}  // namespace

std::optional<Repetition> repetition(const Program& program) {
  const auto stages = static_cast<int>(program.roles.size());
  for (const int micro_batches : {1, stages}) {
    Repetition found{micro_batches, {}};
    for (const Role& role : program.roles) {
      found.roles.push_back(repeated_calls(role.script, micro_batches));
      if (found.roles.back().periods == 0) break;
    }
    if (found.roles.back().periods > 0) return found;
  }
  return std::nullopt;
}

std::optional<Program> without_periods(const Program& program, const Repetition& repetition,
                                       int periods) {
  Program shorter = program;
  for (std::size_t role = 0; role < program.roles.size(); ++role) {
    const RepeatedCalls& part = repetition.roles[role];
    const std::vector<Call>& all = program.roles[role].script.calls;
    std::vector<Call>& kept = shorter.roles[role].script.calls;
    const auto end = static_cast<std::size_t>(part.begin + part.periods * part.length);
    kept.resize(end - static_cast<std::size_t>(periods * part.length));
    for (std::size_t call = end; call < all.size(); ++call) {
      std::optional<Call> later = moved(all[call], part, periods, repetition.micro_batches);
      if (!later) return std::nullopt;
      kept.push_back(std::move(*later));
    }
  }
  return shorter;
}

}  // namespace quintet
