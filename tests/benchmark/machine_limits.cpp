#include "tests/benchmark/machine_limits.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "sim/base/result.h"

namespace quintet::engine {

namespace {

using kernels::Gemm;
using kernels::GemmForm;
using kernels::Index;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The least of some runs, after one that touches the memory: others slow runs down, nobody speeds
// them up.
double least_of(const std::function<void()>& run) {
  constexpr double enough = 0.05;
  run();
  double least = 1e30, sum = 0;
  for (int round = 0; round < 5 || (sum < enough && round < 1000); ++round) {
    const double start = thread_seconds();
    run();
    const double passed = thread_seconds() - start;
    least = std::min(least, passed);
    sum += passed;
  }
  return least;
}

GemmForm form_of(const Operator& work) {
  const bool head = kind_of(work.computation) == OperatorKind::head;
  switch (work.phase) {
    case Phase::forward:
    case Phase::recompute:
      return head ? GemmForm::a_b_transposed : GemmForm::a_b;
    case Phase::input_gradient:
      return head ? GemmForm::a_b : GemmForm::a_b_transposed;
    case Phase::weight_gradient:
    case Phase::backward:
    case Phase::update:
      return GemmForm::a_transposed_b;
  }
  return GemmForm::a_b;
}

std::int64_t whole(Bytes bytes) {
  return static_cast<std::int64_t>(bytes.value);
}

std::string key_of(const Operator& work) {
  const std::string phase(name_of(work.phase));
  const auto numbers = [&](std::initializer_list<std::int64_t> all) {
    std::string text = phase;
    for (const std::int64_t number : all) text += " " + std::to_string(number);
    return text;
  };
  return std::visit(
      Match{[&](const GemmShape& s) {
              return numbers({0, s.m, s.n, s.k, s.batch, static_cast<int>(form_of(work))});
            },
            [&](const AttentionShape& s) {
              return numbers({1, s.sequences, s.heads, s.query_length, s.key_length, s.head_dim});
            },
            [&](const MemoryShape& s) {
              return numbers({2, whole(s.read + s.written)});
            },
            [&](const ProfiledShape&) { return numbers({3}); }},
      work.shape);
}

}  // namespace

double MachineLimits::least_time(const Operator& work) {
  const auto [found, is_new] = kept_.try_emplace(key_of(work), 0.0);
  if (is_new) found->second = measured(work);
  return found->second;
}

double MachineLimits::measured(const Operator& work) {
  return std::visit(
      Match{[&](const GemmShape& shape) { return product(shape, work); },
            [&](const AttentionShape& shape) {
              const GemmShape one{shape.query_length, shape.key_length, shape.head_dim};
              Operator as_product = work;
              as_product.phase = Phase::forward;
              as_product.shape = one;
              const double of_one = flops_of(as_product, AttentionCount::full).value;
              return flops_of(work, AttentionCount::causal_half).value / of_one *
                     least_time(as_product);
            },
            [&](const MemoryShape& shape) { return copy(whole(shape.read + shape.written)); },
            [](const ProfiledShape&) { return 0.0; }},
      work.shape);
}

Buffer MachineLimits::matrix(std::int64_t rows, std::int64_t columns) {
  Buffer made(memory_, rows * columns, DataType::fp32);
  std::fill_n(made.floats(), made.count(), 0.5F);
  return made;
}

// Larger ones than this are copied in parts.
double MachineLimits::copy(std::int64_t bytes) {
  constexpr std::int64_t most = 32 << 20;
  const std::int64_t floats = std::clamp<std::int64_t>(bytes / 8, 1, most);
  const Buffer from = matrix(1, floats);
  Buffer to = matrix(1, floats);
  const double time = least_of([&] {
    std::memcpy(to.floats(), from.floats(), static_cast<std::size_t>(floats) * sizeof(float));
    asm volatile("" : : "r"(to.floats()) : "memory");
  });
  return time * static_cast<double>(bytes) / static_cast<double>(8 * floats);
}

double MachineLimits::product(const GemmShape& shape, const Operator& work) {
  const Buffer a = matrix(shape.m, shape.k), b = matrix(shape.k, shape.n);
  Buffer c = matrix(shape.m, shape.n);
  Gemm gemm;
  gemm.form = form_of(work);
  gemm.rows = shape.m;
  gemm.columns = shape.n;
  gemm.depth = shape.k;
  gemm.a = a.at();
  gemm.b = b.at();
  gemm.c = c.at();
  double least = 1e30;
  kernels::Stream stream;
  for (kernels::Kernels* const implementation : implementations_)
    least = std::min(least, least_of([&] { implementation->gemm(gemm, stream); }));
  return least * static_cast<double>(shape.batch);
}

}  // namespace quintet::engine
