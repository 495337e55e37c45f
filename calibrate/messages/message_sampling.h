// Times what ranks say to each other where the curves through it are least sure, until enough is
// known or time is up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/messages/message_curves.h"
#include "calibrate/messages/ranks.h"
#include "calibrate/probe_journal.h"

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
Result<MessagesSampled> sample_messages(Ranks& ranks, ProbeJournal& journal,
                                        const MessageSamplingOptions& options);

// The curves of these ranks with all that the journal holds of them, in the order of
// curves_to_measure; those without samples too.
struct KnownCurve {
  CurveName name;
  TimeCurve curve;
  bool refused = false;  // in this sampling: the ranks do not do it
};
std::vector<KnownCurve> known_curves(const std::vector<CurveName>& names,
                                     const std::vector<TimingRecord>& timings,
                                     const std::string& at);
// Median, over the curves that were begun, of how far samples lie from what the others of their
// curve say; 1 where there are none.
double held_out_error(const std::vector<KnownCurve>& curves);

// The pairs to time among so many ranks, and the size that tells latency.
std::vector<PairProbe> pairs_among(int ranks, int all_up_to);
inline constexpr Bytes small_message{8};
// What the journal says of curves that these ranks do not do.
bool is_refusal(const TimingRecord& timing);

// Median of what a timing says; journal words of what is no curve.
Seconds median_of(const std::vector<double>& seconds);
inline constexpr const char* clocks_words = "clocks";
std::string quanta_words(int rank);
std::string overlap_words(ComputeClass compute, CommunicationClass communication);

}  // namespace quintet::calibrate
