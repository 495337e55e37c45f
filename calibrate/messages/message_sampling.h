// Times what ranks say to each other where the curves through it are least sure, until enough is
// known or time is up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/messages/known_curves.h"
#include "calibrate/probes/probe_journal.h"
#include "calibrate/ranks/ranks.h"

namespace quintet::calibrate {

struct MessageProgress {
  int timings = 0;      // so far, those taken over from the journal too
  double held_out = 1;  // median error so far
  Seconds left;         // of the time given
  std::string next;
};

struct MessageSamplingOptions {
  std::string at;         // TimingRecord::at: which ranks, which network
  double target = 0.03;   // held-out error
  Seconds time{60};       // nothing begins after it
  Seconds longest{0.25};  // of one call: larger sizes are left to extrapolation
  // Beyond so many ranks pairs are sampled: each with those 1, 2, 4, ... further on.
  int pairs_up_to = 64;
  std::function<Seconds()> clock;  // since the sampling began
  std::function<void(const MessageProgress&)> progress = [](const MessageProgress&) {};
};

enum class MessageEnd { target_reached, time_up, all_measured };

struct MessagesSampled {
  MessageEnd end = MessageEnd::time_up;
  int timings = 0;
  double held_out = 1;
};

// First clocks, pieces of work and three sizes of every usual curve, pairs, overlap, and three
// sizes of other curves while time is left; then whichever size of whichever curve is least sure (a
// usual one's doubt counts double). Everything goes to the journal; what that holds of these ranks
// already is not measured again, and a curve that the ranks cannot do is not asked for again.
Result<MessagesSampled> sample_messages(TimedRanks& ranks, ProbeJournal& journal,
                                        const MessageSamplingOptions& options);

}  // namespace quintet::calibrate
