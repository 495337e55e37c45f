#include "engine/files/weights/weight_files.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto files = parse_weight_index(fuzz::text_of(data, size), "input");
  fuzz::require_place(files);
  if (!files) return 0;
  for (const auto& [tensor, file] : *files)
    fuzz::require(file.find('/') == std::string::npos && file != "..", "files are in the folder");
  return 0;
}
