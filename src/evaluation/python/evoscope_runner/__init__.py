"""The program that runs a task's tests inside a sandbox.

There are four kinds of processes. The *supervisor* is the first process. Only it reads requests, holds the project's
files and watches each run. The *compiler* compiles source to bytecode and never executes it. *Zygotes* have imported
pytest and the libraries, and only fork. They never hold a test file, a target or a completion. A *run* is forked from a
zygote for one execution of pytest. It receives its files after the fork, and is discarded at its end.
"""
