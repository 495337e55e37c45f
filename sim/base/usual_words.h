// What people call things that are called otherwise here: Megatron-LM's, DeepSpeed's and PyTorch's
// words for fields and values of plans. Both tables say what is meant only where nothing else could
// be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quintet {

// In small letters, with '-' for '_' and blanks: "1F1B" and "1f1b" are one word.
std::string plain_word(std::string_view word);

// Which of `words` is meant: by its letters whatever their case, or by another name of it ("fsdp"
// is "parameters"). None where no word is, or more than one.
std::optional<std::size_t> word_meant(std::string_view given,
                                      const std::vector<std::string_view>& words);

// The field of a plan that is meant: "tensor" for "tp". None where it is no such short name.
std::optional<std::string_view> field_meant(std::string_view given);

}  // namespace quintet
