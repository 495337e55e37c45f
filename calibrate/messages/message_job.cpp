#include "calibrate/messages/message_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "calibrate/messages/message_sampling.h"
#include "calibrate/probes/probe_journal.h"
#include "calibrate/ranks/gpu_rank.h"
#include "engine/launch/meeting.h"
#include "engine/launch/rendezvous/network_interface.h"
#include "engine/launch/rendezvous/rendezvous_place.h"
#include "engine/launch/rendezvous/rendezvous_server.h"
#include "sim/base/progress_line.h"

namespace quintet::calibrate {
namespace {

using engine::Processor;

constexpr engine::Milliseconds patience{60000};

// About as long as all the rest, half a minute at most: 25 times this.
Seconds ring_pace(Seconds time) {
  return std::clamp(time / 25, Seconds{0.05}, Seconds{1});
}

std::optional<Error> add_rings(EngineRanks& ranks, ProbeJournal& journal,
                               const MessageRequest& request, ProgressLine& line) {
  for (const TimingRecord& each : journal.timings())
    if (each.at == request.at && each.what == rings_words) return std::nullopt;
  line.show("Messages: what they take of cores");
  const Result<RingTimings> rings = ranks.rings(ring_pace(request.time));
  if (!rings) return rings.error();
  return journal.add(TimingRecord{rings_words, request.at, numbers_of(*rings)});
}

std::string words_for(const MessageProgress& progress) {
  std::string error = "too few to tell an error";
  if (progress.held_out < 1) {
    error = std::to_string(progress.held_out * 100);
    error = error.substr(0, error.find('.') + 2) + " % held-out error";
  }
  return fmt::format("Messages: timed {} times, {}; at most {} s left; {}", progress.timings, error,
                     static_cast<int>(std::max(0.0, progress.left.value)), progress.next);
}

template <class Number>
bool read_number(const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, wrong] = std::from_chars(text.data(), end, value);
  return wrong == std::errc() && stop == end;
}

Result<std::unique_ptr<engine::Transport>> started_transport(const StartedRank& rank,
                                                             const std::string& token) {
  engine::TransportOptions options;
  options.ucx.interface = rank.interface;
  options.join.server = rank.server;
  options.join.token = token;
  options.join.rank = Rank{rank.rank};
  options.join.world = rank.ranks;
  return engine::Transport::join(options);
}

std::optional<Error> take_part(engine::Transport& transport, const JobSeats& job,
                               const MessageRequest& request) {
  // In an emulated cluster and on a host of GPUs, the number in the job is that on the machine.
  std::unique_ptr<TimingWork> work =
      timing_work(transport, job, request.processor, transport.rank().value);
  if (transport.rank() != Rank{0}) return serve(transport, *work);
  EngineRanks ranks(transport, job, std::move(work));
  if (auto wrong = time_messages(ranks, request)) {
    transport.abort(wrong->text());
    return wrong;
  }
  return ranks.end();
}

engine::MeetingPlace place_of(const ClusterOptions& options) {
  const std::string token =
      options.token_file.empty() ? options.rendezvous + ".token" : options.token_file;
  return {options.rendezvous, token, {}};
}

}  // namespace

std::vector<std::string> words_of(const StartedRank& rank) {
  const MessageRequest& request = rank.request;
  return {started_rank_word,
          std::to_string(rank.rank),
          std::to_string(rank.ranks),
          std::to_string(rank.host),
          rank.server.text(),
          rank.interface,
          request.journal.string(),
          request.conditions,
          request.at,
          std::to_string(request.target),
          std::to_string(request.time.value),
          request.processor == Processor::gpu ? "gpu" : "cpu"};
}

Result<StartedRank> parse_started_rank(const std::vector<std::string>& words) {
  const Error wrong{started_rank_word, "is for processes that quintet calibrate starts"};
  StartedRank rank;
  if (words.size() != 12 || (words[11] != "gpu" && words[11] != "cpu")) return wrong;
  const bool numbers = read_number(words[1], rank.rank) && read_number(words[2], rank.ranks) &&
                       read_number(words[3], rank.host) &&
                       read_number(words[9], rank.request.target) &&
                       read_number(words[10], rank.request.time.value);
  const Result<engine::SocketAddress> server = engine::parse_address(words[4]);
  if (!numbers || !server) return wrong;
  rank.server = *server;
  rank.interface = words[5];
  rank.request.journal = words[6];
  rank.request.conditions = words[7];
  rank.request.at = words[8];
  rank.request.processor = words[11] == "gpu" ? Processor::gpu : Processor::cpu;
  return rank;
}

