#include "tests/gpu/benchmark/report.h"

#include <cstdio>

namespace quintet::gpu_tests {

namespace {

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c == '\n' ? ' ' : c;
  }
  return made + '"';
}

std::string head(const Figure& f) {
  return "{\"group\": " + quoted(f.group) + ", \"name\": " + quoted(f.name) +
         ", \"by\": " + quoted(f.by);
}

void print(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

}  // namespace

void report(const Figure& f, const Timing& timing) {
  char numbers[256];
  std::snprintf(numbers, sizeof numbers,
                ", \"figure\": %.6g, \"work\": %.9g, \"median_s\": %.6g, \"lowest_s\": %.6g, "
                "\"highest_s\": %.6g, \"runs\": %zu",
                f.work / timing.median() / 1e12, f.work, timing.median(), timing.seconds.front(),
                timing.seconds.back(), timing.seconds.size());
  print(head(f) + ", \"unit\": " + quoted(f.unit) + numbers +
        ", \"counted\": " + quoted(f.counted) + "}");
}

void report_left_out(const Figure& f, const std::string& why) {
  print(head(f) + ", \"left_out\": " + quoted(why) + "}");
}

}  // namespace quintet::gpu_tests
