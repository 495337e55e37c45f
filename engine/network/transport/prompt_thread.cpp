#include "engine/network/transport/prompt_thread.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace quintet::engine {

namespace {

// struct sched_attr of linux/sched/types.h, which Debian 12's C library does not offer.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0, deadline = 0, period = 0;
};

constexpr std::uint64_t shortest_slice = 100'000;  // ns; the kernel accepts no shorter ones

}  // namespace

void make_this_thread_prompt() {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  if (attributes.policy != 0) return;  // someone has chosen another one
  attributes.runtime = shortest_slice;
  [[maybe_unused]] const long asked = syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace quintet::engine
