#!/usr/bin/env bash
# Two network namespaces as two hosts, joined by a link whose rate `tc tbf` limits: runs `hexapla bench cluster` with one process on
# each over TCP, at each rate, and compares what is predicted with what is measured. Needs root, iproute2 and Open MPI.
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
# mpirun calls it in the place of ssh: HOST COMMAND...
cat > "$folder/rsh" << EOF
#!/usr/bin/env bash
case \$1 in 10.77.0.1) ns=$a ;; 10.77.0.2) ns=$b ;; *) exit 1 ;; esac
shift
exec ip netns exec \$ns unshare --uts bash -c "hostname \$ns; \$*"
EOF
chmod +x "$folder/rsh"
export OMP_WAIT_POLICY=passive
for rate in "${rates[@]}"; do
  for side in "$a vethA" "$b vethB"; do
    ip netns exec ${side% *} tc qdisc replace dev "${side#* }" root tbf rate "${rate}mbit" burst 256kb latency 200ms
  done
  timeout 300 ip netns exec $a unshare --uts bash -c "hostname $a; exec mpirun --allow-run-as-root --bind-to none \
    --mca plm_rsh_agent '$folder/rsh' --mca plm rsh --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include 10.77.0.0/24 \
    --mca oob_tcp_if_include 10.77.0.0/24 -n 2 --host 10.77.0.1,10.77.0.2 \
    '$program' bench cluster --threads 1 --seconds $seconds --json $*" > "$folder/$rate.json" 2> "$folder/log" < /dev/null ||
    die "at $rate Mbit/s: $(tail -n 5 "$folder/log")"
  python3 - "$rate" "$folder/$rate.json" << 'EOF'
import json, sys
m = json.load(open(sys.argv[2]))["measured"][-1]
print(f"{sys.argv[1]} Mbit/s: link {8e-6 / m['per_byte']:.0f} Mbit/s, {m['latency'] * 1e6:.0f} us, {m['per_message'] * 1e6:.1f} us a message; "
      f"step {m['step'] * 1e3:.1f} ms, wait {m['wait'] * 1e3:.1f}, sum {m['sum'] * 1e3:.1f}, Adam {m['optimize'] * 1e3:.1f}, gather {m['gather'] * 1e3:.1f}; "
      f"predicted {m['predicted'] * 1e3:.1f} ms, measured {m['measured'] * 1e3:.1f} ms, error {(m['predicted'] / m['measured'] - 1) * 100:+.1f} %")
EOF
done
