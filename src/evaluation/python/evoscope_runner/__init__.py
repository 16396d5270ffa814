"""The program that runs a task's tests inside a sandbox.

Four kinds of process take part. The *supervisor* is the first process: it alone reads requests, holds the project's
files, and watches each run. The *compiler* turns source into bytecode and never executes it. *Zygotes* have imported
pytest and the libraries and do nothing but fork; they never hold a test file, a target or a completion. A *run* is
forked from a zygote for one execution of pytest, receives its files after the fork, and is discarded.
"""
