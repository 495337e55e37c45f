// How much of the machine other programs took while this one's children ran.
#pragma once

namespace quintet::calibrate {

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
