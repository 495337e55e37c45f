#include "sim/plan/plan_file.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Plan> plan = parse_plan(fuzz::text_of(data, size), "input");
  fuzz::require_place(plan);
  if (!plan) return 0;
  const Result<Plan> again = parse_plan(plan_text(*plan), "written");
  fuzz::require(again && *again == *plan, "a plan written and read again is equal");
  return 0;
}
