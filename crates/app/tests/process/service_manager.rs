//! Messages to the service manager, such as systemd.

use std::{os::unix::net::UnixDatagram, time::Duration};

use crate::program::{command, folder, serve_with};

const TIMEOUT: Duration = Duration::from_secs(20);
/// Time after which the service manager would take the service for dead, in microseconds.
const WATCHDOG: &str = "300000";

/// Waits for the next message.
fn next(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 256];
    let length = socket.recv(&mut buffer).unwrap();
    String::from_utf8_lossy(&buffer[..length]).trim_end().to_owned()
}

#[test]
fn the_service_manager_learns_that_the_service_is_ready_then_live_then_stopping() {
    let folder = folder();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(TIMEOUT)).unwrap();

    let mut start = command(folder.path());
    start.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", WATCHDOG);
    let mut program = serve_with(&mut start);

    assert_eq!(next(&socket), "READY=1");
    for _ in 0..3 {
        assert_eq!(next(&socket), "WATCHDOG=1");
    }
    program.signal("TERM");
    let stopping = loop {
        match next(&socket).as_str() {
            "WATCHDOG=1" => {}
            other => break other.to_owned(),
        }
    };
    assert_eq!(stopping, "STOPPING=1");
    assert!(program.wait().success());
}
