// A reader that breaks its promise, to show that the bounded run finds it.
#include "tests/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t size) {
  quintet::fuzz::require(size % 2 == 0, "lengths are even");
  return 0;
}
