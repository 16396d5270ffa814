//! The `evoscope` binary: hands the arguments to [`evoscope::cli`].

fn main() -> std::process::ExitCode {
    evoscope::cli::run()
}
