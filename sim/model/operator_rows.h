// An operator of a micro-batch whose samples are others than its shape was made for. Pure.
#pragma once

#include "sim/model/operator.h"
#include "sim/samples/sample_work.h"

namespace quintet {

// Rows of products and of what is bound by memory are in proportion to tokens; attention has as
// many sequences as there are samples, of their root mean square length, so that its work is that
// of the samples (within the rounding of a length); for samples of one length the operator is the
// one that a micro-batch of them has. Not for unfused attention, nor for a window shorter than a
// sample; what no sample changes stays as it is: sums and casts of weights, profiles.
PricedOperator resized(const PricedOperator& work, const SampleWork& from, const SampleWork& to);

}  // namespace quintet
