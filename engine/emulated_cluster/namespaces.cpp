#include "engine/emulated_cluster/namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>

#include "engine/emulated_cluster/start_inside.h"
#include "engine/launch/process.h"

namespace quintet::engine {
namespace {

const char* doing(KeeperStep step) {
  switch (step) {
    case KeeperStep::ready:
      return "reporting";
    case KeeperStep::separate:
      return "make user and process namespaces (look at kernel.unprivileged_userns_clone and "
             "user.max_user_namespaces, or run as root)";
    case KeeperStep::map_users:
      return "map the user into its namespace";
    case KeeperStep::detach_mounts:
      return "make its mounts private";
    case KeeperStep::make_space:
      return "make a network namespace (look at user.max_net_namespaces)";
    case KeeperStep::mount_proc:
      return "mount /proc inside (containers that hide parts of /proc forbid it)";
    case KeeperStep::mount_sys:
      return "mount /sys inside (containers that hide parts of /sys forbid it)";
    case KeeperStep::mount_shared_memory:
      return "mount /dev/shm inside";
    case KeeperStep::name_host:
      return "set the host's name";
    case KeeperStep::set_network:
      return "write /proc/sys/net inside";
  }
  return "";
}

Error failure_of(const KeeperReport& report, const std::vector<SpaceRequest>& spaces) {
  const bool of_space = report.space >= 0;
  return {of_space ? "box: " + spaces[static_cast<std::size_t>(report.space)].name : "box",
          "this system does not let it " + std::string(doing(report.step)) + ": " +
              system_error(report.error)};
}

// A message, and what came with it; nothing: no such message comes any more.
template <class Attached, class Body>
std::optional<Attached> receive_with(int socket, Body& body) {
  iovec part{&body, sizeof body};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Attached))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t size = 0;
  do size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (size != sizeof body || header == nullptr) return std::nullopt;
  Attached attached{};
  std::memcpy(&attached, CMSG_DATA(header), sizeof attached);
  return attached;
}

struct Received {
  KeeperReport report;
  pid_t sender = 0;
};

// Nothing: the keeper is gone.
std::optional<Received> receive_report(int socket) {
  Received received;
  const auto sender = receive_with<ucred>(socket, received.report);
  if (!sender) return std::nullopt;
  received.sender = sender->pid;
  return received;
}

std::string text_in(int file) {
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

struct Entered {
  pid_t process = 0;
  std::optional<EntryReport> failure;
};

Entered read_reports(int pipe) {
  Entered entered;
  EntryReport said;
  for (;;) {
    const ssize_t size = read(pipe, &said, sizeof said);
    if (size < 0 && errno == EINTR) continue;
    if (size != sizeof said) break;
    if (said.kind == EntryReport::Kind::started)
      entered.process = said.value;
    else
      entered.failure = said;
  }
  if (entered.process == 0 && !entered.failure)
    entered.failure = EntryReport{EntryReport::Kind::cannot_fork, ECHILD};
  return entered;
}

std::string failure_text(const EntryReport& report, const std::string& program) {
  const std::string why = ": " + system_error(report.value);
  switch (report.kind) {
    case EntryReport::Kind::cannot_enter:
      return "cannot enter the host" + why;
    case EntryReport::Kind::cannot_fork:
      return "cannot start a process on the host" + why;
    case EntryReport::Kind::cannot_run:
    case EntryReport::Kind::started:
      return "cannot run " + program + why;
  }
  return why;
}

Result<Descriptor> receive_socket(int from) {
  int error = 0;
  const std::optional<int> made = receive_with<int>(from, error);
  if (made) return Descriptor(*made);
  return Error{"", "cannot make a socket: " + system_error(error == 0 ? EIO : error)};
}

}  // namespace

Result<std::unique_ptr<Namespaces>> Namespaces::make(const std::vector<SpaceRequest>& spaces) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return Error{"box", system_error(errno)};
  std::unique_ptr<Namespaces> made(new Namespaces);
  made->requests_ = spaces;
  made->socket_ = Descriptor(ends[0]);
  Descriptor keepers(ends[1]);
  const int on = 1;
  setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  made->keeper_ = fork();
  if (made->keeper_ == 0) keep_namespaces(ends[1], spaces);
  if (made->keeper_ < 0) return Error{"box", "cannot fork: " + system_error(errno)};
  keepers = Descriptor();  // so that its end is noticed
  if (auto error = made->collect()) return *error;
  return made;
}

