// A positive quantity as a smooth function of positive sizes, from measured points: a Gaussian
// process over the logarithms of both (Rasmussen and Williams, Gaussian Processes for Machine
// Learning, 2006: algorithm 2.1, left-out points by equations 5.10 to 5.12). Pure.
//
//   log value = constant + slopes . log sizes + bends + noise
//
// with a wide prior on the constant, 0.5 on each slope (a time per byte or flop grows by no high
// power of a size), and Matern 5/2 bends of size `amplitude` over `lengths`. Slopes hold up to a
// factor of 1.5 beyond the samples' sizes; further out the value stays.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/cost/fit_validity.h"

namespace quintet {

struct CurveSample {
  std::vector<double> sizes;  // each above 0; as many as the other samples have
  double value = 0;           // above 0
  bool operator==(const CurveSample&) const = default;
};

// In natural logarithms.
struct Smoothness {
  double amplitude = 0.3;
  double noise = 0.02;          // standard deviation of a sample
  std::vector<double> lengths;  // one per size
  bool operator==(const Smoothness&) const = default;
};

struct CurveEstimate {
  double value = 0;
  double deviation = 0;  // standard deviation of its logarithm, noise not included
};

// A sample, and what a curve through the others says of it.
struct LeftOutSample {
  double error = 0;  // real / fit - 1
  double z = 0;      // of the logarithms, in standard deviations of what the others leave open
};

// A curve along one or more samples. It is solved when made: a value then takes one pass over the
// samples.
class SampledCurve {
 public:
  SampledCurve(std::vector<CurveSample> samples, Smoothness smoothness);

  double value(std::span<const double> sizes) const;
  CurveEstimate at(std::span<const double> sizes) const;
  std::vector<LeftOutSample> left_out() const;  // in the order of the samples; two or more of them
  double log_likelihood() const { return log_likelihood_; }
  bool operator==(const SampledCurve&) const = default;

 private:
  using Place = std::vector<double>;  // log sizes from the centre
  double covariance(std::span<const double> left, std::span<const double> right) const;
  Place place_of(std::span<const double> sizes) const;
  Place near_samples(Place place) const;
  Place near_others(std::size_t sample) const;
  std::vector<double> inverse_column(std::size_t sample) const;

  Smoothness smoothness_;
  std::size_t count_ = 0;
  std::vector<double> centre_;  // of the samples' log sizes
  std::vector<Place> places_;
  double level_ = 0;             // mean log value
  std::vector<double> factor_;   // Cholesky's, by rows
  std::vector<double> weights_;  // inverse covariance times log values
  double log_likelihood_ = 0;
};

// The likeliest within what timings show: noise of 0.3 % to 30 %, bends over a factor of 1.3 in a
// size or more. A sample far off the others (|z| > 4) does not make all of them noisy: it is left
// aside while the smoothness is chosen.
Smoothness likeliest_smoothness(std::span<const CurveSample> samples);

// Which of them the others contradict: |z| > 4, where the samples in the middle are the measure.
std::vector<bool> exceptional_samples(std::span<const LeftOutSample> left_out);

// Quantiles of the errors of samples left out; none of none.
Residuals residuals_of(std::span<const LeftOutSample> left_out);
double median_error(std::span<const LeftOutSample> left_out);  // of absolute errors; 0 of none

}  // namespace quintet
