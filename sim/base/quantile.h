// The middle of a handful of numbers, and other places in their order. Of one number or more, of
// any type that has an order; the definitions differ in what they say between two numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace quintet {

// At `place` of the order, counted from 0 and held to its ends; on a line between two numbers.
inline double at_place(std::vector<double> values, double place) {
  std::sort(values.begin(), values.end());
  place = std::clamp(place, 0.0, static_cast<double>(values.size() - 1));
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

// share 0: the least, 1: the largest.
inline double quantile(const std::vector<double>& values, double share) {
  return at_place(values, share * static_cast<double>(values.size() - 1));
}

// Below the i-th of n measurements another one lies with probability i / (n + 1), not i / n: the
// quantiles of the n themselves would promise too much of those not seen.
inline double quantile_of_unseen(const std::vector<double>& values, double share) {
  return at_place(values, share * static_cast<double>(values.size() + 1) - 1);
}

// The least number that at least `share` of them do not exceed.
inline double quantile_reached(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double count = std::ceil(share * static_cast<double>(values.size()));
  return values[std::max<std::size_t>(static_cast<std::size_t>(count), 1) - 1];
}

// One of the numbers: the lower one of two.
template <class Value>
Value lower_quantile(std::vector<Value> values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

template <class Value>
Value lower_median(std::vector<Value> values) {
  return lower_quantile(std::move(values), 0.5);
}

template <class Value>
Value upper_median(std::vector<Value> values) {
  const auto place = static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

// The mean of the two in the middle, where there are two.
template <class Value>
Value median(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace quintet
