// What the outside world may get wrong: a value, or an Error that says where and what.
// Spelled like std::expected (C++23), which replaces it when every compiler we need has it.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace quintet {

struct Error {
  std::string where;  // file and place in it, for example "plan.json: parallelism.tensor"
  std::string what;   // what was found and what would be accepted

  bool operator==(const Error&) const = default;
  std::string text() const { return where.empty() ? what : where + ": " + what; }
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool has_value() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return has_value(); }

  const T& value() const { return *this->operator->(); }
  T& value() { return *this->operator->(); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(value()); }
  const T* operator->() const {
    assert(has_value());
    return std::get_if<T>(&state_);
  }
  T* operator->() {
    assert(has_value());
    return std::get_if<T>(&state_);
  }

  const Error& error() const {
    assert(!has_value());
    return *std::get_if<Error>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

// Lets std::visit take one lambda per alternative; every alternative must be named.
template <class... Functions>
struct Match : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Match(Functions...) -> Match<Functions...>;

}  // namespace quintet
