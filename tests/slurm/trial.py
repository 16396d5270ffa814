#!/usr/bin/env python3
"""Evaluates completions on the cluster that tests/slurm/cluster started, and meanwhile kills parts of the cluster.

Compares the verdicts with the verdicts of one machine. Reports which verdicts were lost, contradicted or repeated, and
what is left on the nodes.

usage: trial.py NAME SHARED BENCHMARK [OPTIONS]

NAME is the name of the cluster. SHARED is the folder that its nodes share. SHARED must contain the program as
`bin/evoscope`. If the nodes have no network, it must also contain the packages of the tests as wheels in `wheels`.
BENCHMARK is a folder in SHARED with the released layout of DevEval.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import random
import re
import subprocess
import threading
import time

NODES = [f"node{number}" for number in range(1, 5)]


@dataclasses.dataclass
class Cluster:
    """The containers of a cluster, and the folder that they share."""

    name: str
    shared: pathlib.Path
    environment: list[str]

    def command(self, host: str, *words: str, user: str = "researcher") -> list[str]:
        """The command line that runs `words` on a host."""
        home = "/root" if user == "root" else "/home/researcher"
        options = ["--user", user, "--workdir", "/shared", "--env", f"HOME={home}"]
        for variable in self.environment:
            options += ["--env", variable]
        return ["docker", "exec", *options, f"{self.name}-{host}", *words]

    def run(self, host: str, *words: str, user: str = "researcher") -> str:
        """Runs `words` on a host. Returns the standard output, also if the command fails."""
        done = subprocess.run(self.command(host, *words, user=user), capture_output=True, text=True)
        return done.stdout


class Killer(threading.Thread):
    """Kills or disturbs parts of the cluster until the run has ended or `kills` faults were tried."""

    def __init__(self, cluster: Cluster, kills: int, seconds: float, chance: random.Random) -> None:
        super().__init__(daemon=True)
        self.cluster, self.kills, self.seconds, self.chance = cluster, kills, seconds, chance
        self.done = threading.Event()
        self.counts: collections.Counter[str] = collections.Counter()

    def run(self) -> None:
        """Causes one fault after another, in random order and at random times."""
        faults = [
            self.controller,
            self.node_daemon,
            self.worker,
            self.command,
            self.node,
            self.requeue,
            self.cancel,
            self.second_submission,
        ]
        for number in range(self.kills):
            if self.done.wait(self.chance.uniform(0.3, 1.7) * self.seconds):
                return
            # Each fault is tried equally often.
            fault = faults[number % len(faults)]
            if number % len(faults) == len(faults) - 1:
                self.chance.shuffle(faults)
            if fault():
                self.counts[fault.__name__] += 1

    def controller(self) -> bool:
        """Kills the controller's daemon, which starts again."""
        self.cluster.run("controller", "pkill", "-9", "-x", "slurmctld", user="root")
        return True

    def node_daemon(self) -> bool:
        """Kills a node's daemon, which starts again. The node's jobs continue."""
        self.cluster.run(self.chance.choice(NODES), "pkill", "-9", "-x", "slurmd", user="root")
        return True

    def worker(self) -> bool:
        """Kills the workers of a node. Returns whether there were any."""
        node = self.chance.choice(NODES)
        return bool(self.cluster.run(node, "pkill", "-9", "-e", "-f", "evoscope worker"))

    def command(self) -> bool:
        """Kills the command that waits for the run. `follow` then repeats it. Returns whether the command ran."""
        return bool(self.cluster.run("controller", "pkill", "-9", "-e", "-f", "evoscope evaluate"))

    def node(self) -> bool:
        """Kills a whole node, which starts again."""
        container = f"{self.cluster.name}-{self.chance.choice(NODES)}"
        subprocess.run(["docker", "kill", container], capture_output=True)
        subprocess.run(["docker", "start", container], capture_output=True)
        return True

    def requeue(self) -> bool:
        """Requeues a running job. Returns whether there was one."""
        return self.on_a_job("scontrol", "requeue")

    def cancel(self) -> bool:
        """Cancels a running job. Returns whether there was one."""
        return self.on_a_job("scancel")

    def on_a_job(self, *words: str) -> bool:
        """Runs `words` with the id of a running job. Returns whether there was one."""
        jobs = self.cluster.run("controller", "squeue", "--me", "-h", "-t", "R", "-o", "%A").split()
        if jobs:
            self.cluster.run("controller", *words, self.chance.choice(jobs))
        return bool(jobs)

    def second_submission(self) -> bool:
        """Submits the script of the run again, like a second command that does not see the jobs of the first."""
        script = "/shared/trial/script"
        submitted = self.cluster.run("controller", "sbatch", "--parsable", script)
        return bool(submitted)


