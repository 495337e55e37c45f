// Two vectors that are used as one of twice the width. GCC keeps a vector that is wider than the
// target's registers in memory, operation by operation; a pair of them stays in registers.
#pragma once

#include <type_traits>

#define QUINTET_LANES [[gnu::always_inline]] inline
// A loop's steps, which are lambdas of one and of two uses, become part of the loop: as calls they
// would hand every vector over in memory.
#define QUINTET_FLAT [[gnu::flatten]]
#define QUINTET_INLINED __attribute__((always_inline))

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

template <class Half>
struct Pair {
  Half low, high;
};

template <class Half>
QUINTET_LANES Pair<Half> pair_of(Half low, Half high) {
  return {low, high};
}

template <class Vector>
struct NumberIn {
  using Type = std::remove_cvref_t<decltype(Vector{}[0])>;
};
template <class Half>
struct NumberIn<Pair<Half>> {
  using Type = typename NumberIn<Half>::Type;
};
template <class Vector>
using NumberOf = typename NumberIn<Vector>::Type;

template <class Number>
concept OneNumber = std::is_arithmetic_v<Number>;

#define QUINTET_PAIRWISE(op)                                   \
  template <class Half>                                        \
  QUINTET_LANES auto operator op(Pair<Half> a, Pair<Half> b) { \
    return pair_of(a.low op b.low, a.high op b.high);          \
  }                                                            \
  template <class Half, OneNumber Number>                      \
  QUINTET_LANES auto operator op(Pair<Half> a, Number b) {     \
    const auto each = static_cast<NumberOf<Half>>(b);          \
    return pair_of(a.low op each, a.high op each);             \
  }                                                            \
  template <class Half, OneNumber Number>                      \
  QUINTET_LANES auto operator op(Number a, Pair<Half> b) {     \
    const auto each = static_cast<NumberOf<Half>>(a);          \
    return pair_of(each op b.low, each op b.high);             \
  }
QUINTET_PAIRWISE(+)
QUINTET_PAIRWISE(-)
QUINTET_PAIRWISE(*)
QUINTET_PAIRWISE(/)
QUINTET_PAIRWISE(&)
QUINTET_PAIRWISE(|)
QUINTET_PAIRWISE(^)
QUINTET_PAIRWISE(<<)
QUINTET_PAIRWISE(>>)
QUINTET_PAIRWISE(<)
QUINTET_PAIRWISE(>)
QUINTET_PAIRWISE(>=)
#undef QUINTET_PAIRWISE

template <class Half>
QUINTET_LANES Pair<Half> operator-(Pair<Half> a) {
  return {-a.low, -a.high};
}

template <class Half, class Other>
QUINTET_LANES Pair<Half>& operator+=(Pair<Half>& a, const Other& b) {
  a = a + b;
  return a;
}

// a where the mask is set, else b.
template <class Mask, class Vector>
QUINTET_LANES Vector select(Mask mask, Vector a, Vector b) {
  return mask ? a : b;
}
template <class Mask, class Half>
QUINTET_LANES Pair<Half> select(Pair<Mask> mask, Pair<Half> a, Pair<Half> b) {
  return {select(mask.low, a.low, b.low), select(mask.high, a.high, b.high)};
}

// The same bits as another type of elements of the same size.
template <class To, class From>
struct BitsAs {
  QUINTET_LANES static To of(From from) { return reinterpret_cast<To>(from); }
};
template <class To, class From>
struct BitsAs<Pair<To>, Pair<From>> {
  QUINTET_LANES static Pair<To> of(Pair<From> from) {
    return {BitsAs<To, From>::of(from.low), BitsAs<To, From>::of(from.high)};
  }
};
template <class To, class From>
QUINTET_LANES To bits_as(From from) {
  return BitsAs<To, From>::of(from);
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
