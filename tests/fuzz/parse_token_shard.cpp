#include <cstring>
#include <vector>

#include "engine/files/data/token_file.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint16_t> aligned(size / 2 + 1);
  if (size > 0) std::memcpy(aligned.data(), data, size);
  const auto bytes = std::as_bytes(std::span(aligned)).first(size);
  for (const std::optional<TokenFormat> format :
       {std::optional<TokenFormat>(), std::optional(TokenFormat::llm_c),
        std::optional(TokenFormat::nano_gpt)}) {
    const Result<std::span<const std::uint16_t>> tokens = parse_token_file(bytes, format, "input");
    fuzz::require_place(tokens);
    if (!tokens) continue;
    fuzz::require(!tokens->empty(), "a shard holds tokens");
    fuzz::require(std::as_bytes(*tokens).data() + 2 * tokens->size() == bytes.data() + size,
                  "the tokens end where the file ends");
  }
  return 0;
}
