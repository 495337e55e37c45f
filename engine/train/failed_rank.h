// What a rank says of a failure, beside what other ranks say of it, and how it leaves its job.
#pragma once

#include <string>

#include "engine/peers/peers.h"
#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

// "rank 2" of "rank 2: /tmp/x", when that is not `self`.
bool blames_another(const Error& error, Rank self);

// Without the rank's own name, for where that is said already: "/tmp/x: cannot be written".
std::string own_words(const Error& error, Rank self);

// The same, and "lost rank 2: its connection closed" when it is another's failure.
std::string complaint(const Error& error, Rank self);

// Whoever failed ends the job in its own name; a rank that was told of it by other ways gives it a
// moment to do so.
void end_job(const Error& error, Peers& peers);

}  // namespace quintet::engine
