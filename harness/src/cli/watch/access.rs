//! Access to the pages: from this machine only, or with the token.

use std::net::{IpAddr, SocketAddr};

use tiny_http::{Header, Request};

use crate::base::system::host;

/// Start of the name of the cookie that keeps the token, so that the links of a page need none. The port
/// follows: browsers send the cookies of a host to all its ports, where other watchers may listen.
const COOKIE: &str = "harness_token_";

/// The port that a `Host` header leaves out.
const DEFAULT_PORT: u16 = 80;

/// The rule for every request.
#[derive(Clone, Debug)]
pub(super) struct Access {
    token: Option<String>,
}

/// The decision on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The request has no valid token, or is for another host.
    Deny,
    /// The request has the token, or none is needed.
    Allow,
    /// Allowed by the token in the address, which a cookie keeps.
    AllowAndKeep,
}

/// Parses a token of the command line.
pub(super) fn token(text: &str) -> Result<String, String> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if text.len() < 8 || !is_plain {
        return Err("expected at least 8 letters, digits, `-` or `_`".to_owned());
    }
    Ok(text.to_owned())
}

impl Access {
    /// Returns the rule for an address. A token is generated if others can reach the address and
    /// none is given.
    pub(super) fn new(listen: IpAddr, token: Option<String>) -> Result<Self, getrandom::Error> {
        let token = match token {
            None if !listen.is_loopback() => Some(generated()?),
            token => token,
        };
        Ok(Self { token })
    }

    /// Returns the address to open in a browser. Where the server listens on every address, that is
    /// the name of the machine.
    pub(super) fn url(&self, address: SocketAddr) -> String {
        let query = self.token.as_ref().map(|token| format!("?token={token}")).unwrap_or_default();
        if address.ip().is_unspecified() {
            return format!("http://{}:{}/{query}", host::name(), address.port());
        }
        format!("http://{address}/{query}")
    }

    /// Returns the header that keeps the token in the browser of a request.
    pub(super) fn cookie(&self, request: &Request) -> String {
        self.cookie_for(header(request.headers(), "Host").as_deref())
    }

    fn cookie_for(&self, host: Option<&str>) -> String {
        let (name, token) = (cookie_name(host), self.token.as_deref().unwrap_or_default());
        format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict")
    }

    /// Decides on a request.
    pub(super) fn decide(&self, request: &Request) -> Decision {
        let header = |name: &'static str| header(request.headers(), name);
        self.decide_on(request.url(), header("Cookie").as_deref(), header("Host").as_deref())
    }

    fn decide_on(&self, url: &str, cookie: Option<&str>, host: Option<&str>) -> Decision {
        let Some(token) = &self.token else {
            // A page of another site cannot read this one under a name of its own.
            return if host.is_none_or(is_local) { Decision::Allow } else { Decision::Deny };
        };
        let is_right = |given: &str| blake3::hash(given.as_bytes()) == blake3::hash(token.as_bytes());
        let query = url.split_once('?').map_or("", |(_, query)| query);
        if query.split('&').filter_map(|part| part.strip_prefix("token=")).any(is_right) {
            return Decision::AllowAndKeep;
        }
        let own = cookie_name(host);
        let mut cookies =
            cookie.unwrap_or_default().split(';').filter_map(|part| part.trim().split_once('='));
        if cookies.any(|(name, value)| name == own && is_right(value)) {
            return Decision::Allow;
        }
        Decision::Deny
    }
}

fn header(headers: &[Header], name: &'static str) -> Option<String> {
    headers.iter().find(|header| header.field.equiv(name)).map(|header| header.value.to_string())
}

/// Returns the name of the cookie for the port in a `Host` header. That is the port that the browser
/// knows; behind a tunnel the server listens on another one.
fn cookie_name(host: Option<&str>) -> String {
    let port = host.and_then(|host| host.rsplit_once(':')).and_then(|(_, port)| port.parse().ok());
    format!("{COOKIE}{}", port.unwrap_or(DEFAULT_PORT))
}

/// Whether a `Host` header names this machine.
fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Returns 128 random bits in hexadecimal.
fn generated() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANYWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);
    const LOCAL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn other_addresses_need_the_token() {
        let access = Access::new(ANYWHERE, Some("secret-token".to_owned())).unwrap();
        let decide = |url: &str, cookie: Option<&str>| access.decide_on(url, cookie, Some("box:8641"));
        assert_eq!(decide("/", None), Decision::Deny);
        assert_eq!(decide("/?token=secret", None), Decision::Deny);
        assert_eq!(decide("/?token=", Some("harness_token_8641=")), Decision::Deny);
        assert_eq!(decide("/run/a/events?x=1&token=secret-token", None), Decision::AllowAndKeep);
        assert_eq!(decide("/", Some("other=1; harness_token_8641=secret-token")), Decision::Allow);
        assert_eq!(decide("/", Some("xharness_token_8641=secret-token")), Decision::Deny);
    }

    #[test]
    fn cookies_of_two_ports_differ() {
        let access = |token: &str| Access::new(ANYWHERE, Some(token.to_owned())).unwrap();
        let watchers = [("box:8641", access("first-token")), ("box:8642", access("second-token"))];
        let kept = watchers.each_ref().map(|(host, access)| {
            let cookie = access.cookie_for(Some(host));
            cookie.split_once(';').unwrap().0.to_owned()
        });
        assert_eq!(kept, ["harness_token_8641=first-token", "harness_token_8642=second-token"]);
        let cookies = kept.join("; ");
        for (host, access) in &watchers {
            assert_eq!(access.decide_on("/", Some(&cookies), Some(host)), Decision::Allow, "{host}");
        }
    }

    #[test]
    fn name_of_the_cookie_has_the_port_of_the_browser() {
        for (host, expected) in [
            (Some("localhost:9000"), "harness_token_9000"),
            (Some("[::1]:8641"), "harness_token_8641"),
            (Some("[::1]"), "harness_token_80"),
            (Some("box"), "harness_token_80"),
            (None, "harness_token_80"),
        ] {
            assert_eq!(cookie_name(host), expected, "{host:?}");
        }
    }

    #[test]
    fn token_is_generated_where_others_can_connect() {
        let [one, other] = [(); 2].map(|()| Access::new(ANYWHERE, None).unwrap().token.unwrap());
        assert!(one.len() == 32 && one != other, "{one} {other}");
        assert_eq!(Access::new(LOCAL, None).unwrap().token, None);
        assert!(Access::new(LOCAL, Some("12345678".to_owned())).unwrap().token.is_some());
        assert!(token("short").is_err() && token("with a blank").is_err() && token("a-b_c-D9").is_ok());
    }

    #[test]
    fn without_token_only_names_of_this_machine_are_served() {
        let access = Access::new(LOCAL, None).unwrap();
        for (host, expected) in [
            (Some("localhost:8641"), Decision::Allow),
            (Some("127.0.0.1"), Decision::Allow),
            (Some("[::1]:8641"), Decision::Allow),
            (None, Decision::Allow),
            (Some("evil.example:8641"), Decision::Deny),
            (Some("127.0.0.1.evil.example"), Decision::Deny),
        ] {
            assert_eq!(access.decide_on("/", None, host), expected, "{host:?}");
        }
    }
}
