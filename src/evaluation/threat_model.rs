//! What the evaluation defends against, how, what it does not defend against, and why. This module has no code.
//!
//! A completion is code that somebody else's model wrote. Most are honest, some are wrong in harmful ways (they loop, fork,
//! delete files), and some may be made to pass without solving the task. The evaluation has to give the right verdict on
//! all of them, and none may harm the machine or another completion's verdict.
//!
//! # What is defended
//!
//! **The machine.** A run has no network, a read-only root without the user's files, a scratch space that is limited and
//! discarded, and limits on time, memory, processes and output. In the local sandbox it is a user of no account without
//! capabilities, and the calls of the kernel's key management are refused. In containers it has no capabilities, and the
//! engine's own filter of system calls applies.
//!
//! **Other completions.** Each run is forked from a process that has imported pytest and libraries and never held a test
//! file, a target or a completion. In the local sandbox it gets PID, IPC and mount namespaces and a tmpfs of its own, so
//! that everything ends with it. In containers every other process is ended and the scratch folders are emptied and
//! written again after it. It inherits the three standard streams and its report channel, and no other descriptor.
//!
//! **The verdict, against code that does not solve the task:**
//!
//! | a completion that | is answered by |
//! | --- | --- |
//! | ends the process with exit code 0, skips or xfails its tests | each expected test must be reported as passed |
//! | gives objects that are equal to everything, patches assertions or reports, reads the expected value from its caller | the changed tests, which it passes too: `tampered` |
//! | writes reports of its own | a token that only the reporter's closure holds; and again the changed tests |
//! | looks for the reference code in files, bytecode or memory | the target's file is replaced before its code runs, all bytecode of it is removed, the lower layer is out of reach, and an environment that holds the reference makes the task unusable |
//! | passes in one run and fails in the other | the subsets are symmetric: knowing which run is first says nothing about which tests are changed |
//! | has perfect memory of earlier runs | each pair draws a new subset; the second run is the complement of the first, so that a guess must be right once for each function: 2^-m for m functions, and 2^-(m·N) with `--rounds N` |
//! | leaves processes, files, memory or keys for the next run | nothing of that outlives a run |
//! | uses up time, memory, disk or processes | `timeout`, `out of memory`, `limit`; never an error of the engine |
//!
//! **In Java** the same holds, and in addition: the compiler never loads what it compiles and runs no annotation processor;
//! libraries and tests come before the project's classes on the class path, and a class that another source declares is an
//! error of the compiler, so that a completion shadows neither; the reference's classes of the target's file are removed from
//! the run's folder before the JVM starts; a library that holds the target's class makes the task unusable. In containers,
//! where runs and the compiler have one user, the JVM's program is not readable, so that the kernel lets no run trace the
//! compiler or open its memory, and nothing can attach to it.
//!
//! # What is not defended
//!
//! - **Guessing.** With one changed function, code that can pass any test passes with probability 1/2. The result says so
//!   (`guess_probability`); `--rounds` lowers it.
//! - **Tests without an expectation that can be changed.** Their passes are marked unconfirmed.
//! - **Code that knows the tests.** A model that has memorised the benchmark's tests can distinguish a changed expectation from the
//!   author's. So can code that reads the test file and has a copy of the original. Both could solve the task honestly with
//!   less effort.
//! - **Code that reads the expected value from a test's id**, where the value is outside of the test function (a
//!   constant of the module, the parameters of a class): a changed form may not change other functions, so the id stays true.
//! - **Code that equals everything**, in a test with a negated assertion as its only possible form, which it fails as right code
//!   does.
//! - **Code that reads the expected value of one assertion from its caller**, where another assertion of the function is the
//!   changed one.
//! - **Code that is right where a change falls, and gives what equals everything elsewhere.** One expectation of each
//!   function is changed, drawn once for a task.
//! - **The kernel and the engine.** A flaw in either, or in the processor, can open a sandbox. What is on the machine
//!   outside is as safe as a container or an unprivileged user namespace makes it.
//! - **Side channels of the machine** (caches, clocks, load, counters of the whole kernel). They can say that other code ran
//!   before. Since the order of the runs is worth nothing, nothing is done to hide it.
//! - **Denial of service by a privileged user**, for example one who ends the engine. That is an infrastructure failure, and
//!   is reported as one.
