#include "emulator.h"

#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace quintet::cuda_emulator {

namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;
constexpr std::size_t slot_bytes = 64;

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

void carry_out(const Copy& copy) {
  if (copy.from != nullptr)
    std::memcpy(copy.to, copy.from, copy.bytes);
  else
    std::memset(copy.to, 0, copy.bytes);
}

struct Warp {
  // Two sets in turn: a lane writes the next one while others still read the last one.
  std::byte slots[2][warp_size][slot_bytes];
  std::uint64_t arrived = 0;
};

struct Fibre {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack = std::make_unique<std::byte[]>(stack_bytes);
  void* fake_stack = nullptr;
  Dimensions index{};
  unsigned number = 0;
  bool over = false;
  const std::uint64_t* awaited = nullptr;  // runs on when *awaited >= target
  std::uint64_t target = 0;
  std::uint64_t exchanges = 0;
  std::uint64_t barriers = 0;
  std::deque<std::vector<Copy>> copies;
};

// One launch at a time; fibres are kept for the next.
struct Machine {
  std::mutex in_use;
  Launch launch;
  const std::function<void()>* thread = nullptr;
  Dimensions block_index{};
  std::vector<std::unique_ptr<Fibre>> fibres;
  std::vector<Warp> warps;
  std::unique_ptr<std::byte[]> shared;
  std::uint64_t at_barrier = 0;
  unsigned votes = 0;
  ucontext_t scheduler{};
  void* scheduler_fake_stack = nullptr;
  const void* scheduler_stack = nullptr;
  std::size_t scheduler_stack_bytes = 0;
  Fibre* running = nullptr;
  std::uint64_t switches = 0, launches = 0;
  std::mt19937 random;
};

// The one place that a kernel's built-in variables can be found in: they are global in CUDA.
Machine& machine() {
  static Machine only;
  return only;
}

void switched_to_fibre([[maybe_unused]] Fibre& fibre) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fibre.fake_stack, &machine().scheduler_stack,
                                  &machine().scheduler_stack_bytes);
#endif
}

void to_scheduler(Fibre& fibre) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fibre.over ? nullptr : &fibre.fake_stack,
                                 machine().scheduler_stack, machine().scheduler_stack_bytes);
#endif
  swapcontext(&fibre.context, &machine().scheduler);
  switched_to_fibre(fibre);
}

void to_fibre(Fibre& fibre) {
  machine().running = &fibre;
  ++machine().switches;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&machine().scheduler_fake_stack, fibre.stack.get(), stack_bytes);
#endif
  swapcontext(&machine().scheduler, &fibre.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(machine().scheduler_fake_stack, nullptr, nullptr);
#endif
}

void fibre_main() {
  Fibre& fibre = *machine().running;
  switched_to_fibre(fibre);
  (*machine().thread)();
  fibre.over = true;
  to_scheduler(fibre);
}

void wait_for(const std::uint64_t& counter, std::uint64_t target) {
  Fibre& fibre = *machine().running;
  fibre.awaited = &counter;
  fibre.target = target;
  if (counter < target) to_scheduler(fibre);
  fibre.awaited = nullptr;
}

bool can_run(const Fibre& fibre) {
  return !fibre.over && (fibre.awaited == nullptr || *fibre.awaited >= fibre.target);
}

void start_block(Machine& all, Dimensions block_index) {
  const Dimensions size = all.launch.block;
  const unsigned threads = size.x * size.y * size.z;
  if (threads == 0 || threads % warp_size != 0 || threads > 1024) {
    std::fprintf(stderr, "emulated CUDA: a block of %u threads\n", threads);
    std::abort();
  }
  all.block_index = block_index;
  all.warps.assign(threads / warp_size, {});
  all.at_barrier = 0;
  all.shared = std::make_unique_for_overwrite<std::byte[]>(all.launch.dynamic_shared_bytes);
  std::memset(all.shared.get(), 0xFF, all.launch.dynamic_shared_bytes);
  while (all.fibres.size() < threads) all.fibres.push_back(std::make_unique<Fibre>());
  for (unsigned number = 0; number < threads; ++number) {
    Fibre& fibre = *all.fibres[number];
    fibre.index = {number % size.x, number / size.x % size.y, number / size.x / size.y};
    fibre.number = number;
    fibre.over = false;
    fibre.fake_stack = nullptr;  // the last one ended with its thread
    fibre.awaited = nullptr;
    fibre.exchanges = fibre.barriers = 0;
    fibre.copies.assign(1, {});
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack.get();
    fibre.context.uc_stack.ss_size = stack_bytes;
    fibre.context.uc_link = nullptr;
    makecontext(&fibre.context, fibre_main, 0);
  }
}

