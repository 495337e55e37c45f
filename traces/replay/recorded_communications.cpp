#include "traces/replay/recorded_communications.h"

namespace quintet {

namespace {

std::vector<Rank> members_of(const Communicator& communicator) {
  std::vector<Rank> members;
  for (const int stage : communicator.stages) members.push_back(Rank{stage});
  return members;
}

// Every sender has a price of every pattern, though one alone sends it.
void add_messages(Communications& all, const RecordedProgram& recorded, const RecordedTimes& times,
                  const MeetingPrices& priced) {
  const auto ranks = static_cast<int>(recorded.program.roles.size());
  for (const std::int32_t meeting : recorded.messages) {
    const RecordedMeeting& met = times.meetings[static_cast<std::size_t>(meeting)];
    const int from = met.members[0].rank, offset = met.members[1].rank - from;
    all.message_patterns.push_back({Axis::pipeline, offset, met.size, Memory::device});
    auto& prices = all.messages.emplace_back(static_cast<std::size_t>(ranks));
    prices[static_cast<std::size_t>(from)] = priced.prices[static_cast<std::size_t>(meeting)];
    auto& receivers = all.receivers.emplace_back();
    for (int rank = 0; rank < ranks; ++rank)
      receivers.push_back(Rank{((rank + offset) % ranks + ranks) % ranks});
  }
}

}  // namespace

Communications recorded_communications(const RecordedProgram& recorded, const RecordedTimes& times,
                                       const MeetingPrices& priced) {
  Communications all;
  const std::vector<Communicator>& communicators = recorded.program.communicators;
  all.patterns.resize(communicators.size());
  all.collectives.resize(communicators.size());
  for (std::size_t each = 0; each < communicators.size(); ++each) {
    all.groups.push_back({members_of(communicators[each])});
    for (const std::int32_t meeting : recorded.collectives[each]) {
      const RecordedMeeting& met = times.meetings[static_cast<std::size_t>(meeting)];
      all.patterns[each].push_back(
          {Collective{met.collective, id_at<CommunicatorId>(each), met.size, met.type,
                      Purpose::exchange, static_cast<std::int32_t>(all.patterns[each].size())}});
      all.collectives[each].push_back({priced.prices[static_cast<std::size_t>(meeting)]});
    }
  }
  add_messages(all, recorded, times, priced);
  all.links = priced.links;
  all.details = priced.details;
  if (all.details.empty()) all.details.emplace_back("as recorded");
  return all;
}

}  // namespace quintet
