#include "engine/network/routes/outgoing_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace quintet::engine {

namespace {

constexpr Milliseconds pause_after_failure{20};

}  // namespace

OutgoingRoutes::OutgoingRoutes(const RouteOptions& options, std::uint32_t to, Doors doors,
                               RouteEvents& events, std::uint64_t owner)
    : options_(options),
      to_(to),
      doors_(std::move(doors)),
      events_(events),
      owner_(owner),
      lines_(std::min(options.addresses.size(), doors_.size())) {}

void OutgoingRoutes::begin(std::size_t route, Clock::time_point now) {
  Line& line = lines_[route];
  line.begun = now;
  Result<std::unique_ptr<Approach>> approach = Approach::begin(
      options_.addresses[route], doors_[route],
      {options_.rank, to_, options_.world, options_.lane, static_cast<std::uint32_t>(route)},
      options_.token);
  if (approach)
    line.approach = *std::move(approach);
  else
    give_up_approach(route, now, approach.error().text());
}

void OutgoingRoutes::give_up_approach(std::size_t route, Clock::time_point now,
                                      const std::string& why) {
  Line& line = lines_[route];
  if (line.approach) events_.leave(line.approach->descriptor());
  line.approach = nullptr;
  line.not_before = now + (current_ ? options_.try_again : pause_after_failure);
  if (current_) return;
  ++failures_;
  why_left_ = why;
  candidate_ = (route + 1) % lines_.size();
}

void OutgoingRoutes::advance_approaches(Clock::time_point now) {
  for (std::size_t route = 0; route < lines_.size(); ++route) {
    Line& line = lines_[route];
    if (!line.approach) continue;
    switch (line.approach->advance()) {
      case Approach::Came::not_yet:
        continue;
      case Approach::Came::to_nothing:
        give_up_approach(route, now, std::string(line.approach->failure()));
        continue;
      case Approach::Came::about:
        events_.leave(line.approach->descriptor());
        line.last = line.approach->last();
        line.connection = std::make_unique<RouteConnection>(line.approach->take_socket());
        line.approach = nullptr;
    }
  }
}

bool OutgoingRoutes::fits(const RouteHead& head) {
  return head.kind == RouteFrame::received || head.kind == RouteFrame::wanted;
}

bool OutgoingRoutes::arrived(const RouteHead& head) {
  return head.kind == RouteFrame::received ? stream_.received(head.number)
                                           : stream_.wanted(head.message);
}

void OutgoingRoutes::listen(Clock::time_point now) {
  for (std::size_t route = 0; route < lines_.size(); ++route) {
    if (!lines_[route].connection) continue;
    RouteConnection& connection = *lines_[route].connection;
    switch (connection.read(*this)) {
      case RouteConnection::Heard::something:
      case RouteConnection::Heard::nothing:
        continue;
      case RouteConnection::Heard::closed:
        leave(route, now, connection.end());
        continue;
      case RouteConnection::Heard::nonsense:
        leave(route, now, "what came over it is no answer");
    }
  }
}

void OutgoingRoutes::leave(std::size_t route, Clock::time_point now, std::string why) {
  Line& line = lines_[route];
  events_.leave(line.connection->descriptor());
  line.connection->reset();
  line.connection = nullptr;
  line.not_before = now + pause_after_failure;
  if (current_ != route) return;
  current_ = std::nullopt;
  why_left_ = std::move(why);
  candidate_ = (route + 1) % lines_.size();
}

void OutgoingRoutes::use(std::size_t route) {
  if (current_) {
    events_.leave(lines_[*current_].connection->descriptor());
    lines_[*current_].connection = nullptr;
  }
  if (last_used_ && *last_used_ != route)
    changes_.push_back(
        {to_, *last_used_, route, current_ ? "it is the preferred one, and stands" : why_left_});
  current_ = last_used_ = route;
  without_since_ = std::nullopt;
  silence_ = {};
  failures_ = 0;
  stream_.hold(false);
  stream_.resume(lines_[route].last);
}

void OutgoingRoutes::choose(Clock::time_point) {
  const bool preferred_stands = lines_[preferred_].connection != nullptr;
  if (!current_) {
    if (preferred_stands) return use(preferred_);
    for (std::size_t route = 0; route < lines_.size(); ++route)
      if (lines_[route].connection) return use(route);
    return;
  }
  if (*current_ == preferred_) return stream_.hold(false);
  stream_.hold(preferred_stands);
  if (preferred_stands && stream_.drained()) use(preferred_);
}

