//! The `evoscope` binary. It passes the arguments to [`evoscope::cli`].

fn main() -> std::process::ExitCode {
    evoscope::cli::run()
}