[[noreturn]] void report_deadlock(const Machine& all, unsigned threads) {
  for (unsigned number = 0; number < threads; ++number) {
    const Fibre& fibre = *all.fibres[number];
    std::fprintf(stderr, "emulated CUDA: thread %u %s after %llu barriers, %llu exchanges\n",
                 number, fibre.over ? "is over" : "waits",
                 static_cast<unsigned long long>(fibre.barriers),
                 static_cast<unsigned long long>(fibre.exchanges));
  }
  std::abort();
}

void run_block(Machine& all, Dimensions block_index) {
  start_block(all, block_index);
  const unsigned threads = static_cast<unsigned>(all.warps.size()) * warp_size;
  std::vector<unsigned> order(threads);
  std::iota(order.begin(), order.end(), 0U);
  unsigned left = threads;
  while (left > 0) {
    std::shuffle(order.begin(), order.end(), all.random);
    bool moved = false;
    for (const unsigned number : order) {
      Fibre& fibre = *all.fibres[number];
      if (!can_run(fibre)) continue;
      to_fibre(fibre);
      moved = true;
      if (fibre.over) --left;
    }
    if (!moved) report_deadlock(all, threads);
  }
}

}  // namespace

void run(const Launch& launch, const std::function<void()>& thread) {
  Machine& all = machine();
  const std::scoped_lock alone(all.in_use);
  all.launch = launch;
  ++all.launches;
  all.thread = &thread;
  for (unsigned z = 0; z < launch.grid.z; ++z)
    for (unsigned y = 0; y < launch.grid.y; ++y)
      for (unsigned x = 0; x < launch.grid.x; ++x) run_block(all, {x, y, z});
  all.shared.reset();
}

const Dimensions& thread_index() {
  return machine().running->index;
}

const Dimensions& block_index() {
  return machine().block_index;
}

const Dimensions& block_size() {
  return machine().launch.block;
}

const Dimensions& grid_size() {
  return machine().launch.grid;
}

unsigned lane() {
  return machine().running->number % warp_size;
}

std::byte* dynamic_shared() {
  return machine().shared.get();
}

std::uint64_t launches() {
  return machine().launches;
}

std::uint64_t clock() {
  return machine().switches;
}

void block_barrier() {
  Machine& all = machine();
  const std::uint64_t threads = all.warps.size() * warp_size;
  ++all.at_barrier;
  wait_for(all.at_barrier, ++all.running->barriers * threads);
}

bool block_any(bool mine) {
  Machine& all = machine();
  if (mine) ++all.votes;
  block_barrier();
  const bool any = all.votes > 0;
  block_barrier();
  all.votes = 0;  // nobody votes again before the next barrier but one
  block_barrier();
  return any;
}

const std::byte* warp_exchange(const void* value, std::size_t size) {
  Machine& all = machine();
  Fibre& fibre = *all.running;
  Warp& warp = all.warps[fibre.number / warp_size];
  auto& slots = warp.slots[fibre.exchanges % 2];
  std::memcpy(slots[fibre.number % warp_size], value, std::min(size, slot_bytes));
  ++warp.arrived;
  wait_for(warp.arrived, ++fibre.exchanges * warp_size);
  return &slots[0][0];
}

void copy_later(void* to, const void* from, std::size_t bytes) {
  Machine& all = machine();
  const Copy copy{to, from, bytes};
  // Some at once, some at the last moment: the hardware may do either.
  if (all.random() % 2 == 0)
    carry_out(copy);
  else
    all.running->copies.back().push_back(copy);
}

void end_copy_group() {
  machine().running->copies.emplace_back();
}

void wait_for_copies(std::size_t groups_left) {
  auto& groups = machine().running->copies;
  while (groups.size() > groups_left + 1) {
    for (const Copy& copy : groups.front()) carry_out(copy);
    groups.pop_front();
  }
}

}  // namespace quintet::cuda_emulator
