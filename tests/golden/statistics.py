"""Makes statistics.json, with the values that the tests of src/metrics expect. They come from SciPy, statsmodels,
krippendorff and scikit-learn.

    python3 -m venv VENV && VENV/bin/pip install scipy statsmodels krippendorff scikit-learn
    VENV/bin/python tests/golden/statistics.py > tests/golden/statistics.json

This script itself draws the samples of the bootstrap. It uses the same ChaCha8 stream as src/metrics: the quarter
rounds of RFC 8439 with the 64-bit counter of the original ChaCha. NumPy computes the percentiles.
"""

import json
import random
import struct
from importlib.metadata import version

import krippendorff
import numpy as np
import scipy
import sklearn
import statsmodels
from scipy.special import comb
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

rng = random.Random(20240607)


def pass_at_k():
    cases = []
    for n, c in [(1, 0), (1, 1), (10, 0), (10, 3), (10, 10), (20, 1), (20, 13), (200, 7), (1000, 600)]:
        for k in [1, 3, 5, 10, 100]:
            if k <= n:
                exact = 1 - comb(n - c, k, exact=True) / comb(n, k, exact=True)
                cases.append({"n": n, "c": c, "k": k, "value": exact})
    return cases


def wilson():
    cases = []
    for passed, total in [(0, 10), (1, 10), (10, 10), (85, 230), (484, 2300), (1, 1825), (912, 1825)]:
        for confidence in [0.9, 0.95, 0.99]:
            low, high = proportion_confint(passed, total, alpha=1 - confidence, method="wilson")
            cases.append({"passed": passed, "total": total, "confidence": confidence, "low": low, "high": high})
    return cases


def mcnemar_exact():
    tables = [(10, 0, 0, 5), (50, 3, 12, 35), (101, 59, 121, 33), (0, 1, 0, 0), (700, 310, 250, 565), (5, 6, 6, 1)]
    return [
        {"both": a, "only_first": b, "only_second": c, "neither": d,
         "p": float(mcnemar([[a, b], [c, d]], exact=True).pvalue)}
        for a, b, c, d in tables
    ]


def holm():
    families = [[0.01], [0.04, 0.01, 0.03, 0.005], [0.5, 0.5, 0.9], [1e-9, 0.049, 0.05, 0.02, 0.2, 0.02]]
    return [{"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()} for p in families]


def kappa():
    cases = []
    for labels, size, agree in [("ab", 40, 0.8), ("abc", 120, 0.6), ("yun", 500, 0.93), ("abcd", 60, 0.3)]:
        first = [rng.choice(labels) for _ in range(size)]
        second = [x if rng.random() < agree else rng.choice(labels) for x in first]
        table = confusion_matrix(first, second, labels=sorted(labels))
        for confidence in [0.9, 0.95]:
            result = cohens_kappa(table)
            z = scipy.stats.norm.ppf((1 + confidence) / 2)
            value = float(cohen_kappa_score(first, second))
            assert abs(value - result.kappa) < 1e-12
            cases.append({"first": "".join(first), "second": "".join(second), "confidence": confidence,
                          "table": table.tolist(), "value": value,
                          "low": float(result.kappa - z * result.std_kappa),
                          "high": float(result.kappa + z * result.std_kappa)})
    return cases


def alpha():
    cases = []
    for labels, raters, items, agree, gaps in [(2, 2, 30, 0.8, 0), (3, 3, 50, 0.7, 0.2), (5, 6, 80, 0.4, 0.5)]:
        truth = [rng.randrange(labels) for _ in range(items)]
        rows = [[None if rng.random() < gaps else t if rng.random() < agree else rng.randrange(labels) for t in truth]
                for _ in range(raters)]
        data = [[np.nan if x is None else x for x in row] for row in rows]
        cases.append({"raters": rows,
                      "value": float(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"))})
    return cases


def chacha8_words(seed):
    """The 64-bit words of the ChaCha8 stream. The key is the seed as 8 little-endian bytes, then zeros."""
    def quarter(s, a, b, c, d):
        for x, y, z, turn in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)]:
            s[x] = (s[x] + s[y]) & 0xFFFFFFFF
            s[z] ^= s[x]
            s[z] = ((s[z] << turn) | (s[z] >> (32 - turn))) & 0xFFFFFFFF

    key = struct.unpack("<8L", seed.to_bytes(8, "little") + bytes(24))
    counter = 0
    while True:
        start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, counter & 0xFFFFFFFF, counter >> 32, 0, 0]
        state = list(start)
        for _ in range(4):
            for a, b, c, d in [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                               (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]:
                quarter(state, a, b, c, d)
        words = [(x + y) & 0xFFFFFFFF for x, y in zip(state, start)]
        yield from (low | high << 32 for low, high in zip(words[::2], words[1::2]))
        counter += 1


def bootstrap():
    cases = []
    for seed, repositories, resamples, confidence in [(0, 12, 500, 0.95), (7, 40, 300, 0.9), (2**40 + 3, 3, 1000, 0.99)]:
        sums, tasks = [], []
        for _ in range(repositories):
            size = rng.randrange(1, 30)
            tasks.append(size)
            sums.append(sum(rng.random() for _ in range(size)))
        words = chacha8_words(seed)
        means = []
        for _ in range(resamples):
            drawn = [next(words) * repositories >> 64 for _ in range(repositories)]
            means.append(sum(sums[i] for i in drawn) / sum(tasks[i] for i in drawn))
        tail = (1 - confidence) / 2
        low, high = np.quantile(means, [tail, 1 - tail])
        cases.append({"seed": seed, "resamples": resamples, "confidence": confidence, "sums": sums, "tasks": tasks,
                      "low": float(low), "high": float(high)})
    return cases


print(json.dumps({
    "made_with": {"scipy": scipy.__version__, "statsmodels": statsmodels.__version__,
                  "scikit-learn": sklearn.__version__, "numpy": np.__version__, "krippendorff": version("krippendorff")},
    "pass_at_k": pass_at_k(), "wilson": wilson(), "mcnemar": mcnemar_exact(), "holm": holm(), "kappa": kappa(),
    "alpha": alpha(), "bootstrap": bootstrap(),
}, indent=1))
