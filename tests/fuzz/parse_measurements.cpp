#include "calibrate/fit/measurement_files.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

// Every reader gets every input: which one a file is for is told by little.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  for (const auto read : {calibrate::parse_measurements, calibrate::parse_nccl_tests_text,
                          calibrate::parse_nccl_tests_json, calibrate::parse_inspector_lines,
                          calibrate::parse_measurements_csv}) {
    const auto measurements = read(text, "input");
    fuzz::require_place(measurements);
    if (!measurements) continue;
    for (const auto& each : measurements->collectives)
      fuzz::require(each.ranks >= 2 && each.size.value > 0 && each.time.value > 0,
                    "a collective has ranks, a size and a time");
    for (const auto& each : measurements->gemms)
      fuzz::require(each.time.value > 0, "a product takes time");
  }
  return 0;
}
