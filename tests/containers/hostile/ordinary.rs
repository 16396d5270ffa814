//! Right, wrong and broken completions.

use evoscope::benchmark::Verdict::{Fail, OutOfMemory, Pass, Syntax};

use super::{Kind, RIGHT};

pub const KINDS: &[Kind] = &[
    // It is right.
    Kind("right", RIGHT, &[Pass]),
    // It is right; printing is allowed.
    Kind(
        "right_and_prints_200_kb",
        "print('x' * 200_000)\nreturn [v * factor for v in values]\n",
        &[Pass],
    ),
    // It is right; output beyond the limit is dropped.
    Kind(
        "right_and_prints_100_mb",
        "import sys\nif len(values) == 3:\n    for _ in range(100):\n        sys.stdout.write('x' * (1 << 20))\nreturn [v * factor for v in values]\n",
        &[Pass],
    ),
    // It is right; child processes are allowed.
    Kind(
        "right_in_a_child_process",
        "import os\nread, write = os.pipe()\nif os.fork() == 0:\n    os.write(write, b'done')\n    os._exit(0)\nos.wait()\nassert os.read(read, 4) == b'done'\nreturn [v * factor for v in values]\n",
        &[Pass],
    ),
    // It is wrong.
    Kind("wrong", "return values\n", &[Fail]),
    // The syntax is checked before anything runs.
    Kind(
        "does_not_parse",
        "return [value * factor for value in\n",
        &[Syntax],
    ),
    // The syntax is checked before anything runs.
    Kind(
        "over_indented",
        "        total = []\n    return [v * factor for v in values]\n",
        &[Syntax],
    ),
    // The syntax is checked before anything runs.
    Kind("nul_in_the_source", "return '\0'\n", &[Syntax]),
    // Released completions have this text if the model's answer has no code.
    Kind("no_code_found", "    pass\n", &[Fail]),
    // It is wrong; Evoscope does not interpret its output.
    Kind(
        "terminal_escapes",
        "print('\\x1b]0;owned\\x07\\x1b[2J\\x1b]52;c;aGk=\\x07\\u202e')\nreturn None\n",
        &[Fail],
    ),
    // It raises, although the text of the exception cannot be computed.
    Kind(
        "hostile_exception",
        "class Nasty(Exception):\n    def __str__(self): raise SystemExit(0)\n    __repr__ = __str__\nraise Nasty\n",
        &[Fail],
    ),
    // The endless recursion crashes the process, uses up the memory or raises.
    Kind(
        "stack_overflow",
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef deeper():\n    return deeper()\nreturn deeper()\n",
        &[Fail, OutOfMemory],
    ),
    // It is right; child processes may print.
    Kind(
        "child_that_prints_on",
        "import os\nif len(values) == 3 and os.fork() == 0:\n    for _ in range(64):\n        os.write(1, b'x' * (1 << 20))\n    os._exit(0)\nreturn [v * factor for v in values]\n",
        &[Pass],
    ),
    // It raises; Evoscope shortens the message.
    Kind(
        "message_of_2_mb",
        "raise ValueError('x' * (2 << 20))\n",
        &[Fail],
    ),
    // It raises; the message is hostile text.
    Kind(
        "message_with_escapes",
        "raise AssertionError('\\x00\\x1b[2J\\u202e\\x9b31m')\n",
        &[Fail],
    ),
    // It raises; the message is not valid Unicode.
    Kind(
        "message_with_half_a_character",
        "raise AssertionError('\\ud800')\n",
        &[Fail],
    ),
];
