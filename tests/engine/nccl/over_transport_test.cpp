// The communicators' opening and end over the job's real rendezvous and transport; only NCCL is not
// real.
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <mutex>
#include <thread>

#include "engine/nccl/nccl_communicator.h"
#include "engine/peers/transport_peers.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/stand_ins/fake_nccl.h"
#include "tests/support/local_job.h"
#include "tests/support/two_by_two.h"

namespace quintet::engine::test {
namespace {

// Rank 3's GPU fails; the others only see their connections to it break.
TEST(NcclOverTransport, EveryRankEndsAndNamesTheRankThatFailed) {
  const Program program = two_by_two();
  std::latch all_open(4);
  std::mutex mutex;
  std::vector<std::string> causes, first_calls;
  const std::string problem = run_job({4, SharedMemory::refuse, {}}, [&](Transport& transport) {
    FakeNccl nccl(transport.rank().value);
    const NcclFunctions functions = nccl.functions();
    TransportPeers peers(transport);
    const auto device = fake_device();
    const auto made = NcclCommunicator::make(functions, program, {}, peers, *device, NcclOptions{});
    all_open.arrive_and_wait();
    ASSERT_TRUE(made) << made.error().text();
    const bool fails = transport.rank() == Rank{3};
    nccl.state = fails ? ncclUnhandledCudaError : ncclRemoteError;
    std::optional<Error> cause;
    while (!cause) {
      cause = (*made)->poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const std::scoped_lock lock(mutex);
    causes.push_back(cause->text());
    first_calls.push_back(nccl.calls.front());
  });
  EXPECT_EQ(problem, "");
  const std::string cause =
      "rank 3: NCCL communicator \"data\": asynchronous error: unhandled cuda error (said last)";
  EXPECT_EQ(causes, std::vector<std::string>(4, cause));
  // Ids came over the network whole: of {0, 1} from rank 0, of {2, 3} from rank 2.
  std::sort(first_calls.begin(), first_calls.end());
  EXPECT_EQ(first_calls,
            (std::vector<std::string>{"init data: 0 of 2, id of 0, channels any to any",
                                      "init data: 0 of 2, id of 2, channels any to any",
                                      "init data: 1 of 2, id of 0, channels any to any",
                                      "init data: 1 of 2, id of 2, channels any to any"}));
}

}  // namespace
}  // namespace quintet::engine::test
