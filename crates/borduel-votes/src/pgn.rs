//! Games of chess in portable game notation: the tags of each game are a row, and the moves are passed over.

use crate::encoding::NOT_UTF8;
use crate::error::{Error, Result, RowError};
use crate::limit::read_line;
use crate::source::Source;
use crate::table::{Table, check_header, trim};
use std::collections::VecDeque;
use std::io::BufRead;

/// How many games are looked at for the names of the tags.
const FIRST_GAMES: usize = 100;
/// What every game has; other tags are columns where one of the first games has them.
const ALWAYS: [&str; 3] = ["White", "Black", "Result"];

/// The tags of one game, and the line on which they begin.
#[derive(Default)]
struct Game {
    line: u64,
    tags: Vec<(String, String)>,
}

/// A file of games.
pub(crate) struct Pgn {
    file: String,
    packing: &'static str,
    reader: Box<dyn BufRead>,
    columns: Vec<String>,
    wanted: Vec<usize>,
    /// The line the reader has reached, and its bytes.
    reached: u64,
    bytes: Vec<u8>,
    /// A tag that was read and belongs to the next game.
    begun: Option<(u64, String, String)>,
    /// The first games, to be handed over.
    first: VecDeque<Game>,
    game: Game,
}

/// Whether a file begins with a tag such as `[Event "…"]`, or with comments and then a tag.
pub(crate) fn is_pgn(head: &[u8]) -> bool {
    let comment = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"%") && !line.starts_with(b";");
    let first = head.split(|&byte| byte == b'\n').find(comment).unwrap_or_default();
    std::str::from_utf8(first).is_ok_and(|line| tag(line).is_some())
}

/// The name and the value of a line that is a tag: `[White "Ash, A"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    named.then(|| (name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

impl Pgn {
    /// Reads the first games, for their tags.
    pub(crate) fn open(source: Source) -> Result<Self> {
        let mut table = Self {
            file: source.name,
            packing: source.packing,
            reader: source.reader,
            columns: ALWAYS.map(str::to_owned).to_vec(),
            wanted: Vec::new(),
            reached: 0,
            bytes: Vec::new(),
            begun: None,
            first: VecDeque::new(),
            game: Game::default(),
        };
        while table.first.len() < FIRST_GAMES {
            let Some(game) = table.read_game()? else { break };
            for (name, _) in &game.tags {
                if !table.columns.contains(name) {
                    table.columns.push(name.clone());
                }
            }
            table.first.push_back(game);
        }
        check_header(&table.file, &table.columns)?;
        Ok(table)
    }

    /// The next game; its tags come before its moves, and the next game begins with a tag again.
    fn read_game(&mut self) -> Result<Option<Game>> {
        let mut game = Game::default();
        if let Some((line, name, value)) = self.begun.take() {
            game = Game { line, tags: vec![(name, value)] };
        }
        let mut moves = false;
        loop {
            self.reached += 1;
            if !read_line(&self.file, self.reached, &mut *self.reader, &mut self.bytes)? {
                return Ok(Some(game).filter(|game| !game.tags.is_empty()));
            }
            let line = std::str::from_utf8(&self.bytes).map_err(|error| {
                let byte = self.bytes[error.valid_up_to()];
                let what = format!("the byte 0x{byte:02X} {NOT_UTF8}");
                self.error(self.reached, what)
            })?;
            match tag(line) {
                Some((name, value)) if moves || game.tags.iter().any(|(known, _)| known == name) => {
                    self.begun = Some((self.reached, name.to_owned(), value));
                    return Ok(Some(game));
                }
                Some((name, value)) => {
                    if game.tags.is_empty() {
                        game.line = self.reached;
                    }
                    game.tags.push((name.to_owned(), value));
                }
                None => moves |= !line.trim().is_empty() && !game.tags.is_empty(),
            }
        }
    }

    fn error(&self, line: u64, what: String) -> Error {
        Error::Row(Box::new(RowError { file: self.file.clone(), line, column: None, value: None, what }))
    }
}

impl Table for Pgn {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn kind(&self) -> String {
        format!("{}games in PGN", self.packing)
    }

    fn numbered(&self) -> bool {
        false
    }

    fn select(&mut self, wanted: &[usize]) {
        self.wanted = wanted.to_vec();
    }

    fn next(&mut self, fields: &mut [String]) -> Result<bool> {
        let Some(game) = self.first.pop_front().map_or_else(|| self.read_game(), |game| Ok(Some(game)))? else {
            return Ok(false);
        };
        self.game = game;
        for (field, &column) in fields.iter_mut().zip(&self.wanted) {
            field.clear();
            let value = self.game.tags.iter().find(|(name, _)| *name == self.columns[column]);
            field.push_str(value.map_or("", |(_, value)| trim(value)));
        }
        Ok(true)
    }

    fn line(&self) -> u64 {
        self.game.line
    }

    fn raw(&self) -> String {
        self.game.tags.iter().map(|(name, value)| format!("[{name} \"{value}\"]")).collect::<Vec<_>>().join(" ")
    }
}
