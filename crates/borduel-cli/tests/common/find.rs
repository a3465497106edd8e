//! A home with items and a judge for `borduel find`.

use super::{Answer, User, answer};
use std::process::Command;
use std::time::{Duration, Instant};

/// Items 0 to 4, of which smaller ones are better.
pub fn items() -> String {
    (0..5).fold("id,name\n".to_owned(), |text, i| text + &format!("{i},Item {i}\n"))
}

/// A judge in plain shell, with random numbers of its own: it answers `batch` questions at a time, the last one first.
pub fn judge(batch: usize) -> String {
    let mut script = "s=12345\nwhile read -r first; do\nlines=$first\n".to_owned();
    for _ in 1..batch {
        script += "read -r more && lines=\"$more\n$lines\"\n";
    }
    script
        + r#"printf '%s\n' "$lines" | { while read -r line; do
q=${line#*\"q\":}; q=${q%%,*}
l=${line#*\"left\":\"}; l=${l%%\"*}
r=${line#*\"right\":\"}; r=${r%%\"*}
s=$(( (s * 1103515245 + 12345 + q) % 2147483648 )); u=$(( s / 65536 % 100 ))
if [ "$u" -lt $(( 50 + 12 * (r - l) )) ]; then a=left; else a=right; fi
printf '{"q": %s, "answer": "%s"}\n' "$q" "$a"
done; }
done
"#
}

/// A user who has both.
pub fn home(batch: usize) -> User {
    let user = User::new();
    user.write("items.csv", &items());
    user.write("judge.sh", &judge(batch));
    user
}

/// The command with that judge.
pub const LINE: [&str; 7] = ["find", "--items", "items.csv", "--votes", "log.csv", "--judge", "sh judge.sh"];

/// Runs `find` with that judge and more arguments.
pub fn run(user: &User, more: &[&str]) -> Answer {
    answer(&user.command("").args(LINE).args(more).output().unwrap())
}

/// The rows of its log.
pub fn rows(user: &User) -> Vec<String> {
    let text = std::fs::read_to_string(user.path("log.csv")).unwrap_or_default();
    text.lines().skip(1).map(str::to_owned).collect()
}

/// Waits until something holds, for as long as the slowest machine may take.
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a process a signal, such as `-TERM`.
#[cfg(unix)]
pub fn signal(process: u32, name: &str) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}
