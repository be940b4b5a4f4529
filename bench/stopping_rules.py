#!/usr/bin/env python3
"""Simulates trainings whose validations are noisy, and compares rules for patience and for the best model.

bench/stopping_rules.py: prints, for each trend, the true quality of the model that is kept and the validations made, for
- every: a validation counts unless its score is the highest so far
- noise: as every, but not if it is behind the highest by less than a standard error (hexapla)
- gain N: it counts unless it is ahead of the last gain by N standard errors
- latest: stops as noise; keeps the latest model that is behind the highest by less than a standard error
- replace: stops as noise; a model replaces the kept one if it is ahead by a standard error
"""
import math
import random

ERROR = 0.4  # of the difference of two scores
MODEL = 0.4  # deviation of models around their trend
PATIENCE, MOST, RUNS = 15, 400, 300

def run(slope, rule, errors, r):
    trend = [30 - 20 * math.exp(-t / 4) + (slope * t if slope > 0 else slope * max(0, t - 15)) for t in range(MOST)]
    quality = [q + r.gauss(0, MODEL) for q in trend]
    score = [q + r.gauss(0, ERROR / math.sqrt(2)) for q in quality]
    highest = gained = kept = stalled = 0
    for t in range(1, MOST):
        ahead = lambda of: (score[t] - score[of]) / ERROR
        new = score[t] > score[highest]
        if rule == "gain":
            new, gained = (True, t) if ahead(gained) > errors else (False, gained)
        stalled = 0 if new else stalled if rule not in ("every", "gain") and ahead(highest) > -1 else stalled + 1
        highest = t if score[t] > score[highest] else highest
        if rule == "latest":
            kept = t if ahead(highest) > -1 else kept if score[kept] > score[highest] - ERROR else highest
        elif rule == "replace":
            kept = t if ahead(kept) > 1 else kept
        else:
            kept = highest
        if stalled == PATIENCE:
            break
    return quality[kept], t

def main():
    rules = [("every", 0), ("noise", 0), ("gain", 1), ("gain", 1.96), ("latest", 0), ("replace", 0)]
    print("trend    " + "".join(f"{name} {errors or '':<11}" for name, errors in rules))
    for slope in (0, 0.1, 0.05, 0.02, -0.02, -0.05, -0.2):
        line = f"{slope:+.2f} "
        for rule, errors in rules:
            r = random.Random(7)
            found = [run(slope, rule, errors, r) for _ in range(RUNS)]
            line += f"  {sum(q for q, _ in found) / RUNS:6.2f} after {sum(t for _, t in found) / RUNS:3.0f}"
        print(line)

if __name__ == "__main__":
    main()
