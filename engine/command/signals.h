// How a run is asked to end: SIGINT or SIGTERM.
#pragma once

namespace quintet::engine {

// The first asks to end after the step, the second ends at once.
void listen_to_signals();
bool is_asked_to_end();

}  // namespace quintet::engine
