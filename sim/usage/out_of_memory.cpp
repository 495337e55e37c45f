#include "sim/usage/out_of_memory.h"

#include <exception>

#include "sim/usage/complain.h"

namespace quintet {

ExitCode guarded(const std::function<ExitCode()>& program) try {
  return program();
} catch (const OutOfMemory& failure) {
  complain({"out of memory", "there is none left for " + failure.made() +
                                 (failure.less().empty() ? "" : "; " + failure.less())});
  return ExitCode::answer_is_no;
} catch (const std::bad_alloc&) {
  complain({"out of memory", "there is none left for what was asked"});
  return ExitCode::answer_is_no;
} catch (const std::exception& failure) {
  return complain({"", failure.what()});
}

}  // namespace quintet
