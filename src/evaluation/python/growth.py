# How the trunk grows its branches.

class Growth(object):
    """A branch or a bud, as the trunk sees it."""

    def __init__(self, python, first, ahead=None, beside=None):
        global BACK, SAID
        self.python = python
        self.back, BACK = os.pipe()
        SAID, self.said = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            for growth in (self, beside):
                if growth:
                    growth.close()
            try:
                branch(python, first, ahead)
            except BaseException:
                die()
        os.close(BACK)
        os.close(SAID)

    def close(self):
        os.close(self.back)
        os.close(self.said)

    def asks(self):
        """What the branch hands back; an error when it ends otherwise, and when the ear ends."""
        poll = select.poll()
        for descriptor in (self.back, EAR_LIVES):
            poll.register(descriptor, select.POLLIN)
        if any(descriptor == EAR_LIVES for descriptor, _ in poll.poll()):
            raise EOFError
        return receive(self.back)

    def takes(self, job):
        """Whether this bud can take the job that its branch is to begin with."""
        if self.python != job["python"]:
            return False
        send_signal(self.pid, signal.SIGCONT)
        try:
            send_on(self.said, job)
        except BrokenPipeError:
            return False
        return True

    def wait(self):
        self.close()
        try:
            os.waitpid(self.pid, 0)
        except ChildProcessError:
            pass

    def end(self):
        send_signal(self.pid, signal.SIGKILL)
        self.wait()


def grow_branches(job):
    """The trunk's life: one branch after another, and at times the next one's bud beside it. Where the trunk is the
    sandbox's first process, children that lost their parents come to it, and end as all of its own do, without being
    waited for."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    now, bud = Growth(job["python"], job), None
    while True:
        try:
            job = now.asks()
        except EOFError:
            os._exit(3)
        if job["op"] == "ahead" and job["python"] == now.python:
            if bud:
                bud.end()
            carry(job["carried"])
            bud = Growth(job["next"], None, job, now)
            CARRIED.clear()
            os.write(now.said, struct.pack(">I", bud.pid))
            continue
        now.wait()
        if bud and not bud.takes(job):
            bud.end()
            bud = None
        now, bud = bud or Growth(job["python"], job), None
