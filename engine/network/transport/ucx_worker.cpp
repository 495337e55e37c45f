#include "engine/network/transport/ucx_worker.h"

#include <ucp/api/ucp.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include <cassert>
#include <deque>
#include <tuple>

#include "engine/network/transport/background_work.h"

namespace quintet::engine {

namespace {

enum class Direction { out, in };

}  // namespace

struct UcxWorker::Inside {
  // A movement under way; its address is UCX's user data.
  struct Movement {
    Inside* inside = nullptr;
    BackgroundWork* work = nullptr;
    std::uint32_t slot = 0;
    Direction direction = Direction::out;
    Rank peer;
    std::size_t size = 0;
    void* request = nullptr;
    bool* ended = nullptr;  // set by end(), while the call that began it has not returned
  };
  struct Peer {
    Inside* inside = nullptr;
    Rank rank;
    WorkerAddress address;
    ucp_ep_h endpoint = nullptr;
  };

  Inside(Listener& listener_, UcxContext context_, UcxWorkerHandle worker_)
      : listener(listener_), context(std::move(context_)), worker(std::move(worker_)) {}

  Movement& begin(const Movement& movement);
  void end(Movement& movement, ucs_status_t status);
  void settle(Movement& movement, ucs_status_ptr_t request);
  ucp_ep_h endpoint_to(Rank rank);
  void cut(Peer& peer);
  bool nothing_leaves();

  static void on_sent(void* request, ucs_status_t status, void* movement);
  static void on_received(void* request, ucs_status_t status, const ucp_tag_recv_info_t*,
                          void* movement);
  static void on_error(void* peer, ucp_ep_h, ucs_status_t status);

