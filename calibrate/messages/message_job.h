// A job of ranks that times its own messages: rank 0 measures into a journal, the others do what it
// asks. The job may live in a cluster that this machine emulates, or be what mpirun or srun
// started.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "calibrate/ranks/engine_ranks.h"
#include "engine/launch/rank_identity.h"
#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "engine/network/transport/transport.h"
#include "engine/plan_limits/plan_deviations.h"
#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet::calibrate {

struct MessageRequest {
  std::filesystem::path journal;
  std::string conditions;  // of the journal
  std::string at;          // TimingRecord::at
  double target = 0.03;    // held-out error
  Seconds time{60};        // for all but the rings, which take as long or half a minute
  engine::Processor processor = engine::Processor::cpu;  // of the ranks; GPUs have no rings
  bool operator==(const MessageRequest&) const = default;
};

// A rank of a job inside an emulated cluster, or with a GPU of this host, as the command line of
// its process says it.
struct StartedRank {
  int rank = 0, ranks = 1, host = 0;
  // This is the address of the rendezvous, which rank 0 holds in an emulated cluster, and elsewhere
  // whoever started the ranks.
  engine::SocketAddress server;
  std::string interface;
  MessageRequest request;
};
// The first word makes this program such a rank; the token is in the environment.
inline constexpr const char* started_rank_word = "message-rank";
std::vector<std::string> words_of(const StartedRank& rank);
Result<StartedRank> parse_started_rank(const std::vector<std::string>& words);
// From joining to leaving.
std::optional<Error> be_started_rank(const StartedRank& rank, const std::string& token);

// On processors, or with a GPU: the one of that number on its machine.
std::unique_ptr<TimingWork> timing_work(engine::Transport& transport, const JobSeats& job,
                                        engine::Processor processor, int local_rank);

// TimingRecord::what of the rings: numbers_of(RingTimings).
inline constexpr const char* rings_words = "rings";

// On rank 0: what the journal lacks is measured. Progress on the standard error.
std::optional<Error> time_messages(EngineRanks& ranks, const MessageRequest& request);

// A job that mpirun or srun started.
struct ClusterOptions {
  std::string address = "127.0.0.1";  // as quintet run --address
  std::string rendezvous, token_file;
  engine::Processor processor = engine::Processor::cpu;
};
class Cluster {
 public:
  static Result<std::unique_ptr<Cluster>> join(const engine::RankIdentity& identity,
                                               const ClusterOptions& options);

  int rank() const { return transport_->rank().value; }
  const JobSeats& job() const { return job_; }
  // What this rank does when rank 0 asks; made once for a cluster.
  std::unique_ptr<TimingWork> work();
  engine::Transport& transport() { return *transport_; }
  std::optional<Error> close();

 private:
  Cluster() = default;
  std::unique_ptr<engine::RendezvousServer> held_;  // on rank 0, as long as the job lasts
  std::unique_ptr<engine::Transport> transport_;
  JobSeats job_;
  int local_rank_ = 0;
  engine::Processor processor_ = engine::Processor::cpu;
};

}  // namespace quintet::calibrate
