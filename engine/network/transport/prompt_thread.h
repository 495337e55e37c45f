// A thread that works little but must not wait: the progress thread, beside threads that compute.
#pragma once

namespace quintet::engine {

// Asks for this thread to run as soon as it wakes: for the shortest time slices (Linux 6.12 and
// later; "sched_runtime" of sched_setattr(2) for SCHED_OTHER), which needs no privilege. Without it
// a woken thread waits for up to a computing thread's slice, some 3 ms. Elsewhere: nothing happens.
void make_this_thread_prompt();

}  // namespace quintet::engine
