//! A real `borduel serve`, on a port of its own, gone with its value.
#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

use super::http::Client;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

/// The admin token of all tests' servers.
pub const ADMIN: &str = "bd_srv_only_for_tests_0123456789abcdef";

pub struct Server {
    pub address: SocketAddr,
    pub said: String,
    child: Child,
}

impl Server {
    /// Starts a server on this database and port (0: any).
    pub fn start(database: &str, port: u16, more: &[&str]) -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_borduel")), database, port, more)
    }

    /// The same by another command, to which the arguments are added.
    pub fn start_by(mut command: Command, database: &str, port: u16, more: &[&str]) -> Self {
        command.args(["serve", "--database", database, "--listen", &format!("127.0.0.1:{port}")]).args(more);
        let child = command.env("BORDUEL_ADMIN_TOKEN", ADMIN).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        Self::wait(child.unwrap())
    }

    /// Waits until a server that was started says where it listens.
    pub fn wait(mut child: Child) -> Self {
        let mut said = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut said).unwrap();
        let address = said.trim().rsplit("http://").next().unwrap().parse();
        Self { address: address.unwrap_or_else(|_| panic!("the server said {said:?}")), said, child }
    }

    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&mut self, signal: &str) {
        let done = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(done.success());
    }

    /// kill -9.
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
