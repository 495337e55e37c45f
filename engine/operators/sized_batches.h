// Micro-batches of unequal length on a device: tokens rounded up to one of a few counts. A library
// chooses, and a driver loads, kernels for every shape of a product when it is first asked for, and
// all streams are waited for then, those among them in which other ranks are waited for: between
// ranks that would stand still (engine/executor/rehearsal.h). So all counts are rehearsed.
#pragma once

#include <vector>

#include "engine/files/data/batch.h"

namespace quintet::engine {

inline constexpr int token_counts = 32;

// Of micro-batches of so many sequences of at most `length` tokens: ascending, the last holds all
// full; each holds at least one token of every sequence.
std::vector<int> counts_of_tokens(int sequences, int length);

// The batch with as many tokens as the smallest of these that holds it: behind its own come
// documents of tokens 0 without targets, whose losses and gradients are nothing.
Batch rounded_up(Batch batch, const std::vector<int>& counts);

}  // namespace quintet::engine
