#include "sim/cost/file/cost_table_file.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::require_place(parse_cost_table(fuzz::text_of(data, size), "input"));
  return 0;
}
