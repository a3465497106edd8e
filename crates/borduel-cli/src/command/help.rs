//! What `-h` and `--help` show: the flags that people need first, all of them in groups, and examples.
//!
//! Flags are declared where they are used; here, in one place, is how they are shown. A flag that is not named here is
//! in `--help`, among the options.

use clap::Command;

/// How the help of a subcommand is arranged.
struct Shape {
    command: &'static str,
    /// The flags of `-h`; all others are in `--help` only.
    first: &'static [&'static str],
    /// Heads, and the flags below them.
    groups: &'static [(&'static str, &'static [&'static str])],
    examples: &'static [Example],
    /// What stands below the examples.
    more: &'static str,
}

/// A line to copy.
pub(super) struct Example {
    /// What it does.
    pub(super) what: &'static str,
    pub(super) line: &'static str,
    /// Why the tests of the documentation do not run it; empty where they do.
    pub(super) not_run: &'static str,
}

const fn example(what: &'static str, line: &'static str) -> Example {
    Example { what, line, not_run: "" }
}

const fn shown(what: &'static str, line: &'static str, not_run: &'static str) -> Example {
    Example { what, line, not_run }
}

const STATISTICS: &[&str] = &[
    "model",
    "pair-features",
    "level",
    "margin",
    "sequential",
    "bootstrap",
    "seed",
    "least-votes",
    "exclude-item",
    "adjust",
    "cluster",
    "about",
    "took",
    "strength",
    "scale",
    "anchor",
    "trust",
];
const OUTPUT: &[&str] = &["format", "html", "question", "date", "svg", "chances", "require-winner", "jobs", "quiet"];
const PARTS: &[&str] = &["where", "by", "over", "compare"];
/// What votes are worth, as against where they stand in a file.
const WORTH: &[&str] = &["ties", "both-bad", "unranked", "fold-names"];