def completions(benchmark: pathlib.Path, count: int) -> list[dict[str, str]]:
    """`count` different completions. Their tasks belong to projects with sources in the benchmark's folder. If the
    files have fewer completions, adds copies with a comment at the end."""
    tasks = [json.loads(line) for line in (benchmark / "data.jsonl").read_text().splitlines()]
    here = {task["namespace"] for task in tasks if (benchmark / "Source_Code" / task["project_path"]).is_dir()}
    files = sorted(benchmark.glob("Experiments/model_prediction/*/*/completion.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    rows = [row for row in rows if row["namespace"] in here]
    found: dict[tuple[str, str], dict[str, str]] = {}
    variant = 0
    while len(found) < count:
        for row in rows:
            text = row["completion"].rstrip("\n") + ("\n" if not variant else f"\n    # {variant}\n")
            own = {"namespace": row["namespace"], "completion": text}
            found.setdefault((own["namespace"], text), own)
        variant += 1
    return list(found.values())[:count]


def verdicts(results: pathlib.Path) -> dict[tuple[str, str], str]:
    """Key: (task, completion). Value: verdict. Fails if a completion has two verdicts."""
    found: dict[tuple[str, str], str] = {}
    for line in results.read_text().splitlines():
        row = json.loads(line)
        key = (row["namespace"], row["completion"])
        assert key not in found, f"two rows for {key}"
        found[key] = row["verdict"]
    return found


def cpu_seconds(cluster: Cluster) -> float:
    """The CPU time of all containers so far, in seconds, from the engine's control groups."""
    total = 0.0
    for host in [*NODES, "controller"]:
        inspect = ["docker", "inspect", "--format", "{{.Id}}", f"{cluster.name}-{host}"]
        number = subprocess.run(inspect, capture_output=True, text=True).stdout.strip()
        for path in (
            f"/sys/fs/cgroup/cpuacct/docker/{number}/cpuacct.usage",
            f"/sys/fs/cgroup/system.slice/docker-{number}.scope/cpu.stat",
            f"/sys/fs/cgroup/docker/{number}/cpu.stat",
        ):
            if os.path.exists(path):
                numbers = re.findall(r"\d+", pathlib.Path(path).read_text())
                total += int(numbers[0]) / (1e9 if path.endswith("usage") else 1e6)
                break
    return total


def left_on(cluster: Cluster) -> dict[str, str]:
    """Key: node. Value: the user's processes and files on the node. Nodes without any are left out."""
    found = {}
    for node in NODES:
        processes = cluster.run(node, "ps", "-u", "researcher", "-o", "args", "--no-headers")
        mine = [line for line in processes.splitlines() if not line.startswith("ps ")]
        files = cluster.run(node, "find", "/tmp", "/dev/shm", "-mindepth", "1", "-maxdepth", "1", "-user", "researcher")
        if mine or files.strip():
            found[node] = f"{mine} {files.split()}"
    return found


def follow(cluster: Cluster, evaluate: list[str], killer: Killer | None) -> list[str]:
    """Repeats the command until it ends without being killed. Returns what each run of the command printed."""
    printed = []
    if killer:
        killer.start()
    while True:
        done = subprocess.run(cluster.command("controller", *evaluate), capture_output=True, text=True)
        printed.append(f"exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr}")
        if done.returncode != 137:
            break
        # The killed command may not have ended yet, and as long as it runs, a second command is refused.
        time.sleep(0.5)
    if killer:
        killer.done.set()
        killer.join()
    return printed


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("benchmark", type=pathlib.Path)
    parser.add_argument("--completions", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=6, help="mean time between two kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="completions side by side on a node")
    parser.add_argument("--nodes", type=int, default=4, help="more nodes than cores cost more CPU time per completion")
    parser.add_argument("--env", action="append", default=[], help="NAME=VALUE for the commands and the jobs")
    parser.add_argument("--lost-answers", action="store_true", help="refuse locks, and report links as failed")
    parser.add_argument("--reuse-one", action="store_true", help="use one machine's verdicts from an earlier trial")
    return parser.parse_args()


def preload_lost_answers(cluster: Cluster) -> None:
    """Lets the command and the jobs load the library that refuses locks and reports links as failed."""
    source = pathlib.Path(__file__).with_name("lost_answers.c")
    library = cluster.shared / "bin/lost_answers.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    cluster.environment.append("LD_PRELOAD=/shared/bin/lost_answers.so")


def on_one_machine(cluster: Cluster, program: list[str], results: pathlib.Path) -> None:
    """Evaluates the completions on the first node alone."""
    results.unlink(missing_ok=True)
    cluster.run("node1", "rm", "-rf", "/home/researcher/one")
    before, began = cpu_seconds(cluster), time.time()
    local = ["--sandbox", "local", "--jobs", "2", "--results", f"/shared/trial/{results.name}"]
    subprocess.run(
        cluster.command("node1", "env", "EVOSCOPE_HOME=/home/researcher/one", *program, *local),
        capture_output=True,
    )
    print(f"one machine: {time.time() - began:.0f} s, {cpu_seconds(cluster) - before:.1f} s of CPU", flush=True)


def on_the_cluster(cluster: Cluster, program: list[str], results: pathlib.Path, asked: argparse.Namespace) -> None:
    """Evaluates the completions on all nodes with the requested faults. Prints the time and the faults."""
    trial = results.parent
    results.unlink(missing_ok=True)
    cluster.run("controller", "rm", "-rf", "/home/researcher/home", "/shared/trial/runs")
    cluster.run("controller", "mkdir", "/shared/trial/runs")
    on = ["--on", "slurm", "--shared", "/shared/trial/runs", "--nodes", str(asked.nodes), "--jobs", str(asked.jobs)]
    home = ["env", "EVOSCOPE_HOME=/home/researcher/home"]
    evaluate = [*home, *program, *on, "--results", f"/shared/trial/{results.name}"]
    (trial / "script").write_text(cluster.run("controller", *evaluate, "--dry-run"))
    killer = Killer(cluster, asked.kills, asked.seconds, random.Random(asked.seed)) if asked.kills else None
    before, began = cpu_seconds(cluster), time.time()
    printed = follow(cluster, evaluate, killer)
    (trial / "printed").write_text("\n".join(printed))
    # If a node is killed, its counter of CPU time is lost.
    cpu = "" if killer else f", {cpu_seconds(cluster) - before:.1f} s of CPU"
    print(f"cluster: {time.time() - began:.0f} s{cpu}; {len(printed)} commands")
    if killer:
        print(f"{sum(killer.counts.values())} kills: {dict(killer.counts)}")


def report(cluster: Cluster, one: pathlib.Path, results: pathlib.Path) -> None:
    """Waits up to three minutes for the last job. Then prints which verdicts were lost, contradicted or repeated, and
    what is left on the nodes."""
    for _ in range(180):
        if not cluster.run("controller", "squeue", "-h").strip():
            break
        time.sleep(1)
    run = next((results.parent / "runs").iterdir())
    alone, together = verdicts(one), verdicts(results)
    different = [key for key in alone if alone[key] != together.get(key, alone[key])]
    logs = "".join(path.read_text(errors="replace") for path in (run / "logs").iterdir())
    print(f"{len(together)} verdicts, {len(alone.keys() - together.keys())} lost")
    print(f"{len(different)} different: {[(key[0], alone[key], together[key]) for key in different[:5]]}")
    print(f"{len(list((run / 'contradictions').iterdir()))} contradictions")
    print(f"{logs.count('another worker was first')} verdicts found twice")
    begun = re.findall("^running ([0-9a-f]+) of ", logs, re.MULTILINE)
    again = len(begun) - len(set(begun))
    print(f"{len(begun)} completions begun, {again} of them again ({again / len(together):.2%})")
    print(f"{len(list((run / 'workers').iterdir()))} workers; left on the nodes: {left_on(cluster) or 'nothing'}")


def main() -> None:
    """Runs the trial and prints its figures."""
    asked = arguments()
    cluster = Cluster(asked.name, asked.shared, ["PIP_NO_INDEX=1", "PIP_FIND_LINKS=/shared/wheels", *asked.env])
    trial = asked.shared / "trial"
    trial.mkdir(exist_ok=True)
    os.chown(trial, 1500, 1500)
    rows = completions(asked.benchmark, asked.completions)
    (trial / "completions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    benchmark = "/shared/" + str(asked.benchmark.relative_to(asked.shared))
    program = ["/shared/bin/evoscope", "evaluate", benchmark, "--completions", "/shared/trial/completions.jsonl"]
    if not asked.reuse_one:
        on_one_machine(cluster, program, trial / "one.jsonl")
    if asked.lost_answers:
        preload_lost_answers(cluster)
    on_the_cluster(cluster, program, trial / "cluster.jsonl", asked)
    report(cluster, trial / "one.jsonl", trial / "cluster.jsonl")


if __name__ == "__main__":
    main()
