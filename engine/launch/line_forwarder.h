// What a process prints, passed on line by line, so that the lines of several do not mix.
#pragma once

#include <string>
#include <utility>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

class LineForwarder {
 public:
  // Every line gets the prefix.
  LineForwarder(Descriptor from, int to, std::string prefix)
      : from_(std::move(from)), to_(to), prefix_(std::move(prefix)) {}

  int descriptor() const { return from_.number(); }
  bool open() const { return from_.open(); }
  // Passes on what is there; at the end also a line that has none.
  void forward();
  void close() { from_ = Descriptor(); }
  // The last one that was not empty, without the prefix.
  const std::string& last_line() const { return last_; }

 private:
  void say(const std::string& line);

  Descriptor from_;
  int to_;
  std::string prefix_, rest_, last_;
};

}  // namespace quintet::engine
