#include "engine/files/weights/safetensors.h"

#include <span>

#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<SafetensorsHeader> header =
      parse_safetensors(std::as_bytes(std::span(data, size)), "input");
  fuzz::require_place(header);
  if (!header) return 0;
  std::size_t end = header->tensors.empty() ? size : header->tensors.front().begin;
  for (const TensorEntry& tensor : header->tensors) {
    fuzz::require(tensor.begin == end && tensor.end <= size, "tensors fill the file in order");
    fuzz::require(elements(tensor.shape) * static_cast<std::int64_t>(size_of(tensor.type)) ==
                      static_cast<std::int64_t>(tensor.end - tensor.begin),
                  "a tensor is as long as its shape says");
    end = tensor.end;
  }
  fuzz::require(end == size, "tensors end where the file ends");
  return 0;
}
