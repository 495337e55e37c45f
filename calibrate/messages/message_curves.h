// Times of collectives and messages over sizes: which curves there are to measure among some ranks,
// and what is known of each. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/ranks/ranks.h"
#include "sim/cost/communication_costs.h"
#include "sim/cost/sampled_curve.h"

namespace quintet::calibrate {

struct CurveName {
  std::optional<Method> method;  // none: a message from the first member to the second
  Members members;
  bool usual = true;  // what plans get unless they ask for something else
  Bytes largest = MessageSizes{}.largest;
  bool operator==(const CurveName&) const = default;
};

// "all_reduce by ring, ranks 0+1x4"; "all_reduce by choice, ..."; "message, ranks 0+1x2".
std::string text_of(const CurveName& name);
// The same with the size: TimingRecord::what.
std::string timing_of(const CurveName& name, Bytes size);
std::string timing_of(const PairProbe& pair);

// All ranks; where every host has as many, and they are numbered host by host, also halves of them
// inside a host and among hosts; and a message of each kind of way. Every method for each group,
// the usual ones first.
std::vector<CurveName> curves_to_measure(const std::vector<RankSeat>& seats,
                                         const std::vector<Method>& methods,
                                         Bytes largest = MessageSizes{}.largest);

// From 256 B to the largest by factors of the square root of two, in whole elements for every
// member: sizes of plans are no powers of two.
std::vector<Bytes> sizes_of(const CurveName& name);

// A latency and a rate: what nearly all of a time is.
struct LatencyAndRate {
  Seconds latency;
  Bandwidth rate;
  Seconds time(Bytes size) const { return latency + size / rate; }
};
// The one that errs least, as a share of the time: least absolute deviations, so that a few samples
// that were disturbed move it little. Of two sizes or more; both numbers are above zero.
LatencyAndRate fitted_line(const std::vector<CurvePoint>& samples);

// One of them: a latency and a rate, times a Gaussian process over the size for what a protocol, a
// queue or caches add. Samples are taken as they come; fit() makes what follows speak of them.
class TimeCurve {
 public:
  void add(Bytes size, Seconds time);
  void fit();

  int samples() const { return static_cast<int>(samples_.size()); }
  int samples_at(Bytes size) const;
  Bytes least() const;
  Bytes most() const;
  // Standard deviation of the logarithm of the time, noise aside; 1 before there are two samples.
  double deviation(Bytes size) const;
  std::optional<Seconds> time(Bytes size) const;
  // These compare each sample with what the others say, whose line is fitted without it too; there
  // are some from three samples on. They are in the order of the samples.
  const std::vector<LeftOutSample>& left_out() const { return left_out_; }
  const std::vector<CurvePoint>& all_samples() const { return samples_; }
  // Doubling sizes from the least to the most that was measured, times rising.
  std::vector<CurvePoint> points() const;

 private:
  struct Fit {
    LatencyAndRate line;
    SampledCurve beyond;  // times over the line's
    Seconds time(Bytes size) const {
      return beyond.at(std::vector{size.value}).value * line.time(size);
    }
  };
  static std::vector<CurveSample> beyond(const LatencyAndRate& line,
                                         const std::vector<CurvePoint>& samples);
  void leave_out(const Smoothness& smoothness);

  std::vector<CurvePoint> samples_;
  std::optional<Fit> fit_;
  std::vector<LeftOutSample> left_out_;
};

}  // namespace quintet::calibrate
