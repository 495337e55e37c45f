// Names of parameterised tests, for INSTANTIATE_TEST_SUITE_P.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <tuple>

namespace quintet::engine::test {

template <class Named>
std::string words_of(const Named& each) {
  return each.name;
}
template <class One, class Other>
std::string words_of(const std::tuple<One, Other>& both) {
  return std::get<0>(both).name + " " + std::get<1>(both).name;
}

// After the parameter's `name`, or the names of both its parts, in the letters that GoogleTest
// takes.
inline constexpr auto by_name = [](const auto& info) {
  std::string name = words_of(info.param);
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
};

}  // namespace quintet::engine::test