  Listener& listener;
  UcxContext context;
  UcxWorkerHandle worker;
  int descriptor = -1;
  std::deque<Movement> movements;  // addresses must not change
  std::vector<Movement*> unused;
  std::deque<Peer> peers;
  std::vector<void*> closing;  // UCX's requests
  void* flushing = nullptr;
};

UcxWorker::Inside::Movement& UcxWorker::Inside::begin(const Movement& movement) {
  if (unused.empty()) unused.push_back(&movements.emplace_back());
  Movement& place = *unused.back();
  unused.pop_back();
  place = movement;
  return place;
}

// A movement that failed leaves its work waiting: the verdict on the job ends it.
void UcxWorker::Inside::end(Movement& movement, ucs_status_t status) {
  const Movement ended = movement;
  if (ended.request != nullptr) ucp_request_free(ended.request);
  if (ended.ended != nullptr) *ended.ended = true;
  movement = {};
  unused.push_back(&movement);
  if (status == UCS_OK)
    listener.moved(*ended.work, ended.slot);
  else if (status != UCS_ERR_CANCELED)
    listener.broke({ended.peer, std::string("moving data failed: ") + ucs_status_string(status)});
}

// UCX answers at once with nothing (done), an error, or a request whose callback comes later.
void UcxWorker::Inside::settle(Movement& movement, ucs_status_ptr_t request) {
  if (UCS_PTR_IS_PTR(request))
    movement.request = request;
  else
    end(movement, UCS_PTR_STATUS(request));
}

void UcxWorker::Inside::on_sent(void*, ucs_status_t status, void* movement) {
  Movement& ended = *static_cast<Movement*>(movement);
  ended.inside->end(ended, status);
}

// UCX itself calls a message that is too long an error, but not one that is too short.
void UcxWorker::Inside::on_received(void*, ucs_status_t status, const ucp_tag_recv_info_t* info,
                                    void* movement) {
  Movement& ended = *static_cast<Movement*>(movement);
  const bool is_short = status == UCS_OK && info->length != ended.size;
  ended.inside->end(ended, is_short ? UCS_ERR_INVALID_PARAM : status);
}

void UcxWorker::Inside::on_error(void* argument, ucp_ep_h, ucs_status_t status) {
  const Peer& peer = *static_cast<Peer*>(argument);
  peer.inside->listener.broke(
      {peer.rank, std::string("its data connection broke: ") + ucs_status_string(status)});
}

// True only for a flush that is over at once: during a longer one something new may have come.
bool UcxWorker::Inside::nothing_leaves() {
  if (flushing != nullptr) {
    if (ucp_request_check_status(flushing) == UCS_INPROGRESS) return false;
    ucp_request_free(flushing);
    flushing = nullptr;
  }
  ucp_request_param_t param{};
  void* request = ucp_worker_flush_nbx(worker.get(), &param);
  if (UCS_PTR_IS_PTR(request)) flushing = request;
  return request == nullptr;
}

ucp_ep_h UcxWorker::Inside::endpoint_to(Rank rank) {
  assert(rank.valid() && rank.index() < peers.size());
  Peer& peer = peers[rank.index()];
  if (peer.endpoint != nullptr) return peer.endpoint;
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(peer.address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler = {&Inside::on_error, &peer};
  const ucs_status_t status = ucp_ep_create(worker.get(), &params, &peer.endpoint);
  if (status != UCS_OK) {
    peer.endpoint = nullptr;
    listener.broke({rank, std::string("cannot be reached: ") + ucs_status_string(status)});
  }
  return peer.endpoint;
}

void UcxWorker::Inside::cut(Peer& peer) {
  if (peer.endpoint == nullptr) return;
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  void* request = ucp_ep_close_nbx(peer.endpoint, &param);
  if (UCS_PTR_IS_PTR(request)) closing.push_back(request);
  peer.endpoint = nullptr;
}

UcxWorker::UcxWorker(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}

Result<std::unique_ptr<UcxWorker>> UcxWorker::open(const UcxOptions& options, Listener& listener) {
  prepare_process_for_ucx();
  Result<UcxContext> context = ucx_context(options);
  if (!context) return context.error();
  Result<UcxWorkerHandle> worker = ucx_worker(*context);
  if (!worker) return worker.error();
  auto inside = std::make_unique<Inside>(listener, *std::move(context), *std::move(worker));
  const ucs_status_t status = ucp_worker_get_efd(inside->worker.get(), &inside->descriptor);
  if (status != UCS_OK)
    return Error{"UCX", std::string("cannot sleep: ") + ucs_status_string(status)};
  return std::unique_ptr<UcxWorker>(new UcxWorker(std::move(inside)));
}

// UCX 1.13 ends the process when a worker is destroyed that still owes a peer an answer to its
// connection (assertion "got REP message" in ucp_request.c). So it is destroyed when everything has
// left; where a dead peer prevents that, its memory and its port stay until the process ends.
UcxWorker::~UcxWorker() {
  cancel_everything();
  constexpr Milliseconds patience{1000};
  const Clock::time_point until = Clock::now() + patience;
  while (Clock::now() < until) {
    progress();
    if (inside_->closing.empty() && inside_->nothing_leaves()) return;
  }
#if defined(__SANITIZE_ADDRESS__)
  __lsan_ignore_object(inside_.get());  // left behind on purpose
#endif
  std::ignore = inside_.release();
}

WorkerAddress UcxWorker::address() const {
  ucp_address_t* address = nullptr;
  std::size_t size = 0;
  if (ucp_worker_get_address(inside_->worker.get(), &address, &size) != UCS_OK) return {};
  const auto* bytes = reinterpret_cast<const std::byte*>(address);
  WorkerAddress copy(bytes, bytes + size);
  ucp_worker_release_address(inside_->worker.get(), address);
  return copy;
}

std::optional<Error> UcxWorker::know(std::vector<WorkerAddress> members) {
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    inside_->peers.push_back({inside_.get(), id_at<Rank>(rank), std::move(members[rank]), nullptr});
  return std::nullopt;
}

void UcxWorker::send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
                     std::uint32_t slot) {
  const ucp_ep_h endpoint = inside_->endpoint_to(to);
  if (endpoint == nullptr) return;
  Inside::Movement& movement =
      inside_->begin({inside_.get(), &work, slot, Direction::out, to, bytes.size(), nullptr});
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = &Inside::on_sent;
  param.user_data = &movement;
  inside_->settle(movement,
                  ucp_tag_send_nbx(endpoint, bytes.data(), bytes.size(), tag.value, &param));
}

// The endpoint back is made as well, so that the death of a rank that is only received from breaks
// something here.
void UcxWorker::receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
                        std::uint32_t slot) {
  if (inside_->endpoint_to(from) == nullptr) return;
  Inside::Movement& movement =
      inside_->begin({inside_.get(), &work, slot, Direction::in, from, bytes.size(), nullptr});
  ucp_request_param_t param{};
  bool ended = false;
  movement.ended = &ended;
  // Never over without the callback, which alone tells the length.
  param.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.cb.recv = &Inside::on_received;
  param.user_data = &movement;
  constexpr ucp_tag_t whole_tag = ~ucp_tag_t{0};
  const ucs_status_ptr_t request = ucp_tag_recv_nbx(inside_->worker.get(), bytes.data(),
                                                    bytes.size(), tag.value, whole_tag, &param);
  if (ended) {  // the message was here already, and the movement may be another's by now
    ucp_request_free(request);
    return;
  }
  movement.ended = nullptr;
  inside_->settle(movement, request);
}

int UcxWorker::descriptor() const {
  return inside_->descriptor;
}

UcxWorker::Armed UcxWorker::arm() {
  return ucp_worker_arm(inside_->worker.get()) == UCS_OK ? Armed::sleep : Armed::progress;
}

UcxWorker::Moved UcxWorker::progress() {
  const unsigned count = ucp_worker_progress(inside_->worker.get());
  std::erase_if(inside_->closing, [](void* request) {
    if (ucp_request_check_status(request) == UCS_INPROGRESS) return false;
    ucp_request_free(request);
    return true;
  });
  return count > 0 ? Moved::something : Moved::nothing;
}

std::size_t UcxWorker::under_way() const {
  return inside_->movements.size() - inside_->unused.size() + inside_->closing.size();
}

void UcxWorker::cancel_everything() {
  for (Inside::Movement& movement : inside_->movements)
    if (movement.request != nullptr && movement.direction == Direction::in)
      ucp_request_cancel(inside_->worker.get(), movement.request);
  for (Inside::Peer& peer : inside_->peers) inside_->cut(peer);
}

UcxWorker::Moved UcxWorker::flush() {
  return inside_->nothing_leaves() ? Moved::nothing : Moved::something;
}

}  // namespace quintet::engine