const SHAPES: &[Shape] = &[
    Shape {
        command: "rank",
        first: &["left", "right", "winner", "voter", "items", "by", "sequential", "margin", "html", "format"],
        groups: &[
            ("Parts of the votes", PARTS),
            ("Statistics", STATISTICS),
            ("What votes are worth", WORTH),
            ("Output", OUTPUT),
        ],
        examples: &[
            example("A table, and a page to send to somebody", "borduel rank votes.csv --html verdict.html"),
            example("Columns that were not found", "borduel rank games.csv --left home --right away --winner who_won"),
        ],
        more: "Your file is not understood? Name its columns, or what a row is: --rows ratings, ranks, ballots …\n\
               `borduel rank --help` has all flags, such as --where, --ties, --level, --compare, --about and --svg.",
    },
    Shape {
        command: "judge",
        first: &["judge-is", "level", "left", "right", "winner", "voter", "html", "svg", "format", "quiet"],
        groups: &[("Statistics", STATISTICS), ("What votes are worth", WORTH), ("Output", OUTPUT)],
        examples: &[
            example("A sentence and a table", "borduel judge people.csv gpt.csv"),
            example("Does it favour itself?", "borduel judge people.csv gpt.csv --judge-is GPT --html judge.html"),
        ],
        more: "",
    },
    Shape {
        command: "check",
        first: &["published", "over", "left", "right", "winner", "voter", "context", "html", "format", "quiet"],
        groups: &[("Statistics", STATISTICS), ("What votes are worth", WORTH), ("Output", OUTPUT)],
        examples: &[
            example("One page about a board", "borduel check votes.csv --html audit.html"),
            example("Does it carry the order that was published?", "borduel check votes.csv --published items.csv"),
        ],
        more: "",
    },
    Shape {
        command: "design",
        first: &[
            "items",
            "votes",
            "contexts",
            "budget",
            "goal",
            "exclude-pair",
            "most-per-pair",
            "costs",
            "format",
            "quiet",
        ],
        groups: &[
            ("Contexts", &["contexts", "contents"]),
            ("Limits", &["exclude-pair", "exclude-pairs", "exclude-item", "most-per-pair", "least-per-item", "costs"]),
            ("Statistics", STATISTICS),
            ("What votes are worth", &["where", "ties", "both-bad", "unranked", "fold-names"]),
            ("Output", OUTPUT),
        ],
        examples: &[
            example(
                "The first 400 questions about new items",
                "borduel design --items items.csv --budget 400 > sheet.csv",
            ),
            example(
                "The next 100, where they help the most",
                "borduel design --votes votes.csv --budget 100 > sheet.csv",
            ),
        ],
        more: "",
    },
    Shape {
        command: "find",
        first: &["items", "votes", "contexts", "judge", "voter", "budget", "margin", "until", "top", "format"],
        groups: &[
            ("Contexts", &["contexts", "contents", "about"]),
            ("Cheap judges", &["hint", "cheap-judge", "prices"]),
            ("Statistics", STATISTICS),
            ("Output", OUTPUT),
        ],
        examples: &[
            shown(
                "Ask yourself, with the arrow keys",
                "borduel find --items items.csv --votes log.csv",
                "needs a terminal",
            ),
            example(
                "Ask a program of yours",
                "borduel find --items items.csv --votes log.csv --judge \"python3 judge.py\" --budget 500",
            ),
        ],
        more: "",
    },
    Shape {
        command: "run",
        first: &["example", "horizon", "runs", "seed", "policies", "set", "jobs", "out", "format", "quiet"],
        groups: &[("Output", &["out", "force", "format", "quiet"])],
        examples: &[
            example("A file to start from", "borduel run --example > mine.toml"),
            example("Play it, in small", "borduel run mine.toml --horizon 2000 --runs 2"),
        ],
        more: "",
    },
    Shape {
        command: "reproduce",
        first: &["horizon", "runs", "seed", "policies", "set", "jobs", "votes", "out", "format", "quiet"],
        groups: &[("Output", &["out", "force", "format", "quiet"])],
        examples: &[
            example("The paper's first figure, in small", "borduel reproduce --horizon 2000 --runs 2"),
            example(
                "A world that changes: the paper's policy for it, and ours",
                "borduel reproduce adversarial --kind switching --horizon 20000 --runs 2 --policies bexp3,ftrl-linear",
            ),
        ],
        more: "",
    },
    Shape {
        command: "serve",
        first: &[
            "database",
            "listen",
            "public-url",
            "trust-proxy",
            "admin-token-file",
            "allow-origin",
            "metrics",
            "log",
        ],
        groups: &[
            ("Where it is reached", &["listen", "public-url", "trust-proxy", "allow-origin", "metrics"]),
            (
                "Who may do what, and how often",
                &["admin-token-file", "voter-rate", "judge-rate", "join-rate", "private-webhooks"],
            ),
            ("Log", &["log", "log-format"]),
        ],
        examples: &[
            shown("On this machine, in borduel.db", "borduel serve", "serves until it is stopped"),
            shown(
                "Behind a proxy",
                "borduel serve --public-url https://votes.example.org --trust-proxy 1 --admin-token-file token",
                "serves until it is stopped",
            ),
        ],
        more: "",
    },
    Shape {
        command: "health",
        first: &["listen"],
        groups: &[],
        examples: &[
            shown("The server of this machine", "borduel health", "needs a server; how-to/deploy.md runs it"),
            shown("In a script", "until borduel health; do sleep 1; done", "needs a server; how-to/deploy.md runs it"),
        ],
        more: "",
    },
    Shape {
        command: "study",
        first: &["database"],
        groups: &[],
        examples: &[
            example("Make a study and open it", "borduel study create tea --items items.csv && borduel study open tea"),
            example(
                "Take votes in, and see how it stands",
                "borduel study import tea votes.csv && borduel study show tea",
            ),
        ],
        more: "",
    },
    Shape {
        command: "completions",
        first: &[],
        groups: &[],
        examples: &[
            example(
                "For bash, from the next login on",
                "borduel completions bash > ~/.local/share/bash-completion/completions/borduel",
            ),
            example("For fish", "borduel completions fish > ~/.config/fish/completions/borduel.fish"),
        ],
        more: "",
    },
    Shape {
        command: "man",
        first: &[],
        groups: &[],
        examples: &[
            shown("Read it", "borduel man | man -l -", "needs man"),
            example("Keep it", "borduel man > borduel.1"),
        ],
        more: "",
    },
];