void OutgoingRoutes::write(Clock::time_point now) {
  if (!current_) return;
  RouteConnection& connection = *lines_[*current_].connection;
  if (!connection.flush()) return leave(*current_, now, "it broke");
  if (connection.has_unsent() || !stream_.wants_to_write()) return;
  written_ = now;
  if (stream_.write_to(connection.descriptor()) == OutgoingStream::Written::broken)
    leave(*current_, now, "it broke");
}

void OutgoingRoutes::push(Clock::time_point now) {
  pushed_ = now;
  watched_ = lines_.size() > 1;
  write(now);
  look_for_a_way(now);
  watch_all();
}

void OutgoingRoutes::work(Clock::time_point now) {
  advance_approaches(now);
  listen(now);
  choose(now);
  write(now);
  look_for_a_way(now);
  watch_all();
}

void OutgoingRoutes::look_for_a_way(Clock::time_point now) {
  if (current_) {
    Line& line = lines_[preferred_];
    if (*current_ != preferred_ && line.free() && now >= line.not_before) begin(preferred_, now);
    return;
  }
  if (!stream_.unfinished()) without_since_ = std::nullopt;
  if (!stream_.unfinished() && !watched_) return;
  if (!without_since_ && stream_.unfinished()) without_since_ = now;
  if (!last_used_ && why_left_.empty()) candidate_ = preferred_;
  const bool on_the_way =
      std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return !line.free(); });
  if (!on_the_way && now >= lines_[candidate_].not_before) begin(candidate_, now);
}

// A busy machine may be slow to answer: each failure makes the next attempt longer. Where there is
// no other way, nothing is won by haste.
Milliseconds OutgoingRoutes::patience() const {
  constexpr int longest = 10;
  const int haste = lines_.size() > 1 ? 1 : longest;
  return options_.attempt * std::min(haste + failures_, longest);
}

void OutgoingRoutes::tick(Clock::time_point now) {
  for (std::size_t route = 0; route < lines_.size(); ++route)
    if (lines_[route].approach && now - lines_[route].begun >= patience())
      give_up_approach(route, now, "nobody answers there");
  watched_ = watched_ && now - pushed_ < options_.watched_for;
  if (current_ && (stream_.unfinished() || watched_))
    look_whether_it_lives(now);
  else
    silence_ = {};
  work(now);
}

void OutgoingRoutes::look_whether_it_lives(Clock::time_point now) {
  RouteConnection& connection = *lines_[*current_].connection;
  if (!stream_.wants_to_write() && !connection.has_unsent() &&
      now - written_ >= options_.ping_every) {
    written_ = now;
    connection.say(std::vector<RouteHead>(1));
  }
  if (lines_.size() == 1) return;
  const int socket = connection.descriptor();
  const Milliseconds waited = silence_.look(socket, now);
  if (waited >= RouteSilence::suspicious(socket, options_.silent_after))
    leave(*current_, now, fmt::format("nothing came back for {} ms", waited.count()));
}

void OutgoingRoutes::watch_all() {
  for (std::size_t route = 0; route < lines_.size(); ++route) {
    const Line& line = lines_[route];
    if (line.approach)
      events_.watch(line.approach->descriptor(), owner_,
                    line.approach->waits_to_write() ? Interest::writing : Interest::reading);
    if (!line.connection) continue;
    const bool writes =
        current_ == route && (stream_.wants_to_write() || line.connection->has_unsent());
    events_.watch(line.connection->descriptor(), owner_,
                  writes ? Interest::both : Interest::reading);
  }
}

bool OutgoingRoutes::restless() const {
  return stream_.unfinished() || watched_ || (current_ && *current_ != preferred_);
}

std::optional<std::string> OutgoingRoutes::lost(Clock::time_point now) const {
  if (!without_since_ || now - *without_since_ < options_.give_up) return std::nullopt;
  return "no way to it was found: " + why_left_;
}

std::vector<RouteChange> OutgoingRoutes::take_changes() {
  return std::exchange(changes_, {});
}

void OutgoingRoutes::close() {
  for (Line& line : lines_) {
    if (line.approach) events_.leave(line.approach->descriptor());
    if (line.connection) events_.leave(line.connection->descriptor());
    line = {};
  }
  current_ = std::nullopt;
  stream_.forget();
}

}  // namespace quintet::engine
