//! A real `borduel serve`, on a port of its own, gone with its value.

use crate::http::Client;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

/// The admin token of all tests' servers.
pub const ADMIN: &str = "bd_srv_only_for_tests_0123456789abcdef";

/// A server, with its first words.
pub struct Server {
    /// The address on which the server listens.
    pub address: SocketAddr,
    /// What it printed so far.
    pub printed: String,
    out: BufReader<ChildStdout>,
    child: Child,
}

impl Server {
    /// Starts a server on this database and port (0: any).
    pub fn start(database: &str, port: u16, more: &[&str]) -> Self {
        Self::start_by(Command::new(crate::program()), database, port, more)
    }

    /// The same by another command, to which the arguments are added.
    pub fn start_by(mut command: Command, database: &str, port: u16, more: &[&str]) -> Self {
        command.args(["serve", "--database", database, "--listen", &format!("127.0.0.1:{port}")]).args(more);
        let child = command.env("BORDUEL_ADMIN_TOKEN", ADMIN).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        Self::wait(child.unwrap())
    }

    /// Starts a server on any port whose links begin with something else.
    pub fn start_at(database: &str, more: &[&str]) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let mut command = Command::new(crate::program());
        command.args(["serve", "--database", database, "--listen", &address.to_string()]).args(more);
        let child = command.env("BORDUEL_ADMIN_TOKEN", ADMIN).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        Self::wait_at(child.unwrap(), Some(address))
    }

    /// Waits until a server that was started says where it listens.
    pub fn wait(child: Child) -> Self {
        Self::wait_at(child, None)
    }

    fn wait_at(mut child: Child, known: Option<SocketAddr>) -> Self {
        let mut printed = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut printed).unwrap();
        let told = || printed.trim().rsplit("http://").next()?.parse().ok();
        let address = known.or_else(told);
        Self { address: address.unwrap_or_else(|| panic!("the server said {printed:?}")), printed, out, child }
    }

    /// What a server that was started with `--metrics` has measured.
    pub fn measures(&mut self) -> Client {
        if self.printed.lines().count() < 2 {
            self.out.read_line(&mut self.printed).unwrap();
        }
        let line = self.printed.lines().nth(1).unwrap();
        let address = line.trim_start_matches("measures at http://").trim_end_matches("/metrics");
        Client::new(address.parse().unwrap_or_else(|_| panic!("the server said {line:?}")))
    }

    /// A client of it.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, such as `-TERM`.
    pub fn signal(&mut self, signal: &str) {
        let done = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(done.success());
    }

    /// Ends it as `kill -9` does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Its exit code, if it has ended.
    pub fn ended(&mut self) -> Option<i32> {
        self.child.try_wait().unwrap().map(|status| status.code().unwrap_or(-1))
    }

    /// Asks it to end, and returns its exit code.
    pub fn stop(&mut self) -> Option<i32> {
        self.signal("-TERM");
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already, or ends now.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
