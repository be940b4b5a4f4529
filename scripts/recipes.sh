#!/usr/bin/env bash
# Runs the recipes of examples/cluster on this machine: trains a small model, translates LINES short lines with one process, then
# in parts with each ENGINE while killing one of its workers (kill -9), and compares the bytes. Skips missing engines;
# exit code 77 if all are missing.
# Usage: recipes.sh HEXAPLA FOLDER LINES ENGINE...    (engines: parallel slurm spark dask)
# Example: scripts/recipes.sh build/release/hexapla build/recipes 100000 spark slurm
# PARTS (8 for spark, 4 for others) is the number of parts, KILL_AFTER (0.3; 0: at its start) the seconds until a worker is killed, and
# HEXAPLA_RECIPES_PYTHON (python3) a Python that has pyspark or dask.distributed. install_dependencies.sh --cluster installs the rest.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
[ $# -ge 4 ] || { sed -n '2,9s/^# //p' "$0"; exit 2; }
program=$(realpath "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
lines=$3 recipes=$ROOT/examples/cluster python=${HEXAPLA_RECIPES_PYTHON:-python3}
shift 3
export OMP_WAIT_POLICY=passive PATH="$folder/bin:$PATH"
cd "$folder"

# Lines of 1 to 6 words out of 40, and their word-by-word translations; the same on every machine.
text_of() {  # prefix lines
  awk -v p="$1" -v n="$2" 'BEGIN { for (x = 1; n > 0; --n) { line = ""; x = (x * 16807) % 2147483647
    for (w = x % 6 + 1; w > 0; --w) { x = (x * 16807) % 2147483647; line = line (line == "" ? "" : " ") p (x % 40) }
    print line } }'
}

# A wrapper of the program on the recipes' PATH; kills one worker, the one that takes the file `victim`.
mkdir -p bin
cat > bin/hexapla << EOF
#!/usr/bin/env bash
if mv "$folder/victim" "$folder/victim.\$\$" 2> /dev/null; then
  # With 0 it stops before it begins, and so cannot be done before it is killed.
  ([ "${KILL_AFTER:-0.3}" != 0 ] || kill -STOP \$BASHPID; exec "$program" "\$@") <&0 &
  sleep "${KILL_AFTER:-0.3}"
  kill -9 \$! && echo "\$*" > "$folder/killed"
  wait \$!
  exit
fi
exec "$program" "\$@"
EOF
chmod +x bin/hexapla

is_here() {  # engine
  case $1 in
    parallel) have parallel ;;
    slurm) [ "$(id -u)" = 0 ] && have sbatch && PATH=$PATH:/usr/sbin have slurmctld && PATH=$PATH:/usr/sbin have munged ;;
    spark) have java && "$python" -c 'import pyspark' 2> /dev/null ;;
    dask) "$python" -c 'import dask.distributed' 2> /dev/null ;;
    *) die "there is no recipe for $1" ;;
  esac
}

engines=()
for engine in "$@"; do
  if is_here "$engine"; then engines+=("$engine"); else note "$engine: not installed here, left out"; fi
done
[ ${#engines[@]} -gt 0 ] || exit 77

compare() {  # engine file
  cmp "$folder/whole" "$2" || die "$1 gives other bytes than one process"
  [ -f "$folder/killed" ] || die "$1: no worker was killed: give more lines, or a smaller KILL_AFTER"
  note "$1: one worker was killed, and the bytes of $lines lines are those of one process"
}

with_parallel() {
  JOBS=2 "$recipes/parallel.sh" model source "${PARTS:-4}" parallel.out 2> parallel.log || die "parallel failed: $(cat parallel.log)"
  compare parallel parallel.out
}

# Submits the array a second time, as the recipe says; complete parts are kept.
with_slurm() {
  NODES_CPUS=1 "$ROOT/scripts/slurm.sh" "$folder/slurm" bash -euc '
    submit() { sbatch --quiet --wait --cpus-per-task=1 --array="1-$1" --output=slurm-%a.log "$2" model source slurm.out; }
    if submit "$@"; then echo "Slurm did not notice the kill" >&2; exit 1; fi
    stat -c "%n %y" slurm.out.part-? > slurm.before
    submit "$@"' - "${PARTS:-4}" "$recipes/slurm.sh" > slurm.log 2>&1 || die "Slurm failed: $(tail -n 20 slurm.log slurm-*.log)"
  [ "$(wc -l < slurm.before)" = $((${PARTS:-4} - 1)) ] || die "Slurm: more than one part was missing: $(cat slurm.before)"
  [ "$(stat -c "%n %y" slurm.out.part-? | grep -cFxf slurm.before)" = $((${PARTS:-4} - 1)) ] ||
    die "Slurm: a part that was whole was made again"
  hexapla join slurm.out.part-* -o slurm.out
  compare slurm slurm.out
}

with_spark() {
  # local[workers, times a part is tried]
  PYSPARK_PYTHON=$python PYSPARK_SUBMIT_ARGS='--master local[2,4] --conf spark.ui.enabled=false pyspark-shell' \
    "$python" "$recipes/spark.py" model source spark.out "${PARTS:-8}" 2> spark.log || die "Spark failed: $(tail -n 20 spark.log)"
  [ "$(ls spark.out/part-* | wc -l)" = "${PARTS:-8}" ] || die "Spark: there are $(ls spark.out/part-* | wc -l) partitions"
  cat spark.out/part-* > spark.whole
  compare spark spark.whole
}

with_dask() {
  "$python" "$recipes/dask_parts.py" model source dask.out "${PARTS:-4}" 2> dask.log || die "Dask failed: $(tail -n 20 dask.log)"
  compare dask dask.out
}

text_of s 2000 > train.s && text_of t 2000 > train.t
text_of s "$lines" > source
if [ ! -f model/model.safetensors ]; then
  "$program" train --quiet --model model --train-sets train.s train.t --layers 1 --dim-model 64 --dim-ff 128 --heads 2 \
    --vocab-size 120 --batch-tokens 1000 --warmup 50 --lr 0.005 --dropout 0 --max-updates "${UPDATES:-800}" --average-last 0 \
    --save-every 1000 --precision f32
fi
"$program" translate --quiet --threads 1 -m model --input source > whole
# Lines must differ: equal ones would be correct in any order.
[ "$(sort -u whole | wc -l)" -ge 50 ] || die "the model has learned nothing: its translations do not differ"
for engine in "${engines[@]}"; do
  rm -rf killed victim.* "$engine".out* && touch victim
  "with_$engine"
done
