#include "sim/plan/replicator.h"

namespace quintet {

std::string_view name_of(ReplicatorKind kind) {
  switch (kind) {
    case ReplicatorKind::full:
      return "full";
    case ReplicatorKind::demo:
      return "demo";
    case ReplicatorKind::random:
      return "random";
    case ReplicatorKind::striding:
      return "striding";
    case ReplicatorKind::diloco:
      return "diloco";
    case ReplicatorKind::none:
      return "none";
  }
  return {};
}

std::string_view name_of(IndexType type) {
  switch (type) {
    case IndexType::int16:
      return "int16";
    case IndexType::int32:
      return "int32";
    case IndexType::int64:
      return "int64";
  }
  return {};
}

Bytes size_of(IndexType type) {
  switch (type) {
    case IndexType::int16:
      return Bytes{2};
    case IndexType::int32:
      return Bytes{4};
    case IndexType::int64:
      return Bytes{8};
  }
  return {};
}

bool keeps_momentum(ReplicatorKind kind) {
  switch (kind) {
    case ReplicatorKind::demo:
    case ReplicatorKind::random:
    case ReplicatorKind::striding:
      return true;
    case ReplicatorKind::full:
    case ReplicatorKind::diloco:
    case ReplicatorKind::none:
      return false;
  }
  return false;
}

bool is_plain(const Replicator& replicator) {
  return replicator.kind == ReplicatorKind::full && replicator.every == 1;
}

bool lets_replicas_differ(const Replicator& replicator) {
  return replicator.every > 1 || replicator.kind == ReplicatorKind::none ||
         replicator.kind == ReplicatorKind::diloco;
}

}  // namespace quintet
