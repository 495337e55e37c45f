// Every row of ASTRA-sim's own times (tests/traces/astra_sim/astra_table.h) replayed by its rules:
// the difference in nanoseconds, and the time it takes. An argument keeps rows whose name has it.
// By hand, in Release, on an idle machine.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <string>

#include "tests/traces/astra_sim/astra_table.h"

using namespace quintet;

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  int different = 0;
  std::printf("%-42s %12s %12s %9s %12s %8s %8s %8s\n", "row", "ASTRA-sim ns", "rank 0 ns",
              "last ns", "messages", "seconds", "busy", "theirs");
  for (const AstraRow& row : astra_rows()) {
    if (row.name.find(wanted) == std::string::npos) continue;
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();
    const Result<AstraTimes> times = times_of(row);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double busy = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
    if (!times) {
      std::printf("%-42s %s\n", row.name.c_str(), times.error().text().c_str());
      ++different;
      continue;
    }
    const std::int64_t first = times->ranks.front().finish.picoseconds / 1000;
    const std::int64_t last = times->end.picoseconds / 1000;
    if (first != row.nanoseconds) ++different;
    std::printf("%-42s %12" PRId64 " %12" PRId64 " %+9" PRId64 " %12" PRId64
                " %8.3f %8.3f %8.2f%s\n",
                row.name.c_str(), row.nanoseconds, first, last - first, times->messages, seconds,
                busy, row.astra_seconds, first == row.nanoseconds ? "" : "  DIFFERENT");
    std::fflush(stdout);
  }
  std::printf("%d rows differ\n", different);
  return different == 0 ? 0 : 1;
}
