// Independent pieces of work on a few threads.
#pragma once

#include <cstddef>
#include <functional>

namespace quintet {

// work(0) to work(count - 1), each once, on `threads` threads. `progress` gets the share done, from
// one thread at a time. What `work` throws is thrown on, after all threads have ended.
void for_each_index(std::size_t count, int threads, const std::function<void(std::size_t)>& work,
                    const std::function<void(double share)>& progress = {});

}  // namespace quintet
