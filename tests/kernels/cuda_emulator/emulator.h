// Runs CUDA kernels on the CPU so that they can be tested where there is no GPU: every thread of a
// block is a fibre, blocks run one after the other. It shows wrong indices (under the address
// sanitizer also every access outside of an allocation), missing barriers (fibres run in a shuffled
// order and go on as far as they can), missing waits for asynchronous copies (which happen only
// when they are waited for), threads that part ways at a barrier. It says nothing about speed, and
// it knows only what the kernels here use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace quintet::cuda_emulator {

inline constexpr unsigned warp_size = 32;

struct Dimensions {
  unsigned x = 1, y = 1, z = 1;
};

struct Launch {
  Dimensions grid{};
  Dimensions block{};  // a multiple of 32 threads
  std::size_t dynamic_shared_bytes = 0;
};

// Runs `thread` once for each thread of each block. Ends the process with a message where threads
// wait for what never comes.
void run(const Launch& launch, const std::function<void()>& thread);
std::uint64_t launches();  // of this process so far

// Where the running thread is.
const Dimensions& thread_index();
const Dimensions& block_index();
const Dimensions& block_size();
const Dimensions& grid_size();
unsigned lane();
std::byte* dynamic_shared();  // poisoned with 0xFF for every block
std::uint64_t clock();        // fibres switched so far

void block_barrier();
bool block_any(bool mine);  // a barrier, and whether anybody brought true

// Waits for all 32 lanes, each of which brings `size` bytes (at most 64); gives [32][64] bytes that
// are good until the lane's next exchange.
const std::byte* warp_exchange(const void* value, std::size_t size);

// cp.async and its two fences.
void copy_later(void* to, const void* from, std::size_t bytes);
void end_copy_group();
void wait_for_copies(std::size_t groups_left);

}  // namespace quintet::cuda_emulator
