//! The address of a model server.

use std::fmt;

use reqwest::Url;

use super::request::Interface;
use crate::error::{Error, Result};

/// The address of a model server, without the path of an interface. [`Endpoint::parse`] removes `/completions` or
/// `/chat/completions` from the end of an address, and adds `/v1` to an address without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Url);

impl Endpoint {
    /// Parses an address. Errors when `text` is not an address of HTTP or HTTPS, or contains a user name or a password.
    pub fn parse(text: &str) -> Result<Self> {
        const HINT: &str = "write it as http://127.0.0.1:8080/v1";
        let mut url = Url::parse(text)
            .map_err(|why| Error::user(format!("the endpoint is no address: {why}")).hint(HINT))?;
        if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
            return Err(Error::user("the endpoint is no address of HTTP").hint(HINT));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::user("the endpoint holds a user name or a password")
                .hint("leave it out; give the key in an environment variable"));
        }
        let path = url.path().trim_end_matches('/');
        let ends = ["/chat/completions", "/completions"];
        let path = ends
            .iter()
            .find_map(|end| path.strip_suffix(end))
            .unwrap_or(path);
        let path = if path.is_empty() { "/v1" } else { path }.to_owned();
        url.set_path(&path);
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// The address for requests for completions.
    pub(super) fn completions(&self, interface: Interface) -> Url {
        self.below(match interface {
            Interface::Chat => "/chat/completions",
            Interface::Raw => "/completions",
        })
    }

    /// The address for the list of models.
    pub(super) fn models(&self) -> Url {
        self.below("/models")
    }

    /// Whether the address uses TLS.
    pub(super) fn is_secure(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether the server is on this machine. Requests to such a server use no proxy.
    pub(super) fn is_local(&self) -> bool {
        match self.0.host_str() {
            Some("localhost" | "[::1]") => true,
            Some(host) => host.starts_with("127."),
            None => false,
        }
    }

    /// The address with `end` added to its path.
    fn below(&self, end: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{end}", self.0.path()));
        url
    }
}

impl fmt::Display for Endpoint {
    /// Writes the address without its query, because the query may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut url = self.0.clone();
        url.set_query(None);
        write!(f, "{url}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_accepted_with_and_without_the_path_of_an_interface() {
        for text in [
            "http://a:80",
            "http://a/v1/",
            "http://a/v1/completions",
            "http://a/v1/chat/completions#x",
        ] {
            let endpoint = Endpoint::parse(text).unwrap();
            let url = endpoint.completions(Interface::Chat);
            assert_eq!(url.as_str(), "http://a/v1/chat/completions", "{text}");
        }
        let hosted = Endpoint::parse("https://b/openai?api-version=1").unwrap();
        let url = hosted.completions(Interface::Raw);
        assert_eq!(url.as_str(), "https://b/openai/completions?api-version=1");
        assert_eq!(hosted.to_string(), "https://b/openai");
        for bad in ["a", "ftp://a", "http://me:secret@a/v1", "file:///a"] {
            let why = Endpoint::parse(bad).unwrap_err();
            assert!(why.advice().is_some() && !why.to_string().contains("secret"));
        }
    }

    #[test]
    fn only_this_machine_is_local() {
        let local = |text: &str| Endpoint::parse(text).unwrap().is_local();
        assert!(
            local("http://127.0.0.1:1") && local("http://[::1]:1") && local("http://localhost")
        );
        assert!(!local("http://example.org"));
    }
}
