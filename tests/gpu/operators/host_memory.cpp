#include "tests/gpu/operators/host_memory.h"

#include <pthread.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <new>

namespace quintet::gpu_tests {

namespace {

// The list's own memory, which must not come from the operator new that it is about.
template <class Value>
struct PlainMemory {
  using value_type = Value;

  PlainMemory() = default;
  template <class Other>
  PlainMemory(const PlainMemory<Other>&) {}

  Value* allocate(std::size_t count) {
    void* const memory = std::malloc(count * sizeof(Value));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<Value*>(memory);
  }
  void deallocate(Value* memory, std::size_t) { std::free(memory); }
  bool operator==(const PlainMemory&) const = default;
};

// operator new is global, so what it knows is.
struct Pieces {
  std::mutex in_use;
  std::map<std::uintptr_t, std::size_t, std::less<>,
           PlainMemory<std::pair<const std::uintptr_t, std::size_t>>>
      bytes_of;
};

Pieces& pieces() {
  // Never destroyed: memory comes back after main() too.
  alignas(Pieces) static std::byte memory[sizeof(Pieces)];
  static Pieces* const only = new (memory) Pieces;
  return *only;
}

// Belongs to the thread that asks.
HostPiece whole_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* first = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &first, &bytes);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<std::uintptr_t>(first), bytes};
}

}  // namespace

std::optional<HostPiece> host_piece_at(std::uintptr_t address) {
  static thread_local const HostPiece stack = whole_stack();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (address > here && address < stack.first + stack.bytes) {
    const std::size_t left = stack.first + stack.bytes - address;
    return HostPiece{address, left < 8 ? left : 8};
  }
  Pieces& all = pieces();
  const std::scoped_lock alone(all.in_use);
  auto after = all.bytes_of.upper_bound(address);
  if (after == all.bytes_of.begin()) return std::nullopt;
  --after;
  if (address >= after->first + after->second) return std::nullopt;
  return HostPiece{after->first, after->second};
}

}  // namespace quintet::gpu_tests

void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  auto& all = quintet::gpu_tests::pieces();
  const std::scoped_lock alone(all.in_use);
  all.bytes_of[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  {
    auto& all = quintet::gpu_tests::pieces();
    const std::scoped_lock alone(all.in_use);
    all.bytes_of.erase(reinterpret_cast<std::uintptr_t>(memory));
  }
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
