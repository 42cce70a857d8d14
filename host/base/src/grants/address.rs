//! Classifies addresses that only this machine or its network can reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// Whether `ip` is anything but an address of the public network.
pub fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_private_v4(ip),
        IpAddr::V6(ip) => is_private_v6(ip),
    }
}

fn is_private_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_documentation()
        // "This network", the unspecified address among it.
        || a == 0
        // Behind a carrier's translation (RFC 6598).
        || (a == 100 && (64..128).contains(&b))
        // Protocol assignments (RFC 6890) and the relays of 6to4.
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        // Benchmarks (RFC 2544).
        || (a == 198 && (b == 18 || b == 19))
        // Reserved, broadcast among it.
        || a >= 240
}

fn is_private_v6(ip: Ipv6Addr) -> bool {
    let parts = ip.segments();
    if let Some(embedded) = embedded_v4(parts) {
        return is_private_v4(embedded);
    }
    // The public network is 2000::/3; whatever is not in it is local in one way or another.
    !(0x2000..0x4000).contains(&parts[0])
        // Protocol assignments, Teredo and ORCHID among them; documentation.
        || (parts[0] == 0x2001 && parts[1] < 0x200)
        || (parts[0] == 0x2001 && parts[1] == 0xdb8)
        || (parts[0] == 0x3fff && parts[1] < 0x1000)
}

/// The IPv4 address that packets to this one end at, where there is one.
fn embedded_v4(parts: [u16; 8]) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        // Mapped: ::ffff:a.b.c.d.
        [0, 0, 0, 0, 0, 0xffff, high, low] => v4(high, low),
        // NAT64: 64:ff9b::a.b.c.d.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        // 6to4: 2002:abcd::.
        [0x2002, high, low, ..] => v4(high, low),
        _ => None,
    }
}

/// The address that `host` is, where it is no name; that of IPv6 in brackets, as in a URL.
pub fn literal(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

/// The address, where `url` names one in place of a host.
pub fn of_url(url: &Url) -> Option<IpAddr> {
    literal(url.host_str()?)
}

/// Whether `host` is this machine.
pub fn is_loopback_host(host: &str) -> bool {
    host == "localhost" || literal(host).is_some_and(|it| it.is_loopback())
}

/// Whether this machine alone is called so.
pub fn is_local(host: &str) -> bool {
    let host = host.to_lowercase();
    is_loopback_host(&host) || host.ends_with(".localhost")
}

/// A host without its port.
pub fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|it| it.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_public_addresses_from_all_others() {
        let public = [
            "1.1.1.1",
            "93.184.216.34",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2002:101:101::1",
        ];
        let private = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::192.168.0.1",
            "64:ff9b:1::1.1.1.1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a00:1::1",
            "3fff::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ];
        for ip in public {
            assert!(!is_private(ip.parse().unwrap()), "{ip} is public");
        }
        for ip in private {
            assert!(is_private(ip.parse().unwrap()), "{ip} is private");
        }
    }
}
