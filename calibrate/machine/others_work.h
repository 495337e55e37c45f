// How much of the machine other programs took while this one's children ran.
#pragma once

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet::calibrate {

// What all cores of this machine worked, whoever for: also the kernel's network threads. Since the
// machine started, summed over cores, in steps of a clock tick; from /proc/stat.
Result<Seconds> machine_work();

class OthersWork {
 public:
  OthersWork();  // from now on

  // This is the share of the cores' time that neither children that have ended nor idling took. The
  // network's work for the children is among it: some percent.
  double share() const;

 private:
  struct Sample {
    double clock = 0, machine = 0, children = 0;  // seconds
  };
  static Sample now();

  Sample begin_;
};

// Above this others disturbed a run.
inline constexpr double disturbing_share = 0.12;

}  // namespace quintet::calibrate
