//! Enables the loopback device, the only network device of a new network namespace. Tests may use it for connections to
//! their own servers.

use std::os::fd::AsRawFd;

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, sendto, socket,
};

use super::stage::step;
use crate::error::Result;

/// Enables the loopback device: sends `RTM_NEWLINK` for device 1 with `IFF_UP` (rtnetlink(7)).
pub(super) fn raise() -> Result<()> {
    let socket = step(
        "open a netlink socket",
        socket(
            AddressFamily::Netlink,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC,
            SockProtocol::NetlinkRoute,
        ),
    )?;
    step(
        "enable the loopback device",
        sendto(
            socket.as_raw_fd(),
            &request(),
            &NetlinkAddr::new(0, 0),
            MsgFlags::empty(),
        ),
    )?;
    Ok(())
}

/// The bytes of the message: `struct nlmsghdr` and `struct ifinfomsg` in the machine's byte order.
fn request() -> Vec<u8> {
    const RTM_NEWLINK: u16 = 16;
    const NLM_F_REQUEST: u16 = 1;
    const IFF_UP: u32 = 1;
    const LOOPBACK: i32 = 1;
    let mut bytes = Vec::with_capacity(32);
    bytes.extend(32u32.to_ne_bytes());
    bytes.extend(RTM_NEWLINK.to_ne_bytes());
    bytes.extend(NLM_F_REQUEST.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes.extend([0; 4]);
    bytes.extend(LOOPBACK.to_ne_bytes());
    bytes.extend(IFF_UP.to_ne_bytes());
    bytes.extend(IFF_UP.to_ne_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_first_field_of_the_message_is_its_length() {
        let request = super::request();
        assert_eq!(request.len(), 32);
        assert_eq!(request[..4], 32u32.to_ne_bytes());
    }
}
