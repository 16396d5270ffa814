//! Images that are made from this machine's own Python.

use std::path::Path;
use std::process::{Command, Output};

use evoscope::environment::{
    BuildContext, ContainerEngine, EngineKind, ImageOrigin, ImageRequest, ReadyImage, image,
};
use evoscope::error::Cancel;
use libtest_mimic::Trial;

pub fn trials(has_engine: bool) -> Vec<Trial> {
    let test = || {
        an_image_of_this_machines_python_works_for_any_user();
        Ok(())
    };
    let name = "docker::an_image_of_this_machines_python_works_for_any_user";
    vec![Trial::test(name, test).with_ignored_flag(!has_engine)]
}

/// Removes the image at the end of the test.
struct Named {
    engine: &'static str,
    name: String,
}

impl Named {
    fn engine(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.engine);
        command.args(arguments).output().unwrap()
    }

    fn python(&self, program: &str) -> String {
        let run = [
            "run",
            "--rm",
            "--user",
            "54321:54321",
            "--network",
            "none",
            "--read-only",
        ];
        let python = [self.name.as_str(), "python3", "-c", program];
        let output = self.engine(&[&run[..], &python].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        self.engine(&["rmi", "--force", &self.name]);
    }
}

fn an_image_of_this_machines_python_works_for_any_user() {
    let engine = ContainerEngine::connect().unwrap();
    let named = Named {
        engine: match engine.kind() {
            EngineKind::Docker => "docker",
            EngineKind::Podman => "podman",
        },
        name: format!("evoscope-test/python:{}", std::process::id()),
    };
    let home = tempfile::tempdir().unwrap();
    let made = |force| make(&engine, &named.name, home.path(), force);
    let first = made(true);
    assert_eq!(first.origin, ImageOrigin::Built);
    let version = first.python().unwrap().to_owned();
    let told =
        named.python("import ssl, sqlite3, sys, zlib; print('%d.%d.%d' % sys.version_info[:3])");
    assert_eq!(told, version);
    let second = made(false);
    assert_eq!(
        (second.origin, second.stored.id),
        (ImageOrigin::Found, first.stored.id)
    );
    let told = named.python("import os; print(os.environ.get('LANG'), os.access('/tmp', os.X_OK))");
    assert_eq!(told, "C.UTF-8 True");
}

fn make(engine: &ContainerEngine, name: &str, cache: &Path, force: bool) -> ReadyImage {
    let asked = Command::new("python3")
        .args(["-c", "import sys; print('%d.%d' % sys.version_info[:2])"])
        .output();
    let version = String::from_utf8(asked.unwrap().stdout).unwrap();
    let request = ImageRequest {
        python: Some(version.trim().to_owned()),
        name: Some(name.to_owned()),
        force,
        ..ImageRequest::default()
    };
    let (mut ignored, cancel) = (|_: &str| {}, Cancel::default());
    let mut context = BuildContext::new(cache, &mut ignored, &cancel);
    image(engine, &request, &mut context).unwrap()
}
