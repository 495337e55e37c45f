// Every operator against the CPU reference at sizes that fill many blocks and divide by nothing:
// what the small worlds of the other tests cannot show. Outputs are poisoned before.
#pragma once

#include <map>
#include <type_traits>

#include "tests/kernels/support.h"

namespace quintet::kernels::against_reference {

using Outputs = std::map<std::string, Floats>;
using Integers = std::vector<std::int32_t>;

template <class Element>
inline constexpr double tolerance = std::is_same_v<Element, float> ? 1e-5 : 1e-2;

inline Floats wide(const std::vector<Bfloat16>& values) {
  Floats made;
  for (const Bfloat16 value : values)
    made.push_back(__builtin_bit_cast(float, static_cast<std::uint32_t>(value.bits) << 16));
  return made;
}
inline Floats wide(const Floats& values) {
  return values;
}
inline Floats wide_sums(const Doubles& values) {
  return {values.begin(), values.end()};
}

template <class Element>
std::vector<Element> random_elements(Index count, unsigned seed, float deviation = 1.0F) {
  const Floats values = random_floats(count, seed, deviation);
  if constexpr (std::is_same_v<Element, float>)
    return values;
  else
    return narrow(*reference_kernels(), values);
}

template <class Element>
std::vector<Element> unwritten(Index count) {
  if constexpr (std::is_same_v<Element, float>)
    return poisoned(count);
  else
    return poisoned_bf16(count);
}

inline Integers random_integers(Index count, std::int32_t end, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> uniform(0, end - 1);
  Integers made(size_of(count));
  for (std::int32_t& value : made) value = uniform(random);
  return made;
}

class AgainstReference : public Operators {
 protected:
  // work(kernels, stream, static_cast<Element*>(nullptr)) gives its outputs by name.
  template <class Element, class Work>
  void compare_in(const Work& work) {
    Element* const kind = nullptr;
    const auto reference = reference_kernels();
    const Outputs expected = work(*reference, stream_, kind),
                  found = work(*kernels_, stream_, kind);
    for (const auto& [name, values] : expected)
      EXPECT_LT(relative_error(found.at(name), values), tolerance<Element>)
          << name << (std::is_same_v<Element, float> ? " in fp32" : " in bf16");
  }
  template <class Work>
  void compare(const Work& work) {
    compare_in<float>(work);
    compare_in<Bfloat16>(work);
  }
};
template <class Kind>
using ElementOf = std::remove_pointer_t<Kind>;

inline constexpr Index rows = 37;
inline constexpr Index widths[] = {7, 519, 1600, 8192};
inline constexpr Index count = 131077;

}  // namespace quintet::kernels::against_reference
