"""Repeats the retrieval of leakage.rs in plain Python: `leakage.py FOLDER`.

FOLDER has `base/`, `newest/` and `queries.json`.

Prints JSON. `prepare` is the CPU time in seconds to read both trees and cut them into windows. `queries` is the CPU
time of all queries. `found` has the ten best windows for each query and tree: [path, start, end, shared, union,
occurrences]. `shared` is the number of tokens in both the query and the window, `union` in at least one of them."""
import json
import os
import re
import sys
import time
from fractions import Fraction

WORD = re.compile(r"[A-Za-z0-9_]+", re.ASCII)


def windows(root):
    files = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            files.append((os.path.relpath(path, root), path))
    files.sort(key=lambda file: file[0].encode())
    found = {}
    for name, path in files:
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().replace("\r\n", "\n").replace("\r", "\n").split("\n")
        if lines[-1] == "":
            lines.pop()
        for k in range(0, len(lines), 10):
            start, end = max(0, k - 10), min(len(lines), k + 10)
            text = "\n".join(lines[start:end])
            if text in found:
                found[text][4] += 1
            else:
                found[text] = [frozenset(WORD.findall(text)), name, start + 1, end, 1]
    return list(found.values())


def best(candidates, query):
    size = len(query)
    scored = []
    for tokens, path, start, end, count in candidates:
        shared = len(query & tokens)
        union = size + len(tokens) - shared
        scored.append((-(shared / union if union else 0), path, start, end, shared, union, count))
    scored.sort()
    cut = scored[:30]
    cut.sort(key=lambda it: (-Fraction(it[4], max(it[5], 1)), it[1].encode(), it[2], it[3]))
    return [it[1:] for it in cut[:10]]


def main():
    root = sys.argv[1]
    with open(os.path.join(root, "queries.json"), encoding="utf-8") as file:
        queries = json.load(file)
    start = time.process_time()
    trees = [windows(os.path.join(root, side)) for side in ("base", "newest")]
    made = time.process_time()
    found = []
    for query in queries:
        tokens = frozenset(WORD.findall(query))
        found.append([best(tree, tokens) for tree in trees])
    done = time.process_time()
    json.dump({"prepare": made - start, "queries": done - made, "found": found}, sys.stdout)


main()
