#include "tests/fuzz/fuzz_input.h"
#include "traces/nccl/communication_log.h"

using namespace quintet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto log = parse_nccl_log(fuzz::text_of(data, size), "input");
  fuzz::require_place(log);
  if (!log) return 0;
  for (const LoggedProcess& process : log->processes)
    for (const LoggedCommunication& call : process.communications)
      fuzz::require(call.communicator >= 0 &&
                        static_cast<std::size_t>(call.communicator) < process.communicators.size(),
                    "a call has a communicator");
  return 0;
}
