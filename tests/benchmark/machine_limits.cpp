#include "tests/benchmark/machine_limits.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "sim/base/result.h"

namespace quintet::engine {

namespace {

using kernels::Gemm;
using kernels::GemmForm;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The least of some runs, each after `prepare`: others slow runs down, nobody speeds them up.
double least_of(const std::function<void()>& prepare, const std::function<void()>& run) {
  constexpr double enough = 0.05;
  double least = 1e30, sum = 0;
  for (int round = 0; round < 5 || (sum < enough && round < 30); ++round) {
    prepare();
    const double start = thread_seconds();
    run();
    const double passed = thread_seconds() - start;
    if (round > 0) least = std::min(least, passed);  // the first touches the memory
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
              return numbers({2, whole(s.read), whole(s.written),
                              static_cast<int>(kind_of(work.computation))});
            },
            [&](const ProfiledShape&) { return numbers({3}); }},
      work.shape);
}

bool is_forward(Phase phase) {
  return phase == Phase::forward || phase == Phase::recompute;
}

// Cold: see the header.
Traffic traffic_of(const MemoryShape& shape, const Operator& work) {
  Traffic traffic{shape.read.value, shape.written.value};
  const OperatorKind kind = kind_of(work.computation);
  // In one pass over the logits, with the gradient in their place; the program counts more kernels.
  if (kind == OperatorKind::cross_entropy)
    traffic.read = traffic.written =
        static_cast<double>(shape.rows * shape.columns) * sizeof(float);
  const bool table = kind == OperatorKind::embedding;
  if (work.phase == Phase::update) {
    traffic.cold_read = traffic.read;
    traffic.cold_written = traffic.written;
  } else if (is_forward(work.phase)) {
    traffic.cold_read = table ? traffic.read : 0;
    traffic.cold_written = traffic.written;
  } else if (table || kind == OperatorKind::norm || kind == OperatorKind::mlp_activation) {
    traffic.cold_read = std::min(traffic.read, traffic.written);
    traffic.cold_written = table ? traffic.written : 0;
  }
  return traffic;
}

// exp: scale and round, back, rest in two, a polynomial of five, its square, sum and last step,
// times the power of two.
constexpr double of_exponential = 13, of_division = 4;
constexpr double of_logistic = of_exponential + 1 + of_division;

// Multiply-adds (or either) of an element that is written; 0: none that count.
double multiply_adds(const Operator& work) {
  const bool forward = is_forward(work.phase);
  switch (kind_of(work.computation)) {
    case OperatorKind::mlp_activation:
      // x (3), the share, times x; backward the slope (6) and the upstream gradient. SwiGLU's two
      // factors take no more.
      return forward ? 3 + of_logistic + 1 : 3 + of_logistic + 7;
    case OperatorKind::norm:
      // Mean, variance (2), normal (2), weight and bias; backward the normal (2), times weight,
      // both means (2), both sums (2), the slope (3) and what comes past it.
      return forward ? 6 : 11;
    case OperatorKind::cross_entropy:
      // For the sum, and again for the gradient.
      return forward ? 2 * (of_exponential + 2) : 0;
    default:
      return 0;
  }
}

}  // namespace

double MachineLimits::least_time(const Operator& work) {
  const auto [found, is_new] = kept_.try_emplace(key_of(work), 0.0);
  if (is_new) found->second = measured(work);
  return found->second;
}

double MachineLimits::measured(const Operator& work) {
  return std::visit(Match{[&](const GemmShape& shape) {
                            Gemm sizes;
                            sizes.form = form_of(work);
                            sizes.rows = shape.m;
                            sizes.columns = shape.n;
                            sizes.depth = shape.k;
                            return product(sizes) * static_cast<double>(shape.batch);
                          },
                          [&](const AttentionShape& shape) { return attention(shape, work); },
                          [&](const MemoryShape& shape) {
                            const Traffic traffic = traffic_of(shape, work);
                            const double elements = traffic.written / sizeof(float);
                            return std::max(copy(traffic),
                                            elements * multiply_adds(work) * multiply_add_time());
                          },
                          [](const ProfiledShape&) { return 0.0; }},
                    work.shape);
}

