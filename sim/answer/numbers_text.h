// Numbers as a reader says them. Pure.
#pragma once

#include <string>

namespace quintet {

// "1,048,576", of whole numbers below 1e15.
std::string grouped(double whole);
// "8.39 million", "15 trillion", "512": three digits and a word, from a million on.
std::string in_words(double value);
// Lines of at most 100 columns: `key` at 2, the text from 13 on, broken between words.
std::string paragraph(const std::string& key, const std::string& text);

}  // namespace quintet
