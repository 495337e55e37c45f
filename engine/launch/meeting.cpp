#include "engine/launch/meeting.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "engine/launch/rendezvous/rendezvous_place.h"
#include "engine/launch/rendezvous/rendezvous_proof.h"

namespace quintet::engine {

namespace fs = std::filesystem;

namespace {

constexpr Milliseconds patience{60000};
constexpr mode_t for_others = S_IRWXG | S_IRWXO;

// Ranks of one job on one host have the same; a parent is shared where nothing else is told.
std::string job_name(const Environment& environment) {
  if (const auto step = environment("SLURM_STEP_ID"))
    return environment("SLURM_JOB_ID").value_or("") + "." + *step;
  for (const char* const name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"})
    if (const auto job = environment(name)) return *job;
  return fmt::format("parent-{}", getppid());
}

std::string without_slashes(std::string name) {
  for (char& letter : name)
    if (letter == '/') letter = '-';
  return name;
}

std::optional<Error> make_own_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return Error{folder.string(), "cannot be made: " + system_error(errno)};
  struct stat facts {};
  if (lstat(folder.c_str(), &facts) != 0) return Error{folder.string(), system_error(errno)};
  if (!S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & for_others) != 0)
    return Error{folder.string(),
                 "belongs to somebody else or is open to others; remove it, or name a place with "
                 "--rendezvous"};
  return std::nullopt;
}

std::optional<Error> write_token(const fs::path& file, const std::string& token) {
  const fs::path draft = file.string() + ".new";
  unlink(draft.c_str());
  const Descriptor out(
      open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (!out.open()) return Error{draft.string(), system_error(errno)};
  if (write(out.number(), token.data(), token.size()) != static_cast<ssize_t>(token.size()))
    return Error{draft.string(), "cannot be written"};
  std::error_code failure;
  fs::rename(draft, file, failure);
  if (failure) return Error{file.string(), failure.message()};
  return std::nullopt;
}

Result<std::string> read_token(const fs::path& file) {
  const Descriptor in(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat facts {};
  if (!in.open() || fstat(in.number(), &facts) != 0)
    return Error{file.string(), "the job's token cannot be read: " + system_error(errno)};
  if ((facts.st_mode & for_others) != 0 || facts.st_uid != geteuid())
    return Error{file.string(),
                 "holds the job's token and may be read by its owner alone: "
                 "chmod 600 it"};
  char text[4096];
  const ssize_t count = read(in.number(), text, sizeof text);
  std::string token(text, static_cast<std::size_t>(count > 0 ? count : 0));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (token.size() < shortest_token)
    return Error{file.string(), fmt::format("holds a token of {} characters; expected at least {}",
                                            token.size(), shortest_token)};
  return token;
}

Result<std::string> token_for(const RankIdentity& identity, const MeetingPlace& place,
                              const Environment& environment) {
  if (environment(token_variable)) return token_from_environment();
  std::error_code error;
  if (identity.rank.value == 0 && !fs::exists(place.token_file, error)) {
    const Result<std::string> token = fresh_token();
    if (!token) return token;
    if (const auto wrong = write_token(place.token_file, *token)) return *wrong;
  }
  return read_token(place.token_file);
}

}  // namespace

Result<MeetingPlace> own_meeting_place(const RankIdentity& identity,
                                       const Environment& environment) {
  if (identity.local_world != identity.world)
    return Error{"--rendezvous",
                 "ranks on several hosts need a file in a folder that all of them "
                 "see, and --address"};
  const fs::path base = environment("XDG_RUNTIME_DIR").value_or("/tmp");
  const fs::path folder =
      base / fmt::format("quintet-{}-{}", geteuid(), without_slashes(job_name(environment)));
  if (const auto wrong = make_own_folder(folder)) return *wrong;
  return MeetingPlace{folder / "rendezvous", folder / "token", folder};
}

Result<Meeting> meet(const RankIdentity& identity, const NetworkInterface& interface,
                     const MeetingPlace& place, const Environment& environment) {
  Meeting meeting;
  if (identity.rank.value != 0) {
    // The token is there before the address is.
    const Result<SocketAddress> server = published(place.file, Clock::now() + patience);
    if (!server) return server.error();
    meeting.server = *server;
  }
  const Result<std::string> token = token_for(identity, place, environment);
  if (!token) return token.error();
  meeting.token = *token;
  if (identity.rank.value != 0) return meeting;
  RendezvousOptions options;
  options.address = {interface.address, 0};
  options.token = *token;
  options.world = identity.world;
  auto server = RendezvousServer::start(options);
  if (!server) return server.error();
  meeting.held = *std::move(server);
  meeting.server = meeting.held->address();
  if (const auto wrong = publish(meeting.server, place.file)) return *wrong;
  return meeting;
}

void clear_up(const MeetingPlace& place) {
  std::error_code ignored;
  fs::remove(place.file, ignored);
  if (place.folder.empty()) return;
  fs::remove(place.folder / "token", ignored);
  fs::remove(place.folder, ignored);
}

}  // namespace quintet::engine
