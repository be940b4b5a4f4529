#!/usr/bin/env bash
# Simulates two hosts with network namespaces, linked at a rate limited by `tc tbf`: runs `hexapla bench cluster` with one process
# on each over TCP, three times per rate, and compares predictions with measurements. Needs root, iproute2 and Open MPI.
# Usage: namespaces.sh HEXAPLA SECONDS RATE... [-- OPTION...]    (rates in Mbit/s)
# Example: scripts/namespaces.sh build/release/hexapla 5 200 1000 4000 -- --preset tiny --batch-tokens 1024
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ $# -ge 3 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
[ "$(id -u)" = 0 ] || die "network namespaces need root"
for program in ip tc mpirun unshare; do have $program || die "no $program: run scripts/install_dependencies.sh --mpi and --cluster"; done
program=$(realpath "$1") seconds=$2
shift 2
rates=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do rates+=("$1"); shift; done
[ $# -eq 0 ] || shift
a=hexaplaA$$ b=hexaplaB$$
folder=$(mktemp -d)
stop() {
  ip netns del $a 2> /dev/null || true
  ip netns del $b 2> /dev/null || true
  rm -rf "$folder"
}
trap stop EXIT
ip netns add $a
ip netns add $b
ip link add vethA netns $a type veth peer name vethB netns $b
ip -n $a addr add 10.77.0.1/24 dev vethA
ip -n $b addr add 10.77.0.2/24 dev vethB
for side in "$a vethA" "$b vethB"; do
  ip -n ${side% *} link set lo up
  ip -n ${side% *} link set "${side#* }" up
done
# mpirun calls it instead of ssh: HOST COMMAND...
cat > "$folder/rsh" << EOF
#!/usr/bin/env bash
case \$1 in 10.77.0.1) ns=$a ;; 10.77.0.2) ns=$b ;; *) exit 1 ;; esac
shift
exec ip netns exec \$ns unshare --uts bash -c "hostname \$ns; \$*"
EOF
chmod +x "$folder/rsh"
# Realistic links: bursts are limited to a quarter of a millisecond or a few packets, because larger ones would make short
# messages faster than the link; the queue holds the windows of two hosts. Reno is a congestion control that namespaces may
# select under any kernel, whatever the host uses.
for side in $a $b; do ip netns exec $side sysctl -qw net.ipv4.tcp_congestion_control=reno; done
export OMP_WAIT_POLICY=passive
for rate in "${rates[@]}"; do
  burst=$((rate * 1000000 / 8 / 4000))
  for side in "$a vethA" "$b vethB"; do
    ip netns exec ${side% *} tc qdisc replace dev "${side#* }" root tbf rate "${rate}mbit" \
      burst $((burst > 16000 ? burst : 16000)) latency 200ms
  done
  for run in 1 2 3; do
    timeout 300 ip netns exec $a unshare --uts bash -c "hostname $a; exec mpirun --allow-run-as-root --bind-to none \
      --mca plm_rsh_agent '$folder/rsh' --mca plm rsh --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include 10.77.0.0/24 \
      --mca oob_tcp_if_include 10.77.0.0/24 -n 2 --host 10.77.0.1,10.77.0.2 \
      '$program' bench cluster --threads 1 --seconds $seconds --json $*" > "$folder/$rate.$run.json" 2> "$folder/log" < /dev/null ||
      die "at $rate Mbit/s: $(tail -n 5 "$folder/log")"
  done
  python3 - "$rate" "$folder/$rate".?.json << 'EOF'
import json, statistics, sys
runs = [json.load(open(path))["measured"][-1] for path in sys.argv[2:]]
for m in runs:
    ms = {name: value * 1e3 for name, value in m.items() if isinstance(value, float)}
    core = f", {m['processor_per_byte'] * 1e9:.1f} ns of a core a byte" if m["processor_per_byte"] else ""
    o = {name: value * 1e3 for name, value in m.get("overlap", {}).items()}
    beside = f"; with overlap sum {o['sum']:.1f} (measured with step and wait {o['measured_gradient']:.1f}), gather (measured with Adam " \
        f"{o['measured_update']:.1f}); predicted {o['predicted']:.1f} ms, measured {o['measured']:.1f} ms" if o else ""
    print(f"{sys.argv[1]} Mbit/s: link {8e-6 / m['per_byte']:.0f} Mbit/s, {m['latency'] * 1e6:.0f} us, {m['per_message'] * 1e6:.1f} us a "
          f"message{core}; step {ms['step']:.1f} ms, wait {ms['wait']:.1f}, sum {ms['sum']:.1f} (measured with both "
          f"{ms['measured_gradient']:.1f}), Adam {ms['optimize']:.1f}, gather {ms['gather']:.1f} (measured with it "
          f"{ms['measured_update']:.1f}){beside}; predicted {ms['predicted']:.1f} ms, measured {ms['measured']:.1f} ms, error "
          f"{(m['predicted'] / m['measured'] - 1) * 100:+.1f} %")
for kind, name in (("", None), (" with overlap", "overlap")):
    if name and name not in runs[0]:
        continue
    of = [m[name] if name else m for m in runs]
    predicted, measured = (statistics.median(m[key] for m in of) * 1e3 for key in ("predicted", "measured"))
    print(f"{sys.argv[1]} Mbit/s{kind}, medians: predicted {predicted:.1f} ms, measured {measured:.1f} ms, error {(predicted / measured - 1) * 100:+.1f} %")
EOF
done
