// How fast a trace of PyTorch's profiler is read, and in how much memory: kineto_reading FILE.
// tests/benchmark/kineto_gigabyte.py makes the file.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "traces/kineto/kineto_reader.h"

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: kineto_reading FILE\n");
    return 2;
  }
  const std::filesystem::path file = arguments[1];
  const auto begin = std::chrono::steady_clock::now();
  int calls = 0;
  const auto trace = quintet::read_kineto(file, [&](std::size_t, std::size_t) { ++calls; });
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  if (!trace) {
    fmt::print(stderr, "{}\n", trace.error().text());
    return 1;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double megabytes = static_cast<double>(std::filesystem::file_size(file)) / 1e6;
  fmt::print("{:.0f} MB in {:.2f} s ({:.2f} s of a processor): {:.0f} MB/s\n", megabytes,
             time.count(),
             static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
             megabytes / time.count());
  fmt::print("{} events, {} names, {} rows; progress told {} times\n", trace->events.size(),
             trace->names.size(), trace->rows.size(), calls);
  fmt::print("{:.0f} MB resident at most\n", static_cast<double>(usage.ru_maxrss) * 1024 / 1e6);
  return 0;
}
