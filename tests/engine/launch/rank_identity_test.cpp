#include "engine/launch/rank_identity.h"

#include <gtest/gtest.h>

#include <map>

namespace quintet::engine {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment(Variables variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

std::optional<RankIdentity> identity_in(Variables variables) {
  const auto found = rank_identity(environment(std::move(variables)));
  EXPECT_TRUE(found) << found.error().text();
  return found ? *found : std::nullopt;
}

TEST(RankIdentity, IsNoneWhereNobodyStartedThisProcessAsOne) {
  EXPECT_EQ(identity_in({}), std::nullopt);
}

TEST(RankIdentity, ComesFromOpenMpi) {
  EXPECT_EQ(identity_in({{"OMPI_COMM_WORLD_RANK", "2"},
                         {"OMPI_COMM_WORLD_SIZE", "4"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}),
            (RankIdentity{Rank{2}, 4, 0, 2, StartedBy::mpi}));
}

TEST(RankIdentity, ComesFromMpich) {
  EXPECT_EQ(identity_in({{"PMI_RANK", "3"},
                         {"PMI_SIZE", "4"},
                         {"MPI_LOCALRANKID", "3"},
                         {"MPI_LOCALNRANKS", "4"}}),
            (RankIdentity{Rank{3}, 4, 3, 4, StartedBy::mpi}));
}

TEST(RankIdentity, ComesFromAStepOfSrun) {
  EXPECT_EQ(identity_in({{"SLURM_PROCID", "1"},
                         {"SLURM_STEP_NUM_TASKS", "2"},
                         {"SLURM_LOCALID", "1"},
                         {"SLURM_STEP_TASKS_PER_NODE", "2"}}),
            (RankIdentity{Rank{1}, 2, 1, 2, StartedBy::slurm}));
}

// "2(x3)": two tasks on each of three nodes. Nobody is told that all are here.
TEST(RankIdentity, DoesNotTakeSeveralNodesForOne) {
  const auto found = identity_in({{"SLURM_PROCID", "1"},
                                  {"SLURM_STEP_NUM_TASKS", "6"},
                                  {"SLURM_STEP_TASKS_PER_NODE", "2(x3)"}});
  ASSERT_TRUE(found);
  EXPECT_NE(found->local_world, found->world);
}

// A batch script runs once, as task 0 of its job; it is to start the ranks.
TEST(RankIdentity, IsNoneInABatchScript) {
  EXPECT_EQ(identity_in({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}), std::nullopt);
  EXPECT_EQ(identity_in({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}), std::nullopt);
}

TEST(RankIdentity, OfTheLauncherGoesBeforeThatOfMpi) {
  Variables variables{{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}};
  const RankIdentity given{Rank{1}, 2, 1, 2, StartedBy::quintet};
  for (const std::string& variable : variables_of(given)) {
    const std::size_t equals = variable.find('=');
    variables[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  EXPECT_EQ(identity_in(variables), given);
}

TEST(RankIdentity, RefusesNumbersThatAreNone) {
  for (const auto& [rank, world] :
       {std::pair{"two", "4"}, std::pair{"4", "4"}, std::pair{"-1", "4"}, std::pair{"0", "0"}}) {
    const auto found = rank_identity(
        environment({{"OMPI_COMM_WORLD_RANK", rank}, {"OMPI_COMM_WORLD_SIZE", world}}));
    ASSERT_FALSE(found) << rank << " of " << world;
    EXPECT_NE(found.error().where.find("OMPI_COMM_WORLD"), std::string::npos);
  }
}

}  // namespace
}  // namespace quintet::engine
