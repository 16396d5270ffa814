//! Malicious benchmarks and projects: Evoscope reads no file outside of them, does not hang, and escapes their control
//! characters in all printed text.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use evoscope::environment::{ProjectFiles, find_requirements};
use evoscope::error::Cancel;
use evoscope::files::is_folder_beneath;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::{Value, json};

const MODULE: &str = "def size(bag):\n    return len(bag.items)\n";
/// A text in files outside of the benchmark. No command may print it.
const SECRET: &str = "value_of_a_file_outside";

/// A checkout in DevEval's layout with one task. Files with the secret are outside of the checkout.
struct Checkout {
    home: tempfile::TempDir,
}

impl Checkout {
    fn new() -> Self {
        let made = Self {
            home: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(made.project("demo")).unwrap();
        fs::write(made.target(), MODULE).unwrap();
        fs::write(made.project("test_bag.py"), "def test_it(): pass\n").unwrap();
        made.record(|_| {});
        let completions = made.root("Experiments/model_completion/local_infilling/m");
        fs::create_dir_all(&completions).unwrap();
        fs::write(
            completions.join("completion.jsonl"),
            "{\"namespace\":\"demo.bag.size\",\"completion\":\"    return 0\\n\"}\n",
        )
        .unwrap();
        let outside = made.outside("Text/demo/demo");
        fs::create_dir_all(&outside).unwrap();
        let text = format!("def size(bag):\n    return '{SECRET}'\n");
        fs::write(outside.join("bag.py"), &text).unwrap();
        fs::write(made.outside("bag.py"), &text).unwrap();
        made
    }

    fn root(&self, path: &str) -> PathBuf {
        self.home.path().join("checkout").join(path)
    }

    fn project(&self, path: &str) -> PathBuf {
        self.root("Source_Code/Text/demo").join(path)
    }

    fn target(&self) -> PathBuf {
        self.project("demo/bag.py")
    }

    fn outside(&self, path: &str) -> PathBuf {
        self.home.path().join("outside").join(path)
    }

    /// Writes the task with the modifications of `change`.
    fn record(&self, change: impl Fn(&mut Value)) {
        let mut task = json!({
            "namespace": "demo.bag.size", "type": "function", "project_path": "Text/demo",
            "completion_path": "Text/demo/demo/bag.py", "signature_position": [1, 1], "body_position": [2, 2],
            "dependency": {"intra_class": [], "intra_file": [], "cross_file": []},
            "requirement": {"Functionality": "Do it.", "Arguments": ":param bag: Bag."},
            "tests": ["test_bag.py::test_it"], "indent": 4,
        });
        change(&mut task);
        fs::write(self.root("data.jsonl"), format!("{task}\n")).unwrap();
    }

    fn runs(&self) -> Vec<Output> {
        let run = |arguments: &[&str]| {
            Command::new(env!("CARGO_BIN_EXE_evoscope"))
                .args(arguments)
                .env("EVOSCOPE_HOME", self.home.path().join("home"))
                .output()
                .unwrap()
        };
        let path = self.root("");
        let path = path.to_str().unwrap();
        let task = ["--task", "demo.bag.size"];
        vec![
            run(&["tasks", path]),
            run(&["tasks", path, "--json"]),
            run(&["show", path, task[0], task[1]]),
            run(&["deps", path, "--json"]),
            run(&[
                "context",
                path,
                task[0],
                task[1],
                "--setting",
                "similar_files",
            ]),
        ]
    }

    /// The content of all project files that a sandbox receives. Empty if the project is refused.
    fn staged(&self) -> Vec<u8> {
        let root = self.project("");
        if !is_folder_beneath(&self.root(""), Path::new("Source_Code/Text/demo")) {
            return Vec::new();
        }
        let Ok(files) = ProjectFiles::list("demo", &root, &[], &Cancel::default()) else {
            return Vec::new();
        };
        find_requirements(&root.as_path().into());
        let _ = files.content_hash(&Cancel::default());
        files
            .files
            .iter()
            .flat_map(|file| file.read().unwrap_or_default())
            .collect()
    }
}

/// Replaces a file or folder with a link.
fn link(target: impl AsRef<Path>, at: &Path) {
    // This removes a slash at the end of the path.
    let at: PathBuf = at.components().collect();
    remove(&at);
    symlink(target, at).unwrap();
}

fn pipe(at: &Path) {
    remove(at);
    mkfifo(at, Mode::S_IRWXU).unwrap();
}

fn remove(at: &Path) {
    if at.is_dir() {
        fs::remove_dir_all(at).unwrap();
    } else if fs::symlink_metadata(at).is_ok() {
        fs::remove_file(at).unwrap();
    }
}

fn sparse(at: &Path) {
    File::create(at).unwrap().set_len(1 << 42).unwrap();
}

/// (name of a case, function that changes a checkout for this case).
type Kind = (&'static str, fn(&Checkout));

const TARGETS: [Kind; 12] = [
    ("a relative link out", |own| {
        link("../../../../../outside/bag.py", &own.target());
    }),
    ("an absolute link out", |own| {
        link(own.outside("bag.py"), &own.target());
    }),
    ("a link through /proc", |own| {
        link("/proc/self/root/etc/passwd", &own.target());
    }),
    ("a dangling link", |own| {
        link("missing.py", &own.target());
    }),
    ("a link to itself", |own| {
        link("bag.py", &own.target());
    }),
    ("two links to each other", |own| {
        link("other.py", &own.target());
        link("bag.py", &own.project("demo/other.py"));
    }),
    ("a pipe", |own| {
        pipe(&own.target());
    }),
    ("an endless device", |own| {
        link("/dev/zero", &own.target());
    }),
    ("a socket", |own| {
        remove(&own.target());
        drop(UnixListener::bind(own.target()).unwrap());
    }),
    ("a folder", |own| {
        remove(&own.target());
        fs::create_dir(own.target()).unwrap();
    }),
    ("a sparse file of 4 TB", |own| {
        sparse(&own.target());
    }),
    ("a line of 8 MB", |own| {
        fs::write(
            own.target(),
            format!("{MODULE}X = '{}'\n", "x".repeat(8 << 20)),
        )
        .unwrap();
    }),
];

const FOLDERS: [Kind; 9] = [
    ("the target's folder leads out", |own| {
        link(own.outside("Text/demo/demo"), &own.project("demo"));
    }),
    ("the project leads out", |own| {
        link(own.outside("Text/demo"), &own.project(""));
    }),
    ("the topic leads out", |own| {
        link(own.outside("Text"), &own.root("Source_Code/Text"));
    }),
    ("the sources lead out", |own| {
        link(own.outside(""), &own.root("Source_Code"));
    }),
    ("a folder that leads to itself", |own| {
        link(".", &own.project("demo/again"));
    }),
    ("a folder that leads above", |own| {
        link("../../../../outside", &own.project("demo/above"));
        own.record(|task| task["completion_path"] = json!("Text/demo/demo/above/bag.py"));
    }),
    ("1,000 folders in each other", |own| {
        fs::create_dir_all(own.project(&"d/".repeat(1000))).unwrap();
    }),
    ("100,000 files in a folder", |own| {
        let folder = own.project("many");
        fs::create_dir(&folder).unwrap();
        for number in 0..100_000 {
            File::create(folder.join(number.to_string())).unwrap();
        }
    }),
    ("the project's .git file leads out", |own| {
        fs::write(own.project(".git"), "gitdir: ../../../../outside\n").unwrap();
    }),
];

const RECORDS: [Kind; 6] = [
    ("project_path leads out", |own| {
        own.record(|task| {
            task["project_path"] = json!("../../outside/Text/demo");
            task["completion_path"] = json!("../../outside/Text/demo/demo/bag.py");
        });
    }),
    ("project_path leads out and back", |own| {
        own.record(|task| {
            task["project_path"] = json!("Text/../../../outside/Text/demo");
            task["completion_path"] = json!("Text/../../../outside/Text/demo/demo/bag.py");
        });
    }),
    ("project_path is absolute", |own| {
        let outside = own.outside("Text/demo");
        own.record(|task| {
            task["project_path"] = json!(outside);
            task["completion_path"] = json!(outside.join("demo/bag.py"));
        });
    }),
    ("completion_path leads out", |own| {
        own.record(|task| task["completion_path"] = json!("Text/demo/../../../../outside/bag.py"));
    }),
    ("controls in every text", |own| {
        own.record(|task| {
            let text = "\u{1b}]0;title\u{7}\u{9b}2J\u{202e}x\u{200b}\u{2028}";
            task["completion_path"] = json!(format!("Text/demo/{text}.py"));
            task["requirement"] = json!({"Functionality": text, "Arguments": text});
            task["tests"] = json!([text]);
            task["type"] = json!(text);
        });
    }),
    ("controls in a name", |own| {
        own.record(|task| task["namespace"] = json!("demo.bag.\u{1b}[31m\u{202e}size"));
    }),
];

const NEIGHBOURS: [Kind; 13] = [
    ("a neighbour leads to itself", |own| {
        link("near.py", &own.project("demo/near.py"));
    }),
    ("neighbours lead to each other", |own| {
        link("other", &own.project("demo/near"));
        link("near", &own.project("demo/other"));
    }),
    ("a neighbour is a dangling link", |own| {
        link("missing.py", &own.project("demo/near.py"));
    }),
    ("a neighbour leads out", |own| {
        link(own.outside("bag.py"), &own.project("demo/near.py"));
    }),
    ("a neighbour is a pipe", |own| {
        pipe(&own.project("demo/conftest.py"));
    }),
    ("a neighbour is endless", |own| {
        link("/dev/zero", &own.project("demo/near.py"));
    }),
    ("a neighbour is sparse", |own| {
        sparse(&own.project("demo/near.py"));
    }),
    ("requirements are pipes", |own| {
        for name in [
            "requirements.txt",
            "setup.py",
            "pyproject.toml",
            "Makefile",
            "tox.ini",
        ] {
            pipe(&own.project(name));
        }
    }),
    ("a name with controls", |own| {
        let name = "a\nb\u{1b}[2Jc\u{202e}d\u{9b}.py";
        fs::write(own.project("demo").join(name), MODULE).unwrap();
    }),
    ("a name that is not UTF-8", |own| {
        let name = OsStr::from_bytes(b"\xff\xfe.py");
        fs::write(own.project("demo").join(name), MODULE).unwrap();
    }),
    ("more records in a pipe", |own| {
        pipe(&own.root("more.jsonl"));
    }),
    ("more records without end", |own| {
        link("/dev/zero", &own.root("more.jsonl"));
    }),
    ("completions in a pipe", |own| {
        pipe(&own.root("Experiments/model_completion/local_infilling/m/completion.jsonl"));
        pipe(&own.root("evoscope.toml"));
    }),
];

fn check(name: &str, make: fn(&Checkout)) {
    let own = Checkout::new();
    make(&own);
    for run in own.runs() {
        let all = [&run.stdout[..], &run.stderr[..]].concat();
        let all = String::from_utf8_lossy(&all);
        assert!(
            !all.contains(SECRET) && !all.contains("root:x:"),
            "{name}: {all}"
        );
        assert!(
            run.status.code().is_some_and(|code| code < 70),
            "{name}: {all}"
        );
        let raw = |c: &char| {
            c.is_control() && *c != '\n' && *c != '\t'
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert_eq!(all.chars().find(raw), None, "{name}: {all:?}");
    }
    let staged = String::from_utf8_lossy(&own.staged()).into_owned();
    assert!(
        !staged.contains(SECRET) && !staged.contains("root:x:"),
        "{name}"
    );
}

#[test]
fn hostile_target_files_show_nothing_from_outside_and_do_not_block() {
    for (name, make) in TARGETS {
        check(name, make);
    }
}

#[test]
fn hostile_folders_lead_to_no_file_outside() {
    for (name, make) in FOLDERS {
        check(name, make);
    }
}

#[test]
fn hostile_records_lead_to_no_file_outside() {
    for (name, make) in RECORDS {
        check(name, make);
    }
}

#[test]
fn completions_in_a_pipe_or_a_device_are_refused() {
    let own = Checkout::new();
    let [fifo, endless] = ["pipe.jsonl", "endless.jsonl"].map(|name| own.outside(name));
    pipe(&fifo);
    link("/dev/zero", &endless);
    for (path, word) in [(fifo, "pipe"), (endless, "device")] {
        let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
            .args(["evaluate", "--sandbox", "local", "--completions"])
            .arg(path)
            .env("EVOSCOPE_HOME", own.outside("home"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(3), "{said}");
        assert!(
            said.contains(&format!("is a {word}, not a regular file")),
            "{said}"
        );
    }
}

#[test]
fn hostile_neighbour_files_do_not_affect_the_target() {
    for (name, make) in NEIGHBOURS {
        check(name, make);
        let own = Checkout::new();
        make(&own);
        let shown = &own.runs()[2];
        let shown = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.contains("len(bag.items)"), "{name}: {shown}");
    }
}
