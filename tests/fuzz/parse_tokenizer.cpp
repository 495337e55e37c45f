#include "engine/files/data/byte_symbols.h"
#include "engine/files/data/tokenizer_file.h"
#include "tests/fuzz/fuzz_input.h"

using namespace quintet;

namespace {

void require_texts_come_back(BytePairEncoder& encoder, const std::string& input) {
  for (const SpecialTokens special : {SpecialTokens::recognised, SpecialTokens::as_text})
    for (const std::string& text : {std::string("hello  world's <|endoftext|>\n"), input}) {
      const Result<std::string> again = encoder.decode(encoder.encode(text, special));
      fuzz::require(again && *again == text, "a text encoded and decoded is equal");
    }
}

std::string all_bytes_vocabulary() {
  std::string json = "{\"lo\": 256";
  for (int byte = 0; byte < 256; ++byte) {
    const std::string symbol = symbols_of_bytes(std::string(1, static_cast<char>(byte)));
    const bool escaped = symbol == "\"" || symbol == "\\";
    json += ", \"" + (escaped ? "\\" + symbol : symbol) + "\": " + std::to_string(byte);
  }
  return json + "}";
}

}  // namespace

// The same bytes as tokenizer.json and as merges.txt.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string vocabulary = all_bytes_vocabulary();
  const std::string text = fuzz::text_of(data, size);
  for (Result<BytePairEncoder> encoder :
       {parse_tokenizer(text, "input"),
        parse_vocabulary({vocabulary, "vocab.json"}, {text, "input"})}) {
    fuzz::require_place(encoder);
    if (encoder) require_texts_come_back(*encoder, text);
  }
  return 0;
}
