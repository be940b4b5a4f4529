"""python dask_parts.py MODEL INPUT OUTPUT PARTS [SCHEDULER]: translates the parts of INPUT on the workers of a Dask scheduler
(without SCHEDULER, on this machine), which must share MODEL, INPUT and the folder of OUTPUT. A part whose worker dies is retried;
complete parts are skipped."""
import subprocess
import sys

from dask.distributed import Client


def translate(model, source, output, part):
    subprocess.run(["hexapla", "translate", "--quiet", "--threads", "1", "-m", model, "--input", source,
                    "--shard", part, "--output", output], check=True)
    return output


def main():
    model, source, target, parts = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    with Client(*sys.argv[5:6]) as client:
        jobs = [client.submit(translate, model, source, f"{target}.part-{i}", f"{i}/{parts}", pure=False, retries=3)
                for i in range(1, parts + 1)]
        done = client.gather(jobs)
    subprocess.run(["hexapla", "join", *done, "-o", target], check=True)


if __name__ == "__main__":  # workers import this file
    main()