// Queries, keys, values and the result go by, and backward as much again of gradients; forward the
// result is cold, backward what was kept: half of all.
double MachineLimits::attention(const AttentionShape& shape, const Operator& work) {
  Gemm scores;
  scores.rows = shape.query_length;
  scores.columns = shape.key_length;
  scores.depth = shape.head_dim;
  Operator one = work;
  one.phase = Phase::forward;
  one.shape = GemmShape{shape.query_length, shape.key_length, shape.head_dim};
  const double flops = flops_of(work, AttentionCount::causal_half).value;
  const double products = flops / flops_of(one, AttentionCount::full).value * least_time(one);
  const double heads = static_cast<double>(shape.sequences * shape.heads);
  const bool forward = is_forward(work.phase);
  const double pairs = flops / (forward ? 4 : 10) / static_cast<double>(shape.head_dim);
  // Scaled, less the maximum, added up; backward the slope and its scale (4) instead of the sum.
  const double exponentials = pairs * (of_exponential + (forward ? 3 : 6)) * multiply_add_time();
  const double matrix_bytes =
      sizeof(float) * heads * static_cast<double>(shape.query_length * shape.head_dim);
  Traffic traffic{3 * matrix_bytes, matrix_bytes, 0, matrix_bytes};
  if (!forward) traffic = {5 * matrix_bytes, 3 * matrix_bytes, 4 * matrix_bytes, 0};
  return std::max(products + exponentials, copy(traffic));
}

Buffer MachineLimits::matrix(std::int64_t rows, std::int64_t columns) {
  Buffer made(memory_, rows * columns, DataType::fp32);
  std::fill_n(made.floats(), made.count(), 0.5F);
  return made;
}

double MachineLimits::multiply_add_time() {
  constexpr kernels::Index side = 768;
  if (multiply_add_ > 0) return multiply_add_;
  Gemm large;
  large.rows = large.columns = large.depth = side;
  multiply_add_ = product(large) / static_cast<double>(side * side * side);
  return multiply_add_;
}

// Twice the last cache, where the machine says how large it is.
void MachineLimits::evict() {
  const long said = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const std::size_t bytes = 2 * static_cast<std::size_t>(said > 0 ? said : long{32} << 20);
  if (evicting_.empty()) evicting_.assign(bytes / sizeof(std::uint64_t), 1);
  std::uint64_t sum = 0;
  for (std::size_t line = 0; line < evicting_.size(); line += 8) sum += evicting_[line];
  asm volatile("" : : "r"(sum));
}

// Larger ones than this are copied in parts.
double MachineLimits::copy(const Traffic& traffic) {
  constexpr std::int64_t most = 16 << 20;
  const double bytes = (traffic.read + traffic.written) / 2;
  const auto floats = std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes / 4), 1, most);
  const auto warm = [&](double cold, double all) {
    return all > 0 ? static_cast<std::int64_t>(static_cast<double>(floats) * (1 - cold / all)) : 0;
  };
  Buffer from = matrix(1, floats), to = matrix(1, floats);
  const double time = least_of(
      [&] {
        evict();
        std::fill_n(from.floats(), warm(traffic.cold_read, traffic.read), 0.25F);
        std::fill_n(to.floats(), warm(traffic.cold_written, traffic.written), 0.25F);
      },
      [&] {
        std::memcpy(to.floats(), from.floats(), static_cast<std::size_t>(floats) * sizeof(float));
        asm volatile("" : : "r"(to.floats()) : "memory");
      });
  return time * bytes / static_cast<double>(4 * floats);
}

double MachineLimits::product(const Gemm& sizes) {
  const Buffer a = matrix(sizes.rows, sizes.depth), b = matrix(sizes.depth, sizes.columns);
  Buffer c = matrix(sizes.rows, sizes.columns);
  Gemm gemm = sizes;
  gemm.a = a.at();
  gemm.b = b.at();
  gemm.c = c.at();
  double least = 1e30;
  kernels::Stream stream;
  for (kernels::Kernels* const implementation : implementations_)
    least = std::min(least, least_of([] {}, [&] { implementation->gemm(gemm, stream); }));
  return least;
}

}  // namespace quintet::engine
