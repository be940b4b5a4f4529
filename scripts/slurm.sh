#!/usr/bin/env bash
# Runs a command with a private Slurm on this machine: munged, slurmctld and two slurmd (nodes n1 and n2 with NODES_CPUS
# tasks each, default 2), with all their files in FOLDER; they end with the command. Needs root and Debian's packages
# slurm-wlm and munge.
# Usage: slurm.sh FOLDER COMMAND...
# Example: scripts/slurm.sh build/slurm sbatch --wait --array=1-4 examples/cluster/slurm.sh run test.en test.de
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ $# -ge 2 ] || { sed -n '2,7s/^# //p' "$0"; exit 2; }
[ "$(id -u)" = 0 ] || die "Slurm's daemons need root"
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch; do have $program || die "no $program: install slurm-wlm and munge"; done
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
mkdir -p "$folder/state" "$folder/log"
port=$((20000 + $$ % 10000 * 3))
host=$(hostname -s)
pids=()
stop() {
  local status=$? pid
  for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
  wait || true
  exit "$status"
}
trap stop EXIT

(umask 077; head -c 1024 /dev/urandom > "$folder/munge.key")
munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
  --seed-file="$folder/munge.seed" --log-file="$folder/log/munge.log" 2> "$folder/log/munge.err" &
pids+=($!)
cat > "$folder/slurm.conf" << EOF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/ctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=1,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
JobRequeue=1
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=${NODES_CPUS:-2} State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=${NODES_CPUS:-2} State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES State=UP MaxTime=60
EOF
export SLURM_CONF=$folder/slurm.conf
waited=0
until [ -S "$folder/munge.socket" ]; do
  [ $((waited += 1)) -le 100 ] || die "munged does not start: $(cat "$folder"/log/munge.*)"
  sleep 0.1
done
slurmctld -D > "$folder/log/ctld.log" 2>&1 &
pids+=($!)
for node in n1 n2; do
  slurmd -D -N $node > "$folder/log/$node.log" 2>&1 &
  pids+=($!)
done
waited=0
until [ "$(sinfo -h -t idle -o %D 2> /dev/null | awk '{n += $1} END {print n + 0}')" = 2 ]; do
  [ $((waited += 1)) -le 300 ] || die "Slurm does not start: $(tail -n 5 "$folder"/log/*.log)"
  sleep 0.1
done
"$@"
