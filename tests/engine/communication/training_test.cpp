// Ranks that talk through sockets train what ranks of one process train (LocalWorld).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>

#include "engine/communication/network_backend.h"
#include "sim/intra_inter/decompose.h"
#include "tests/support/by_name.h"
#include "tests/support/local_job.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

constexpr int steps = 4;

// Which algorithm runs, and whether it adds in the order of ranks, as LocalWorld does.
enum class Bits { the_same, close };

struct Layout {
  std::string name;
  Bits bits = Bits::the_same;
  std::function<void(Plan&)> change;
  std::vector<Seat> seats;
  int ranks_per_host = 0;  // collectives are decomposed into phases; 0: they are not
  Model model = toy_gpt2();
};

void PrintTo(const Layout& layout, std::ostream* out) {
  *out << layout.name;
}

void by(Plan& plan, Algorithm algorithm) {
  plan.ccl.rules = {{.algorithm = algorithm}};
}

void data(Plan& plan, int ranks) {
  plan.parallelism.data = ranks;
  plan.parallelism.micro_batches = toy_sequences / ranks;
}

void shard(Plan& plan, Sharding sharding, int group = 0) {
  plan.parallelism.sharding = sharding;
  plan.parallelism.sharding_group = group;
}

void in_phases(Plan& plan, Axis axis) {
  plan.intra_inter.decompositions.push_back({axis, Decomposition::hierarchical});
}

Parallelism& of(Plan& plan) {
  return plan.parallelism;
}

