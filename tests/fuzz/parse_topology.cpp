#include "sim/topology/file/topology_file.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::require_place(
      parse_topology(fuzz::text_of(data, size), "input", QUINTET_SOURCE_DIR "/topologies"));
  return 0;
}
