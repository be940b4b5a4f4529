#!/usr/bin/env bash
# sbatch --array=1-100 slurm.sh run test.en test.de; when all jobs have ended: hexapla join test.de.part-* -o test.de
# If a job was killed, submit the same line again: complete parts are skipped.
#SBATCH --cpus-per-task=4
#SBATCH --requeue
set -euo pipefail
model=$1 input=$2 output=$3
hexapla translate --quiet --threads "${SLURM_CPUS_PER_TASK:-1}" -m "$model" --input "$input" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_MAX" --output "$output.part-$SLURM_ARRAY_TASK_ID"
