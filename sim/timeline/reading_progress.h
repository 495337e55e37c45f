// How far a file is read.
#pragma once

#include <cstddef>
#include <functional>

namespace quintet {

// Called now and then with how many bytes of how many are read, as they are when unpacked. It may
// throw: reading ends there, and whoever asked for it gets what was thrown.
using ReadingProgress = std::function<void(std::size_t read, std::size_t of)>;

}  // namespace quintet