const std::vector<Seat> two_hosts{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
const std::vector<Seat> two_interleaved_hosts{{0, 0}, {1, 0}, {0, 1}, {1, 1}};

std::vector<Layout> layouts() {
  using enum Algorithm;
  return {
      {"dp4 direct", Bits::the_same, [](Plan& p) { data(p, 4), by(p, direct); }, {}},
      {"dp4 ring", Bits::close, [](Plan& p) { data(p, 4), by(p, ring); }, {}},
      {"dp4 ring in small buckets", Bits::close,
       [](Plan& p) { data(p, 4), p.ccl.bucket = Bytes{7e3}; }, two_interleaved_hosts},
      {"dp4 tree", Bits::close, [](Plan& p) { data(p, 4), by(p, tree); }, two_hosts},
      {"dp4 halving-doubling",
       Bits::close,
       [](Plan& p) { data(p, 4), by(p, halving_doubling); },
       {}},
      {"dp4 hierarchical", Bits::close, [](Plan& p) { data(p, 4), by(p, hierarchical); },
       two_interleaved_hosts},
      {"tp2 pp2",
       Bits::the_same,
       [](Plan& p) { of(p).tensor = of(p).pipeline = 2, by(p, direct); },
       {}},
      {"tp2 pp2 interleaved, sequence parallel",
       Bits::the_same,
       [](Plan& p) {
         of(p).tensor = of(p).pipeline = of(p).virtual_stages = 2;
         of(p).schedule = PipelineSchedule::interleaved;
         of(p).sequence_parallel = true;
         by(p, direct);  // the norm is a sum over all four
       },
       {}},
      {"zero-1 dp4 direct",
       Bits::the_same,
       [](Plan& p) { data(p, 4), shard(p, Sharding::optimizer), by(p, direct); },
       {}},
      {"zero-3 dp4 direct",
       Bits::the_same,
       [](Plan& p) { data(p, 4), shard(p, Sharding::parameters), by(p, direct); },
       {}},
      {"zero-3 dp4 ring",
       Bits::close,
       [](Plan& p) { data(p, 4), shard(p, Sharding::parameters); },
       {}},
      {"zero-3 dp4 pat",
       Bits::close,
       [](Plan& p) { data(p, 4), shard(p, Sharding::parameters), by(p, pat); },
       {}},
      {"zero-1 dp3 pat",
       Bits::close,
       [](Plan& p) { data(p, 3), shard(p, Sharding::optimizer), by(p, pat); },
       {}},
      {"zero-3 in pairs, twice",
       Bits::the_same,
       [](Plan& p) { data(p, 4), shard(p, Sharding::parameters, 2), by(p, direct); },
       {}},
      {"dp2 tp2 pp2 zero-3 zb-h1",
       Bits::the_same,
       [](Plan& p) {
         data(p, 2), shard(p, Sharding::parameters), by(p, direct);
         of(p).tensor = of(p).pipeline = 2;
         of(p).schedule = PipelineSchedule::zb_h1;
       },
       {}},
      // The same collectives inside and across hosts of two.
      {"dp4 in phases", Bits::close, [](Plan& p) { data(p, 4), in_phases(p, Axis::data); }, {}, 2},
      // Its 61 words have a bias each: the gradients' number is odd.
      {"BERT, dp4 in phases",
       Bits::close,
       [](Plan& p) { data(p, 4), in_phases(p, Axis::data); },
       {},
       2,
       toy_bert()},
      {"dp8 in phases and small buckets",
       Bits::close,
       [](Plan& p) {
         data(p, 8), in_phases(p, Axis::data);
         p.ccl.bucket = Bytes{7e3};
       },
       {},
       2},
      {"zero-1 dp4 in phases",
       Bits::close,
       [](Plan& p) { data(p, 4), shard(p, Sharding::optimizer), in_phases(p, Axis::data); },
       {},
       2},
      {"zero-3 dp8 in phases, hosts of four",
       Bits::close,
       [](Plan& p) { data(p, 8), shard(p, Sharding::parameters), in_phases(p, Axis::data); },
       {},
       4},
      {"zero-2 dp4 in phases, pp2",
       Bits::close,
       [](Plan& p) {
         data(p, 4), shard(p, Sharding::gradients), in_phases(p, Axis::data);
         of(p).pipeline = 2;
       },
       {},
       2},
      {"tp4 in phases",
       Bits::close,
       [](Plan& p) { of(p).tensor = 4, in_phases(p, Axis::tensor); },
       {},
       2},
  };
}

Curve train_over_network(const Toy& toy, const Layout& layout) {
  Program program = program_of(toy);
  if (layout.ranks_per_host > 0) {
    const std::size_t flat = program.communicators.size();
    program = decompose(program, toy.plan.intra_inter, layout.ranks_per_host);
    EXPECT_GT(program.communicators.size(), flat);
  }
  const int ranks = world_size(program.grid);
  std::vector<RankCurve> curves(static_cast<std::size_t>(ranks));
  const std::string problem = run_job({ranks, SharedMemory::refuse, {}}, [&](Transport& transport) {
    RankCurve& curve = curves[transport.rank().index()];
    const auto made =
        NetworkBackend::make(program, toy.plan.ccl, transport, {Milliseconds(60000), layout.seats});
    if (made)
      curve = train_rank(toy, program, transport.rank(), **made, steps);
    else
      curve.error = made.error();
  });
  Curve all;
  if (!problem.empty()) all.error = Error{"job", problem};
  all.losses.assign(steps, 0.0);
  for (int rank = 0; rank < ranks && !all.error; ++rank) {
    RankCurve& each = curves[static_cast<std::size_t>(rank)];
    all.error = each.error;
    if (all.error) break;
    if (coordinate(program.grid, Rank{rank}, Axis::tensor) == 0)
      for (std::size_t step = 0; step < all.losses.size(); ++step)
        all.losses[step] += each.loss_sums[step];
    all.norms = each.norms;
    all.last_spans.push_back(std::move(each.last_spans));
  }
  return all;
}

class Training : public testing::TestWithParam<Layout> {};

TEST_P(Training, IsThatOfRanksOfOneProcess) {
  Toy changed = toy(GetParam().model);
  GetParam().change(changed.plan);
  const Curve local = train(changed, steps);
  const Curve network = train_over_network(changed, GetParam());
  ASSERT_FALSE(local.error) << local.error->text();
  ASSERT_FALSE(network.error) << network.error->text();
  for (std::size_t step = 0; step < steps; ++step) {
    const double difference = std::abs(network.losses[step] - local.losses[step]);
    EXPECT_LE(difference,
              GetParam().bits == Bits::the_same ? 0.0 : 1e-5 * std::abs(local.losses[step]))
        << step;
  }
  if (GetParam().bits == Bits::close) return;
  EXPECT_EQ(network.norms, local.norms);
}

// What the timeline shows: communication never ends before it moves, nor moves before it starts.
TEST_P(Training, HasSpansInOrder) {
  Toy changed = toy(GetParam().model);
  GetParam().change(changed.plan);
  const Curve network = train_over_network(changed, GetParam());
  ASSERT_FALSE(network.error) << network.error->text();
  for (const std::vector<Span>& spans : network.last_spans) {
    EXPECT_FALSE(spans.empty());
    for (const Span& span : spans) {
      EXPECT_LE(span.start, span.moving);
      EXPECT_LE(span.moving, span.end);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, Training, testing::ValuesIn(layouts()), by_name);

}  // namespace
}  // namespace quintet::engine::test