/// The examples of the subcommands of `study`. Tests run them one after the other, in the order of the subcommands.
const STUDY: &[(&str, &[Example])] = &[
    (
        "create",
        &[
            example("A study about the items of a file", "borduel study create trees --items items.csv"),
            example(
                "Twelve pairs a voter, and only for those who are invited",
                "borduel study create logos --items items.csv --set questions_per_voter=12 --set voting=invited",
            ),
        ],
    ),
    (
        "list",
        &[
            example("Name, when it was made, how much has happened, title", "borduel study list"),
            example("Those of another database", "borduel study list --database sqlite:borduel.db"),
        ],
    ),
    (
        "show",
        &[
            example("As JSON", "borduel study show tea"),
            example("Its settings, to change them", "borduel study show tea | grep -A 40 settings"),
        ],
    ),
    (
        "open",
        &[
            example("From now on people may vote", "borduel study open trees"),
            example("Two of them", "borduel study open logos && borduel study open tea"),
        ],
    ),
    (
        "pause",
        &[
            example("Until it is opened again", "borduel study pause trees"),
            example("For a moment", "borduel study pause logos && borduel study open logos"),
        ],
    ),
    (
        "close",
        &[
            example("Nobody votes any more", "borduel study close trees"),
            example(
                "And keep the votes",
                "borduel study close logos && borduel study export logos votes.csv --out logos.csv",
            ),
        ],
    ),
    (
        "items",
        &[
            example("List them", "borduel study items tea"),
            example("Correct their names, and keep the votes", "borduel study items tea --add items.csv --correction"),
            example("Ask no longer about one", "borduel study items tea --disable yew"),
        ],
    ),
    (
        "invite",
        &[
            example("Three people; each link is /s/tea#token= and a token", "borduel study invite tea --count 3"),
            example(
                "A link for each name in a file",
                "borduel study invite tea --names people.txt --public-url https://votes.example.org",
            ),
            example("A program, for a week", "borduel study invite tea --judge --expires 7"),
        ],
    ),
    (
        "export",
        &[
            example("The votes, as rank reads them", "borduel study export tea votes.csv --out tea-votes.csv"),
            example("All that was decided", "borduel study export tea log.jsonl > tea.jsonl"),
        ],
    ),
    (
        "import",
        &[
            example("Again, which changes nothing", "borduel study import tea votes.csv"),
            example("In any shape that rank reads", "borduel study import tea games.csv"),
        ],
    ),
    (
        "verify",
        &[
            example("Is anything lost or changed?", "borduel study verify tea"),
            example(
                "All studies",
                "for study in $(borduel study list | cut -f 1); do borduel study verify $study; done",
            ),
        ],
    ),
    (
        "erase",
        &[
            example("A voter with all votes", "borduel study erase tea 1"),
            example("The person, but not the votes", "borduel study erase tea 2 --keep-votes"),
        ],
    ),
    (
        "backup",
        &[
            example(
                "While people vote; then check the copy",
                "borduel study backup kept.db && borduel study verify tea --database sqlite:kept.db",
            ),
            example("One a day", "borduel study backup kept-$(date +%F).db"),
        ],
    ),
    (
        "token",
        &[
            example("A second organiser, for a month", "borduel study token tea --label Ann --expires 30"),
            example("Who has one", "borduel study token tea --list"),
        ],
    ),
];

/// The command line with its help arranged.
pub(super) fn arranged(mut command: Command) -> Command {
    for shape in SHAPES {
        if command.find_subcommand(shape.command).is_some() {
            command = command.mut_subcommand(shape.command, |command| arrange(command, shape));
        }
    }
    command
}

fn arrange(command: Command, shape: &Shape) -> Command {
    let group = |long: &str| shape.groups.iter().find(|(_, flags)| flags.contains(&long)).map(|(head, _)| *head);
    let command = command.mut_args(|arg| {
        let Some(long) = arg.get_long().map(str::to_owned) else { return arg };
        let hidden = !shape.first.contains(&long.as_str());
        let arg = arg.hide_short_help(hidden);
        match group(&long) {
            Some(head) => arg.help_heading(head),
            None => arg,
        }
    });
    let more = if shape.more.is_empty() { String::new() } else { format!("\n{}", shape.more) };
    let command = command.after_help(examples_text(shape.examples) + &more);
    command.mut_subcommands(|sub| match examples_of(&format!("{} {}", shape.command, sub.get_name())) {
        [] => sub,
        examples => sub.after_help(examples_text(examples)),
    })
}

fn examples_text(examples: &[Example]) -> String {
    let lines = examples.iter().map(|Example { what, line, .. }| format!("  {what}:\n    {line}\n"));
    format!("Examples:\n{}", lines.collect::<String>())
}

/// The examples of a command, such as `rank`, or of a subcommand, such as `study create`.
pub(super) fn examples_of(command: &str) -> &'static [Example] {
    if let Some(sub) = command.strip_prefix("study ") {
        return STUDY.iter().find(|(name, _)| *name == sub).map_or(&[], |(_, examples)| *examples);
    }
    SHAPES.iter().find(|shape| shape.command == command).map_or(&[], |shape| shape.examples)
}

/// The flags of `-h`, by command: what a test holds against those there are.
#[cfg(test)]
pub(super) fn first_flags() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    SHAPES.iter().map(|shape| (shape.command, shape.first))
}
