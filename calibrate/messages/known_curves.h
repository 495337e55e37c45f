// What a journal holds of what ranks said to each other, and the words by which it does. Pure.
#pragma once

#include <string>
#include <vector>

#include "calibrate/messages/message_curves.h"
#include "calibrate/probes/probe_journal.h"
#include "calibrate/ranks/ranks.h"

namespace quintet::calibrate {

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
