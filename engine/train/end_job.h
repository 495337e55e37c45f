// How a rank that cannot go on leaves its job.
#pragma once

#include "engine/peers/peers.h"

namespace quintet::engine {

// Whoever failed ends the job in its own name; a rank that was told of it by other ways gives it a
// moment to do so.
void end_job(const Error& error, Peers& peers);

}  // namespace quintet::engine