std::optional<Error> Namespaces::collect() {
  holders_.resize(requests_.size());
  for (std::size_t known = 0; known < requests_.size(); ++known) {
    const std::optional<Received> received = receive_report(socket_.number());
    if (!received) return Error{"box", "the process that makes its namespaces ended early"};
    if (received->report.step != KeeperStep::ready) return failure_of(received->report, requests_);
    users_ = received->report.users;
    SpaceHolder& holder = holders_[static_cast<std::size_t>(received->report.space)];
    holder.process = received->sender;
    holder.handle = handle_of(received->sender);
    if (!holder.handle.open()) return Error{"box", "cannot watch it: " + system_error(errno)};
  }
  return std::nullopt;
}

Namespaces::~Namespaces() {
  socket_ = Descriptor();
  if (keeper_ > 0)
    while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

int Namespaces::flags_for(std::size_t space, Inside inside) const {
  const int user = users_ == UserNamespace::owned ? CLONE_NEWUSER : 0;
  if (inside == Inside::network || requests_[space].kind == SpaceKind::network)
    return user | CLONE_NEWNET;
  return user | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS;
}

Result<StartedProcess> Namespaces::start(std::size_t space, const ProcessStart& process,
                                         Inside inside) const {
  const std::vector<char*> arguments = pointers(process.arguments);
  const std::vector<char*> environment = pointers(process.environment);
  std::error_code ignored;
  const std::string folder = std::filesystem::current_path(ignored).string();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Error{"box", system_error(errno)};
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const EntryOrder order{holders_[space].handle.number(),
                         flags_for(space, inside),
                         arguments.data(),
                         environment.data(),
                         folder.c_str(),
                         process.input,
                         process.output,
                         process.error,
                         writing.number()};
  const pid_t middle = fork();
  if (middle == 0) start_inside(order);
  if (middle < 0) return Error{"box", "cannot fork: " + system_error(errno)};
  writing = Descriptor();
  const Entered entered = read_reports(reading.number());
  wait_for(middle);
  if (entered.failure) {
    if (entered.process > 0) wait_for(entered.process);
    return Error{"box: " + requests_[space].name,
                 failure_text(*entered.failure, process.arguments[0])};
  }
  return StartedProcess{entered.process, handle_of(entered.process)};
}

Result<std::string> Namespaces::output_of(std::size_t space,
                                          const std::vector<std::string>& arguments,
                                          const std::string& input) const {
  const Descriptor given(memfd_create("input", MFD_CLOEXEC));
  const Descriptor output(memfd_create("output", MFD_CLOEXEC));
  if (!given.open() || !output.open() ||
      write(given.number(), input.data(), input.size()) != static_cast<ssize_t>(input.size()))
    return Error{"box", "no memory for a tool's input: " + system_error(errno)};
  lseek(given.number(), 0, SEEK_SET);
  const ProcessStart tool{
      arguments, {"LC_ALL=C"}, given.number(), output.number(), output.number()};
  const Result<StartedProcess> started = start(space, tool, Inside::network);
  if (!started) return started.error();
  const int status = wait_for(started->process);
  const std::string said = text_in(output.number());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said;
  return Error{"box: " + requests_[space].name, arguments[0] + " failed: " + said};
}

Result<Descriptor> Namespaces::socket_inside(std::size_t space, int domain, int type,
                                             int protocol) const {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return Error{"box", system_error(errno)};
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  EntryOrder order;
  order.space = holders_[space].handle.number();
  order.flags = flags_for(space, Inside::network);
  order.report = theirs.number();
  const pid_t maker = fork();
  if (maker == 0) make_socket_inside(order, domain, type, protocol);
  if (maker < 0) return Error{"box", "cannot fork: " + system_error(errno)};
  theirs = Descriptor();
  Result<Descriptor> made = receive_socket(ours.number());
  wait_for(maker);
  if (!made) return Error{"box: " + requests_[space].name, made.error().what};
  return made;
}

}  // namespace quintet::engine
