#!/usr/bin/env python3
"""Compares training by two processes with one thread each to one process with two threads: hexapla over MPI and
PyTorch's DistributedDataParallel over gloo, alternating.

    bench/processes_vs_ddp.py SOURCE TARGET [--preset tiny] [--updates 60] [--rounds 5] [--precision f32] [--no-peer]

An update has two batches: one per process, or both in the single process. Prints target tokens per second without
padding (for hexapla also with one shard), and median ratios over the rounds: two processes to one, and hexapla to
PyTorch with one process of one or two threads and with two processes. hexapla trains on the text; its rates come from
the log, excluding the first reports. PyTorch gets the model and batches of train_vs_pytorch.py. Needs mpirun, torch
unless --no-peer, and a hexapla built with MPI.
"""
import argparse, json, os, statistics, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import train_vs_pytorch as alone

PROCESSES = 2
SPLITS = [(1, 1), (1, 2), (2, 1)]  # processes, threads per process


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("source")
    p.add_argument("target")
    p.add_argument("--hexapla", default=os.path.join(alone.ROOT, "build/release/hexapla"))
    p.add_argument("--preset", default="tiny", choices=alone.PRESETS)
    p.add_argument("--vocab-size", type=int, default=10000)
    p.add_argument("--batch-tokens", type=int, default=2048)
    p.add_argument("--precision", default="f32", choices=["f32", "bf16"], help="of both")
    p.add_argument("--updates", type=int, default=60, help="5 or more; the first fifth does not count")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--no-peer", action="store_true")
    p.add_argument("--rank", type=int, help=argparse.SUPPRESS)  # set for worker processes
    p.add_argument("--batches", help=argparse.SUPPRESS)
    p.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    return p.parse_args()


def hexapla(o, folder, name, processes, threads, shards):
    vocabulary = os.path.join(folder, "first", "vocab.target.spm")
    run = os.path.join(folder, name)
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "core", "-n", str(processes)]
    updates = 5 if name == "first" else o.updates  # the first run trains the vocabulary
    # The first report covers a fifth of the updates and is ignored.
    command = (launcher if processes > 1 else []) + [
        o.hexapla, "train", "--train-sets", o.source, o.target, "--model", run, "--preset", o.preset, "--batch-tokens",
        str(o.batch_tokens), "--accumulate", str(PROCESSES), "--shards", str(shards), "--threads", str(threads),
        "--precision", o.precision, "--max-updates", str(updates), "--report-every", str(updates // 5), "--average-last",
        "0", "--quiet"]
    command += ["--vocab", vocabulary] if os.path.exists(vocabulary) else ["--vocab-size", str(o.vocab_size)]
    subprocess.run(command, check=True, env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    with open(os.path.join(run, "train.jsonl")) as log:
        rates = [json.loads(line)["tokens_per_second"] for line in log][1:]
    if name != "first":
        subprocess.run(["rm", "-r", run], check=True)
    return statistics.harmonic_mean(rates)


def worker(o):
    """Runs one step per update with two batches or, given a rank, with one of them and gradients over gloo."""
    import torch
    import torch.distributed as dist
    torch.manual_seed(1)
    processes = 1 if o.rank < 0 else PROCESSES
    torch.set_num_threads(o.threads)
    model = alone.model_of(o)
    step_of = model
    if processes > 1:
        dist.init_process_group("gloo", rank=o.rank, world_size=processes)
        step_of = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), 1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)
    with open(o.batches) as f:
        batches = alone.padded(json.load(f))
    at, tokens, start = 0, 0, 0
    for step in range(o.updates):
        if step == o.updates // 5:
            if processes > 1:
                dist.barrier()
            start = time.perf_counter()
        both = [batches[(at + i) % len(batches)] for i in range(PROCESSES)]
        at += PROCESSES
        total = sum(b[3] for b in both)
        for source, target, labels, _ in (both if processes == 1 else [both[o.rank]]):
            with torch.autocast("cpu", torch.bfloat16, enabled=o.precision == "bf16"):
                loss = step_of(source, target, labels, True)
            (loss * processes / total).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        tokens += total if start else 0
    if processes > 1:
        dist.barrier()
    if o.rank <= 0:
        print(tokens / (time.perf_counter() - start))


def peer(o, batches, processes, threads):
    command = [sys.executable, os.path.abspath(__file__), o.source, o.target, "--preset", o.preset, "--vocab-size",
               str(o.vocab_size), "--precision", o.precision, "--updates", str(o.updates), "--batches", batches, "--threads",
               str(threads)]
    env = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29511"}
    ranks = [-1] if processes == 1 else range(processes)
    cores = sorted(os.sched_getaffinity(0))
    started = []
    for rank in ranks:
        bound = [] if processes == 1 else ["taskset", "-c", str(cores[rank % len(cores)])]
        started.append(subprocess.Popen([*bound, *command, "--rank", str(rank)], env=env, stdout=subprocess.PIPE, text=True))
    return float([p.communicate()[0] for p in started][0])


def main():
    o = options()
    o.dropout = 0.1
    if o.rank is not None:
        return worker(o)
    rates, rounds = {}, []
    with tempfile.TemporaryDirectory() as folder:
        batches = os.path.join(folder, "batches.json")
        subprocess.run([o.hexapla, "bench", "train", "--json", "--preset", o.preset, "--lengths", "multi30k", "--vocab-size",
                        str(o.vocab_size), "--batch-tokens", str(o.batch_tokens), "--seconds", "0", "--write-batches",
                        batches], check=True, capture_output=True)
        hexapla(o, folder, "first", 1, 1, 1)
        for _ in range(o.rounds):
            now = {"hexapla 1 x 2, 1 shard": hexapla(o, folder, "run", 1, 2, 1)}
            for processes, threads in SPLITS:
                now[f"hexapla {processes} x {threads}"] = hexapla(o, folder, "run", processes, threads, PROCESSES)
                if not o.no_peer:
                    now[f"PyTorch {processes} x {threads}"] = peer(o, batches, processes, threads)
            rounds.append(now)
            for name, rate in now.items():
                rates.setdefault(name, []).append(rate)
    print(f"{o.preset}, vocabulary {o.vocab_size}, 2 batches of {o.batch_tokens} tokens per update, {o.precision}; processes x "
          f"threads")
    for name, seen in rates.items():
        print(f"  {name:28} {statistics.median(seen):8.0f} target tokens/s   ({min(seen):.0f} to {max(seen):.0f})")
    for first, second in ([(f"{name} 2 x 1", f"{name} 1 x 2") for name in ("hexapla", "PyTorch")] +
                          [(f"hexapla {p} x {t}", f"PyTorch {p} x {t}") for p, t in SPLITS]):
        seen = [now[first] / now[second] for now in rounds if first in now and second in now]
        if seen:
            print(f"  {first + ' / ' + second:28} {statistics.median(seen):8.3f}   ({min(seen):.3f} to {max(seen):.3f})")


if __name__ == "__main__":
    main()
