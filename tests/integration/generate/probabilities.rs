//! Token probabilities, from the server's answer to the output of `show`.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::server::{Reply, Server};
use super::{Place, TASK, text};

#[test]
fn the_least_likely_tokens_are_shown_with_their_completion() {
    let place = Place::new();
    let server = Server::start(|_| {
        let tokens = [
            ("    return", -0.01),
            (" chr", -4.5),
            ("(65)", -0.7),
            ("</s>", -9.0),
        ];
        let content = tokens.map(|(token, logprob)| json!({"token": token, "logprob": logprob}));
        let body = json!({"choices": [{
            "message": {"content": "    return chr(65)"},
            "logprobs": {"content": content},
        }]});
        Reply::Send(200, "", body.to_string())
    });
    let arguments = ["--setting", "without_context", "--task", TASK, "--logprobs"];
    let run = place.generate(&server.endpoint(), &arguments);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert_eq!(server.seen()[0].body["logprobs"], true);
    let mut benchmark = fs::read_to_string(&place.benchmark).unwrap();
    let out = format!("completions = {:?}\n[project.siskin]", place.out());
    benchmark = benchmark.replacen("[project.siskin]", &out, 1);
    fs::write(&place.benchmark, benchmark).unwrap();
    let show = |arguments: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_evoscope"))
            .args(["show", "--task", TASK])
            .args(arguments)
            .arg(&place.benchmark)
            .env("EVOSCOPE_HOME", place.home.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stdout)
    };
    let shown: Value = serde_json::from_str(&show(&["--json"])).unwrap();
    let tokens = shown["completions"][0]["unlikely_tokens"]
        .as_array()
        .unwrap();
    let words: Vec<_> = tokens
        .iter()
        .map(|own| own["token"].as_str().unwrap())
        .collect();
    assert_eq!(words, [" chr", "(65)", "    return"]);
    assert_eq!(tokens[0]["logprob"], -4.5);
    assert_eq!(
        (&tokens[0]["line"], &tokens[0]["in_completion"]),
        (&1.into(), &true.into())
    );
    let said = show(&[]);
    assert!(said.contains("Least likely tokens"), "{said}");
    assert!(said.contains("1.111 %  line 1"), "{said}");
}
