// A CUPTI that runs no GPU: it refuses what a test tells it to, asks for buffers and fills them
// with records that a test makes, and calls back as the library does.
#pragma once

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/cuda/cupti/cupti_functions.h"

namespace quintet::kernels::cuda {

struct FakeCupti {
  // What a test tells it.
  CUptiResult subscribing = CUPTI_SUCCESS, flushing = CUPTI_SUCCESS;
  std::map<CUpti_ActivityKind, CUptiResult> enabling;  // others succeed
  std::size_t dropped = 0;                             // besides those without a buffer

  // What it was told.
  bool subscribed = false, zeroed_buffers = false, clock_came_first = false;
  CUpti_CallbackFunc callback = nullptr;
  void* callback_data = nullptr;
  CUpti_TimestampCallbackFunc clock = nullptr;
  std::set<CUpti_ActivityKind> kinds;
  std::set<CUpti_CallbackId> runtime_calls, driver_calls;
  std::vector<std::uint64_t> purposes;  // pushed
  std::vector<std::uint32_t> flushes;   // their flags

  // As if the GPU had done it: into the buffer under way, or the next.
  template <class Record>
  void record(const Record& record) {
    write(&record, sizeof(record));
  }
  void write(const void* record, std::size_t bytes);
  // Ends the buffer under way `missing` bytes short.
  void complete(std::size_t missing = 0);
  void node_created(std::uint64_t node);
  void node_cloned(std::uint64_t node, std::uint64_t original);

  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0, used = 0;
};

// The one that the functions work on; anew.
FakeCupti& fresh_cupti();
CuptiFunctions fake_functions();

// Records with what the tests look at; the rest is zero.
CUpti_ActivityKernel10 kernel_record(std::uint32_t correlation, std::uint64_t start,
                                     std::uint64_t end, const char* name = "kernel");
CUpti_ActivityExternalCorrelation purpose_record(std::uint32_t correlation, std::uint64_t purpose);
CUpti_ActivityAPI call_record(std::uint32_t correlation, std::uint64_t start, std::uint64_t end);

}  // namespace quintet::kernels::cuda
