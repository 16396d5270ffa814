"""The program that runs a task's tests inside a sandbox.

There are four kinds of processes. The *supervisor* is the first process. It reads requests, has the project's files in
memory and watches each run. The *compiler* compiles sources to bytecode and never executes the bytecode. *Zygotes* have
imported pytest and the libraries. They only fork, and never read a test file, a target or a completion. A *run* is a
process that a zygote forks for one execution of pytest. A run receives its files after the fork, and ends after the
execution. For Java, the compiler and each run are JVMs, and the zygote does not import pytest."""
