#include "engine/network/routes/incoming_routes.h"

namespace quintet::engine {

void IncomingRoutes::adopt(std::size_t route, Descriptor socket) {
  if (connections_.size() <= route) connections_.resize(route + 1);
  leave(route);
  connections_[route] = std::make_unique<RouteConnection>(std::move(socket));
  events_.watch(connections_[route]->descriptor(), owner_, Interest::reading);
  heard_last_ = route;
  stream_.ask_again();
  settle();
}

void IncomingRoutes::leave(std::size_t route) {
  if (!connections_[route]) return;
  events_.leave(connections_[route]->descriptor());
  connections_[route] = nullptr;
  if (heard_last_ == route) heard_last_ = std::nullopt;
}

void IncomingRoutes::work() {
  for (std::size_t route = 0; route < connections_.size(); ++route) {
    if (!connections_[route]) continue;
    switch (connections_[route]->read(*this)) {
      case RouteConnection::Heard::something:
        heard_last_ = route;
        continue;
      case RouteConnection::Heard::nothing:
        continue;
      case RouteConnection::Heard::closed:
      case RouteConnection::Heard::nonsense:
        leave(route);
    }
  }
  if (stream_.owes()) settle();
}

void IncomingRoutes::settle() {
  if (!stream_.acknowledged()) answer();
  if (!heard_last_) return;
  RouteConnection& connection = *connections_[*heard_last_];
  if (!connection.flush()) return leave(*heard_last_);
  events_.watch(connection.descriptor(), owner_,
                connection.has_unsent() ? Interest::both : Interest::reading);
}

// Where no connection stands, the next one is told.
void IncomingRoutes::answer() {
  if (heard_last_) connections_[*heard_last_]->say(stream_.acknowledge());
}

void IncomingRoutes::close() {
  for (std::size_t route = 0; route < connections_.size(); ++route) leave(route);
  stream_.forget();
}

}  // namespace quintet::engine