std::optional<Error> be_started_rank(const StartedRank& rank, const std::string& token) {
  std::unique_ptr<engine::RendezvousServer> server;
  if (rank.rank == 0 && rank.request.processor == Processor::cpu) {
    engine::RendezvousOptions options;
    options.address = rank.server;
    options.token = token;
    options.world = rank.ranks;
    auto started = engine::RendezvousServer::start(options);
    if (!started) return started.error();
    server = *std::move(started);
  }
  const auto transport = started_transport(rank, token);
  if (!transport) return transport.error();
  const Result<JobSeats> job = seats_of_job(**transport, rank.host);
  if (!job) return job.error();
  if (auto wrong = take_part(**transport, *job, rank.request)) return wrong;
  if (const auto failure = (*transport)->close(patience)) return failure->error();
  return std::nullopt;
}

std::unique_ptr<TimingWork> timing_work(engine::Transport& transport, const JobSeats& job,
                                        Processor processor, int local_rank) {
  if (processor == Processor::gpu) return gpu_timing_work(transport, job, local_rank);
  return std::make_unique<RankTasks>(transport, job);
}

std::optional<Error> time_messages(EngineRanks& ranks, const MessageRequest& request) {
  Result<ProbeJournal> journal = ProbeJournal::open(request.journal, request.conditions);
  if (!journal) return journal.error();
  ProgressLine line(ProgressShown::on_terminal_and_in_logs);
  if (ranks.seats().size() > 1 && request.processor == Processor::cpu)
    if (auto wrong = add_rings(ranks, *journal, request, line)) return wrong;
  MessageSamplingOptions options;
  options.at = request.at;
  options.target = request.target;
  options.time = request.time;
  options.clock = [begin = std::chrono::steady_clock::now()] {
    return Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
  };
  options.progress = [&](const MessageProgress& progress) { line.show(words_for(progress)); };
  const Result<MessagesSampled> sampled = sample_messages(ranks, *journal, options);
  return sampled ? std::nullopt : std::optional<Error>(sampled.error());
}

Result<std::unique_ptr<Cluster>> Cluster::join(const engine::RankIdentity& identity,
                                               const ClusterOptions& options) {
  const auto interface = engine::find_interface(options.address);
  if (!interface) return interface.error();
  const auto environment = engine::process_environment();
  Result<engine::MeetingPlace> place = options.rendezvous.empty()
                                           ? engine::own_meeting_place(identity, environment)
                                           : Result<engine::MeetingPlace>(place_of(options));
  if (!place) return place.error();
  auto meeting = engine::meet(identity, *interface, *place, environment);
  if (!meeting) return meeting.error();
  engine::TransportOptions transport;
  transport.ucx.interface = interface->name;
  transport.join.server = meeting->server;
  transport.join.token = meeting->token;
  transport.join.rank = identity.rank;
  transport.join.world = identity.world;
  auto joined = engine::Transport::join(transport);
  if (identity.rank == Rank{0}) engine::clear_up(*place);
  if (!joined) return joined.error();
  std::unique_ptr<Cluster> cluster(new Cluster);
  cluster->held_ = std::move(meeting->held);
  cluster->transport_ = *std::move(joined);
  Result<JobSeats> job = seats_of_job(*cluster->transport_, std::nullopt);
  if (!job) return job.error();
  cluster->job_ = *std::move(job);
  cluster->local_rank_ = identity.local_rank;
  cluster->processor_ = options.processor;
  return cluster;
}

std::unique_ptr<TimingWork> Cluster::work() {
  return timing_work(*transport_, job_, processor_, local_rank_);
}

std::optional<Error> Cluster::close() {
  const auto failure = transport_->close(patience);
  return failure ? std::optional<Error>(failure->error()) : std::nullopt;
}

}  // namespace quintet::calibrate
