#include "engine/network/collectives/messages.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace quintet::engine {

namespace {

// So many segments an all-reduce by rank gathers behind its reduce-scatter: the sums of a segment
// need a round trip, in which the next ones leave.
constexpr int gather_behind = 2;

struct Draft {
  std::tuple<int, int, int> key;  // the common order
  const Transfer* transfer = nullptr;
  int segment = 0;
  ChunkRange part;  // elements of the buffer
};

class Drafting {
 public:
  Drafting(const Schedule& schedule, int position, const BufferShape& shape)
      : schedule_(schedule), position_(position), shape_(shape) {}

  std::vector<Draft> drafts() const {
    std::vector<Draft> all;
    for (std::size_t i = 0; i < schedule_.transfers.size(); ++i) {
      const Transfer& transfer = schedule_.transfers[i];
      if (transfer.from == position_ || transfer.to == position_)
        cut(transfer, static_cast<int>(i), all);
    }
    std::sort(all.begin(), all.end(), [](const Draft& a, const Draft& b) { return a.key < b.key; });
    return all;
  }

 private:
  void cut(const Transfer& transfer, int place, std::vector<Draft>& all) const {
    const ChunkRange whole = part_of_transfer(transfer);
    const std::size_t length = std::max<std::size_t>(shape_.segment / shape_.element_size, 1);
    int segment = 0;
    for (std::size_t begin = whole.begin; begin < whole.end; begin += length, ++segment)
      all.push_back({key_of(transfer, segment, place),
                     &transfer,
                     segment,
                     {begin, std::min(begin + length, whole.end)}});
  }

  // All terms of a sum by rank must be able to lie here at once, so that order goes by segment
  // first.
  std::tuple<int, int, int> key_of(const Transfer& transfer, int segment, int place) const {
    if (schedule_.order == SumOrder::of_schedule) return {transfer.step, segment, place};
    const bool gathers = transfer.effect == Effect::copy;
    return {segment + (gathers ? gather_behind : 0), transfer.step, place};
  }

  // An all-to-all sends from one buffer, by receiver, and receives into another, by sender.
  ChunkRange part_of_transfer(const Transfer& transfer) const {
    if (schedule_.kind != CollectiveKind::all_to_all)
      return part_of(shape_.elements, schedule_.chunks, transfer.chunk);
    const int side = transfer.from == position_ ? transfer.to : transfer.from;
    return part_of(shape_.elements, schedule_.ranks, side);
  }

  const Schedule& schedule_;
  int position_;
  const BufferShape& shape_;
};

struct CellState {
  std::uint32_t index = 0;
  std::uint32_t received = 0;
  std::vector<int> send_steps, receive_steps;
};

// Within a step everyone sends what it had before the step.
std::uint32_t before(const std::vector<int>& steps, int step) {
  return static_cast<std::uint32_t>(
      std::count_if(steps.begin(), steps.end(), [&](int one) { return one < step; }));
}

class Numbering {
 public:
  Numbering(const Schedule& schedule, int position, const BufferShape& shape)
      : schedule_(schedule), position_(position), shape_(shape) {}

  Messages numbered(const std::vector<Draft>& drafts) {
    for (const Draft& draft : drafts) {
      CellState& cell = cell_of(draft);
      const bool sends = draft.transfer->from == position_;
      (sends ? cell.send_steps : cell.receive_steps).push_back(draft.transfer->step);
    }
    for (const Draft& draft : drafts) add(draft);
    messages_.cells = static_cast<std::uint32_t>(cells_.size());
    const auto peers = static_cast<std::uint32_t>(schedule_.ranks - 1);
    constexpr std::uint32_t usual_window = 8;
    messages_.receive_window =
        schedule_.order == SumOrder::by_rank ? std::max(2 * peers, usual_window) : usual_window;
    return std::move(messages_);
  }

 private:
  using CellKey = std::pair<int, int>;  // chunk, segment
  static CellKey cell_key(const Draft& draft) { return {draft.transfer->chunk, draft.segment}; }

  CellState& cell_of(const Draft& draft) {
    const auto [found, first] = cells_.try_emplace(cell_key(draft));
    if (first) found->second.index = static_cast<std::uint32_t>(cells_.size() - 1);
    return found->second;
  }

  void add(const Draft& draft) {
    const Transfer& transfer = *draft.transfer;
    const bool sends = transfer.from == position_;
    CellState& cell = cell_of(draft);
    Message message;
    message.peer = sends ? transfer.to : transfer.from;
    message.step = transfer.step;
    message.offset = draft.part.begin * shape_.element_size;
    message.size = (draft.part.end - draft.part.begin) * shape_.element_size;
    message.number = (sends ? sent_to_ : received_from_)[message.peer]++;
    message.cell = cell.index;
    messages_.longest = std::max(messages_.longest, message.size);
    if (sends) {
      message.received_before = before(cell.receive_steps, transfer.step);
      messages_.sends.push_back(message);
    } else {
      message.received_before = cell.received++;
      message.sent_before = before(cell.send_steps, transfer.step + 1);
      land(transfer, cell, message);
      messages_.receives.push_back(message);
    }
  }

  void land(const Transfer& transfer, const CellState& cell, Message& message) const {
    const bool still_leaves = message.sent_before > before(cell.send_steps, transfer.step);
    message.landing = still_leaves ? Landing::copy_later : Landing::in_place;
    if (transfer.effect == Effect::copy) return;
    message.landing = Landing::add;
    if (schedule_.order == SumOrder::by_rank) land_by_rank(message);
  }

  // The term of position p is added after those of the positions before, whenever it comes.
  void land_by_rank(Message& message) const {
    const int term = message.peer < position_ ? message.peer : message.peer - 1;
    message.received_before = static_cast<std::uint32_t>(term);
    if (message.peer > position_) return;
    message.landing = message.peer == 0 ? Landing::hold : Landing::add_to_held;
    if (message.peer == position_ - 1) message.after = AfterLanding::add_held;
  }

  const Schedule& schedule_;
  int position_;
  const BufferShape& shape_;
  std::map<CellKey, CellState> cells_;
  std::unordered_map<int, std::uint32_t> sent_to_, received_from_;
  Messages messages_;
};

}  // namespace

ChunkRange part_of(std::size_t elements, int chunks, int chunk) {
  const auto count = static_cast<std::size_t>(chunks);
  const auto index = static_cast<std::size_t>(chunk);
  const std::size_t share = elements / count, rest = elements % count;
  const std::size_t begin = index * share + std::min(index, rest);
  return {begin, begin + share + (index < rest ? 1 : 0)};
}

Messages messages_of(const Schedule& schedule, int position, const BufferShape& shape) {
  const std::vector<Draft> drafts = Drafting(schedule, position, shape).drafts();
  return Numbering(schedule, position, shape).numbered(drafts);
}

}  // namespace quintet::engine
