// Running out of memory, said in words: what was being made, and what would need less. Whoever
// makes something large says so where it does; the program's main function tells people.
#pragma once

#include <functional>
#include <new>
#include <string>
#include <utility>

#include "sim/usage/verb.h"

namespace quintet {

class OutOfMemory : public std::bad_alloc {
 public:
  // `less`: what to change, a clause; empty: nothing is known to help.
  OutOfMemory(std::string what, std::string less)
      : what_(std::move(what)), less_(std::move(less)) {}

  const std::string& made() const { return what_; }
  const std::string& less() const { return less_; }
  const char* what() const noexcept override { return "out of memory"; }

 private:
  std::string what_, less_;
};

// What `function` comes to. Where it runs out of memory, and nothing inside has said more: an
// OutOfMemory with these words.
template <class Function>
auto making(std::string what, std::string less, Function&& function) try {
  return std::forward<Function>(function)();
} catch (const OutOfMemory&) {
  throw;
} catch (const std::bad_alloc&) {
  throw OutOfMemory(std::move(what), std::move(less));
}

// The end of a program whose main function this is: what it throws goes to the standard error. Out
// of memory: the answer is no, since another machine would do; anything else is the input's.
ExitCode guarded(const std::function<ExitCode()>& program);

}  // namespace quintet
