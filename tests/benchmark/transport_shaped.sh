#!/bin/bash
# Times collectives between 4 ranks, each in a network namespace of its own, over a bridge whose
# links carry RATE both ways (tbf). Prints bus bandwidth as a share of the wire and what equal-length
# compute leaves exposed. No root needed where unprivileged user namespaces are allowed.
#
#   tests/benchmark/transport_shaped.sh BUILD_DIRECTORY [RATE_MBIT] [SIZE_MB ...]
#
# CARRIER=tcp (default) is the engine's own sockets, CARRIER=ucx is UCX over the same links.
set -euo pipefail

program=${1:?expected the build directory}/tests/benchmark/transport_benchmark
rate=${2:-1000}
[ -x "$program" ] || { echo "no $program: build the target transport_benchmark first" >&2; exit 2; }

# First time: come again as root of fresh user, network and mount namespaces.
if [ -z "${QUINTET_SHAPED_INSIDE:-}" ]; then
  if ! unshare --user --map-root-user --net --mount true 2>/dev/null; then
    echo "SKIPPED: this system does not allow unprivileged user and network namespaces" >&2
    echo "(look at kernel.unprivileged_userns_clone and user.max_user_namespaces)" >&2
    exit 77
  fi
  QUINTET_SHAPED_INSIDE=1 exec unshare --user --map-root-user --net --mount "$0" "$@"
fi
shift $(( $# < 2 ? $# : 2 ))

mount -t tmpfs none /run && mkdir -p /run/netns
ip link set lo up
if ! ip link add bridge0 type bridge 2>/dev/null; then
  echo "SKIPPED: this kernel has no bridge device" >&2
  exit 77
fi
ip link set bridge0 up
world=4
for ((rank = 0; rank < world; ++rank)); do
  ip netns add rank$rank
  ip link add port$rank type veth peer name cluster0 netns rank$rank
  ip link set port$rank master bridge0 up
  ip -n rank$rank addr add 10.77.0.$((rank + 1))/24 dev cluster0
  ip -n rank$rank link set cluster0 up
  ip -n rank$rank link set lo up
  # Both directions: what leaves the rank, and what the bridge hands to it.
  for place in "-n rank$rank dev=cluster0" "dev=port$rank"; do
    device=${place##*dev=}
    namespace=${place%dev=*}
    if ! tc $namespace qdisc add dev $device root tbf rate ${rate}mbit burst 128k latency 50ms; then
      echo "SKIPPED: this kernel has no tbf queue" >&2
      exit 77
    fi
  done
done

QUINTET_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export QUINTET_TOKEN
echo "4 ranks, $rate Mbit/s each way, ${CARRIER:=tcp}, $(nproc) cores, $(date -u +%F)"
wire=$(awk "BEGIN { print $rate / 1000 }")
pids=()
for ((rank = world - 1; rank >= 0; --rank)); do
  ip netns exec rank$rank "$program" $rank $world 10.77.0.1:4777 cluster0 "$wire" "$CARRIER" "$@" &
  pids+=($!)
done
status=0
for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
exit $status
