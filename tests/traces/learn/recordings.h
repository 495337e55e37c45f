// Traces written by hand, and published samples.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "traces/kineto/kineto_reader.h"
#include "traces/trace/rank_trace.h"

namespace quintet::test {

inline std::filesystem::path shared_sample(const std::string& name) {
  return std::filesystem::path(QUINTET_SOURCE_DIR) / "../shared/samples" / name;
}

// One Kineto trace of these events (JSON, with commas between) on an H100.
inline RankTrace kineto_of(const std::string& events) {
  const std::string text =
      R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}],
          "traceEvents": [)" +
      events + "]}";
  const Result<RankTrace> trace = parse_kineto(text, "hand.json");
  if (trace) return *trace;
  ADD_FAILURE() << trace.error().text();
  return {};
}

inline std::string operation(const std::string& name, int external, double start, double time,
                             const std::string& shapes, const std::string& types) {
  return R"({"ph": "X", "cat": "cpu_op", "name": ")" + name + R"(", "pid": 1, "tid": 1, "ts": )" +
         std::to_string(start) + R"(, "dur": )" + std::to_string(time) +
         R"(, "args": {"External id": )" + std::to_string(external) + R"(, "Input Dims": )" +
         shapes + R"(, "Input type": )" + types + "}}";
}

inline std::string launch(int correlation, int external, double start, double time) {
  return R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": )" +
         std::to_string(start) + R"(, "dur": )" + std::to_string(time) +
         R"(, "args": {"External id": )" + std::to_string(external) + R"(, "correlation": )" +
         std::to_string(correlation) + "}}";
}

inline std::string kernel(const std::string& name, int stream, int correlation, int external,
                          double start, double time) {
  const std::string number = std::to_string(stream);
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": )" + number +
         R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" + std::to_string(time) +
         R"(, "args": {"External id": )" + std::to_string(external) +
         R"(, "device": 0, "stream": )" + number + R"(, "correlation": )" +
         std::to_string(correlation) + "}}";
}

}  // namespace quintet::test
