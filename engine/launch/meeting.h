// How ranks that mpirun or srun started find each other: rank 0 holds the rendezvous and leaves its
// address in a file, and the token beside it unless they have one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/rank_identity.h"
#include "engine/launch/rendezvous/network_interface.h"
#include "engine/launch/rendezvous/rendezvous_server.h"

namespace quintet::engine {

struct MeetingPlace {
  std::filesystem::path file;        // of the address
  std::filesystem::path token_file;  // readable by its owner only, or refused
  std::filesystem::path folder{};    // this job's own, with a token of its own; empty: none is
};

// In a folder of this user's own on this host, named after the job; an error where the ranks are on
// several hosts, or the folder is another user's.
Result<MeetingPlace> own_meeting_place(const RankIdentity& identity,
                                       const Environment& environment);

struct Meeting {
  SocketAddress server;
  std::vector<SocketAddress> server_elsewhere;  // over other interfaces
  std::string token;
  std::unique_ptr<RendezvousServer> held;  // on rank 0
};

// The token: $QUINTET_TOKEN, else the file's; rank 0 makes the file where there is none.
Result<Meeting> meet(const RankIdentity& identity, const NetworkInterface& interface,
                     const MeetingPlace& place, const Environment& environment);

// By rank 0 when all have joined: the address, and what is the job's own.
void clear_up(const MeetingPlace& place);

}  // namespace quintet::engine
