//! The web address of a repository's commits.

/// The address of a commit's page without the commit's id at the end, from the remote `origin` in a git configuration.
/// `None` if there is no remote `origin`, or if this remote is not on a web host.
pub(super) fn commits(config: &str) -> Option<String> {
    let mut in_origin = false;
    let mut url = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_origin = line.replace(' ', "") == "[remote\"origin\"]";
        } else if in_origin && let Some((name, value)) = line.split_once('=') {
            let own = name.trim() == "url";
            url = own.then(|| value.trim().to_owned()).or(url);
        }
    }
    let url = url?;
    let (host, path) = match url.split_once("://") {
        Some(("https" | "http" | "ssh" | "git", rest)) => rest.split_once('/')?,
        Some(_) => return None,
        None => url.split_once(':')?,
    };
    // A link must not contain the user's name or password.
    let host = host.rsplit('@').next()?;
    let host = host.split(':').next()?;
    let path = path.trim_matches('/').trim_end_matches(".git");
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._/~".contains(c);
    let known = host.contains('.') && path.contains('/') && !path.contains("..");
    (known && host.chars().all(plain) && path.chars().all(plain))
        .then(|| format!("https://{host}/{path}/commit/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Option<String> {
        commits(&format!(
            "[core]\n\tbare = true\n[remote \"fork\"]\n\turl = https://a.example/x/y\n[remote \"origin\"]\n\turl = {url}\n"
        ))
    }

    #[test]
    fn a_remote_on_a_web_host_gives_the_page_of_a_commit() {
        let page = Some("https://git.example/o/r/commit/".to_owned());
        for url in [
            "https://git.example/o/r.git",
            "https://user:secret@git.example/o/r",
            "git@git.example:o/r.git",
            "ssh://git@git.example:22/o/r.git/",
        ] {
            assert_eq!(of(url), page, "{url}");
        }
    }

    #[test]
    fn other_remotes_have_no_page() {
        for url in [
            "/srv/git/r.git",
            "file:///srv/git/r.git",
            "../r",
            "https://git.example/o/r\u{1b}]8;;x",
            "https://git.example/../r/x",
            "localhost:o/r",
        ] {
            assert_eq!(of(url), None, "{url}");
        }
        assert_eq!(commits(""), None);
    }
}
