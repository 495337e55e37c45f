#include "engine/network/transport/ucx_context.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace quintet::engine {
namespace {

// UCX itself would go on without: every peer would then find this rank unreachable.
TEST(UcxContext, RefusesAnInterfaceThatIsNotThere) {
  const auto context = ucx_context({"no-such-interface", SharedMemory::refuse});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().text(),
            "transport: no network interface is called \"no-such-interface\"; expected one that "
            "`ip link` lists");
}

// A new network namespace, here a thread's own, has its loopback interface down.
TEST(UcxContext, RefusesAnInterfaceThatDoesNotRun) {
  bool apart = false;
  std::string said;
  std::thread([&] {
    apart = unshare(CLONE_NEWNET) == 0;
    if (!apart) return;
    const auto context = ucx_context({"lo", SharedMemory::refuse});
    said = context ? "accepted" : context.error().text();
  }).join();
  if (!apart) GTEST_SKIP() << "this user may make no network namespace (root may)";
  EXPECT_EQ(said, "transport: the network interface \"lo\" is down, or its cable is");
}

}  // namespace
}  // namespace quintet::engine
