#include "engine/files/checkpoint/manifest.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  fuzz::require_place(parse_summary(text, "input"));
  const Result<Manifest> manifest = parse_manifest(text, "input");
  fuzz::require_place(manifest);
  if (!manifest) return 0;
  const Result<Manifest> again = parse_manifest(manifest_text(*manifest), "written");
  fuzz::require(again && *again == *manifest, "a manifest written and read again is equal");
  return 0;
}
