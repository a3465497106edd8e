//! What an organiser decides about a study, with the defaults and bounds of everything.

mod asks;
mod criteria;
mod gold;
mod parameters;
pub(crate) mod text;

pub use asks::{Ask, Choice, is_key};
pub use criteria::Criterion;
pub use gold::{Gold, GoldPair, Then};

use borduel_rank::About;
use borduel_rank::sequential::{self, Trust, Until};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

/// The settings of a study. Every one has a default; unknown names are refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields, rename_all = "snake_case")]
#[expect(clippy::struct_excessive_bools, reason = "each is one answer that is offered or not")]
pub struct Settings {
    /// What voters are asked.
    #[schema(min_length = 1, max_length = 500)]
    pub question: String,
    /// Several questions about each pair, each with scores and a verdict of its own; `question` then stands above
    /// them. None where `question` is the only one. They are set before the first pair is asked about; their words may
    /// change at any time.
    #[schema(max_items = 8)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    /// Whether "equally good" is offered.
    pub tie: bool,
    /// Whether voters say how much better the better one is: much or slightly. For scores and verdicts either is one
    /// vote.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub grades: bool,
    /// Whether voters may suggest items; none is shown before the organiser takes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suggestions: bool,
    /// Whether "both are bad" is offered.
    pub both_bad: bool,
    /// Whether a question may be skipped.
    pub skip: bool,
    /// Whether a comment may be left.
    pub comment: bool,
    /// How many answers are wanted of one person; judges answer as many as there are.
    #[schema(minimum = 1, maximum = 10000)]
    pub questions_per_voter: u32,
    /// How many questions a person may have open at a time.
    #[schema(minimum = 1, maximum = 20)]
    pub ahead: u32,
    /// After how many seconds an open question lapses. Its answer still counts when it comes.
    #[schema(minimum = 10, maximum = 604_800)]
    pub ticket_seconds: u32,
    /// Whether a voter may see a pair again.
    pub repeat: Repeat,
    /// The share of questions that repeat a pair the voter has answered, sides swapped: test–retest, to see how steady
    /// answers are.
    #[schema(minimum = 0.0, maximum = 0.5)]
    pub rechecks: f64,
    /// How pairs are chosen.
    pub planner: Method,
    /// The exploration share: of questions drawn from all pairs alike, so that models can be tested and nobody is
    /// shut out.
    #[schema(minimum = 0.01, maximum = 1.0)]
    pub audits: f64,
    /// What scores come from.
    pub model: Model,
    /// The confidence of verdict and intervals.
    #[schema(minimum = 0.51, maximum = 0.9999)]
    pub level: f64,
    /// Scores closer than this count as equal.
    #[schema(minimum = 0.0001, maximum = 0.5)]
    pub margin: f64,
    /// What is to be found.
    #[serde(skip_serializing_if = "Goal::is_winner")]
    pub goal: Goal,
    /// When the study closes by itself.
    pub stop: Stop,
    /// Who may vote in the study.
    pub voting: Voting,
    /// Who may see the study's results.
    pub results: Results,
    /// What voters must agree to before they start; nothing where it is empty.
    #[schema(max_length = 1000)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub consent: String,
    /// What voters read at the end; a plain thank-you where it is empty.
    #[schema(max_length = 1000)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub thanks: String,
    /// Whether the items' texts are Markdown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub markdown: bool,
    /// Whether other sites may show the voting page in a frame.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub embed: bool,
    /// Who asks, as voters read it; nobody is named where it is empty.
    #[schema(max_length = 200)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub organiser: String,
    /// How voters reach the organiser: an e-mail address or an `https:` link.
    #[schema(max_length = 200)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub contact: String,
    /// What the study is about, in Markdown, on the page before the first pair.
    #[schema(max_length = 5000)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The colour of buttons and links on the voters' pages, as `#rrggbb`; the usual blue where it is empty. It is made
    /// darker or lighter until it can be read.
    #[schema(pattern = "^(#[0-9a-fA-F]{6})?$")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub accent: String,
    /// Whether the pages hide the items' names from voters, where there is something else to see or hear.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hide_names: bool,
    /// The language of the voters' pages.
    #[serde(skip_serializing_if = "Language::is_browser")]
    pub language: Language,
    /// The parameter of the address that says who comes, as crowd platforms add it (`PROLIFIC_PID`, `workerId`): one
    /// voter an id. Nothing where it is empty.
    #[schema(max_length = 64)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id_parameter: String,
    /// Further parameters of the address that are kept with the voter's id (`STUDY_ID`, `SESSION_ID`, `assignmentId`),
    /// for people.csv and links back.
    #[schema(max_items = 10)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep_parameters: Vec<String>,
    /// What voters get who have answered all that is wanted of them: a code to copy, or an `https:` link back to a
    /// crowd platform, in which `{NAME}` is what the address said of a parameter that is kept.
    #[schema(max_length = 500)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub completion: String,
    /// What voters get whom the study sends away before the end: a code to copy, or an `https:` link back.
    #[schema(max_length = 500)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub screened_out: String,
    /// What voters get who come when there are enough like them: a code to copy, or an `https:` link back.
    #[schema(max_length = 500)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub over_quota: String,
    /// How many seconds a person takes for a pair at least: so long the page takes no answer, and a voter's answers
    /// come no faster on average. 0 for any time.
    #[schema(minimum = 0.0, maximum = 60.0)]
    #[serde(skip_serializing_if = "is_nothing")]
    pub least_seconds: f64,
    /// What is asked of voters before the first pair.
    #[schema(max_items = 10)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Ask>,
    /// How many voters one network (/24, or /56 of IPv6) may bring; 0 for any number, which results then watch.
    #[schema(maximum = 1_000_000)]
    #[serde(skip_serializing_if = "is_zero")]
    pub per_network: u32,
    /// How much the browser of whoever joins by the link computes first, in zero bits of a SHA-256: 2^bits trials on
    /// average, which makes it dear to join many times. 18 take a desk computer half a second, a phone longer; 0 for
    /// none.
    #[schema(maximum = 24)]
    #[serde(skip_serializing_if = "is_zero")]
    pub proof_of_work: u32,
    /// Pairs with a known answer, to see who looks.
    #[serde(skip_serializing_if = "Gold::is_default")]
    pub gold: Gold,
    /// An address that is told, by POST with a signature, when a verdict is reached, a quota is full or the study
    /// closes. Nothing where it is empty.
    #[schema(max_length = 500)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub webhook: String,
    /// What the contexts are, in the plural, as results say it: prompts, scenes, queries. Contexts where it is empty.
    #[schema(max_length = 40)]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub contexts_are: String,
    /// Whether a pair is asked in a context only where both items have a content of their own. Otherwise an item that
    /// has none is shown there as it is shown everywhere.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own_contents: bool,
    /// What the verdict is about where items are compared in contexts: `these` contexts, each of which counts alike, or
    /// `such`, of which these are a sample. Unless set, such from 8 contexts on and these below.
    #[schema(value_type = Option<String>, pattern = "^(these|such)$")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// How far features and hints are believed: `checked` as far as votes bear it out item by item, `typical` provided
    /// that they are wrong about no item in particular, `model` altogether.
    #[schema(value_type = String, pattern = "^(checked|typical|model)$")]
    #[serde(skip_serializing_if = "is_checked")]
    pub trust: Trust,
    /// What an answer of a judge costs whose answers are hints, a person's vote being 1. Where it is set, items are
    /// compared in contexts and the verdict is about these, such a judge is asked about whole pairs (a pair in every
    /// context), as long as they cost less than the votes that they save. 0 where it is asked as people are.
    #[schema(minimum = 0.0, maximum = 1000.0)]
    #[serde(skip_serializing_if = "is_nothing")]
    pub judge_price: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            question: "Which one is better?".to_owned(),
            criteria: Vec::new(),
            tie: true,
            both_bad: false,
            skip: true,
            comment: false,
            grades: false,
            suggestions: false,
            questions_per_voter: 20,
            ahead: 3,
            ticket_seconds: 600,
            repeat: Repeat::Never,
            rechecks: 0.0,
            planner: Method::Fewest,
            audits: 0.1,
            model: Model::OneHot,
            level: 0.95,
            margin: 0.02,
            goal: Goal::Winner,
            stop: Stop::Never,
            voting: Voting::Link,
            results: Results::Organiser,
            consent: String::new(),
            thanks: String::new(),
            markdown: false,
            embed: false,
            organiser: String::new(),
            contact: String::new(),
            description: String::new(),
            accent: String::new(),
            hide_names: false,
            language: Language::Browser,
            id_parameter: String::new(),
            keep_parameters: Vec::new(),
            completion: String::new(),
            screened_out: String::new(),
            over_quota: String::new(),
            webhook: String::new(),
            least_seconds: 0.0,
            asks: Vec::new(),
            per_network: 0,
            proof_of_work: 0,
            gold: Gold::default(),
            contexts_are: String::new(),
            own_contents: false,
            about: None,
            trust: Trust::Checked,
            judge_price: 0.0,
        }
    }
}

/// Whether a voter may see a pair again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repeat {
    /// A voter is never asked the same pair again.
    #[default]
    Never,
    /// Once more, with the sides swapped: for judges that favour a side.
    Swapped,
}

/// How pairs are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Those that take the most doubt off the verdict: the fewest votes until one may stop.
    #[default]
    Fewest,
    /// Those that make the scores of the items that may be best most precise; a verdict that holds at any time takes
    /// far longer.
    Design,
    /// Those that tell whether the leader is best for the least regret: voters see mostly good items.
    Adaptive,
    /// Every pair with the same chance.
    Uniform,
}

impl Method {
    /// What it does, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fewest => "pairs that take the most doubt off the verdict",
            Self::Design => "pairs that make the best items' scores most precise",
            Self::Adaptive => "pairs of good items that tell whether the leader is best",
            Self::Uniform => "all pairs alike",
        }
    }
}

/// What scores come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// One parameter per item.
    #[default]
    OneHot,
    /// A logistic model of the items' features.
    Features,
    /// No model: the votes of each pair alone.
    Counts,
}

/// What is to be found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The item with the highest score.
    #[default]
    #[schema(title = "GoalWinner")]
    Winner,
    /// The best so many items, in any order.
    #[schema(title = "GoalTop")]
    Top(u16),
    /// The whole order, up to the margin.
    #[schema(title = "GoalOrder")]
    Order,
}

impl Goal {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
    fn is_winner(&self) -> bool {
        *self == Self::Winner
    }

    /// The same of so many items, as the verdict at any time has it: of all of them, the last one is the one that is
    /// not among the best.
    pub fn of(self, items: usize) -> sequential::Goal {
        match self {
            Self::Winner => sequential::Goal::Winner,
            Self::Top(best) => sequential::Goal::Top(usize::from(best).clamp(1, items.saturating_sub(1).max(1))),
            Self::Order => sequential::Goal::All,
        }
    }
}

/// When a study closes by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The study goes on until somebody closes it.
    #[default]
    #[schema(title = "StopNever")]
    Never,
    /// When nobody is better than the leader by more than the margin (a clear winner and a tie are good enough, too).
    /// This is what `verdict` was in earlier versions.
    #[schema(title = "StopGoodEnough")]
    #[serde(alias = "verdict")]
    GoodEnough,
    /// When the leader is better than every other item, or a tie is shown.
    #[schema(title = "StopClear")]
    Clear,
    /// After so many votes.
    #[schema(title = "StopVotes")]
    Votes(u64),
    /// At this time, in milliseconds since 1970.
    #[schema(title = "StopDate")]
    Date(i64),
}

impl Stop {
    /// The verdict at which the study closes by itself.
    pub fn until(self) -> Option<Until> {
        match self {
            Self::GoodEnough => Some(Until::GoodEnough),
            Self::Clear => Some(Until::Clear),
            Self::Never | Self::Votes(_) | Self::Date(_) => None,
        }
    }
}

/// Who may vote in a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Voting {
    /// Whoever has the link.
    #[default]
    Link,
    /// Whoever has an invitation.
    Invited,
    /// Whoever has the link and gives a name.
    Named,
}

/// The language of the voters' pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// What the browser asks for, or English.
    #[default]
    Browser,
    /// The pages are in English.
    En,
    /// The pages are in German.
    De,
    /// The pages are in Spanish.
    Es,
    /// The pages are in French.
    Fr,
    /// The pages are in Chinese.
    Zh,
    /// The pages are in Arabic.
    Ar,
    /// The pages are in Hebrew.
    He,
}

impl Language {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
    fn is_browser(&self) -> bool {
        *self == Self::Browser
    }
}

/// Who may see a study's results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Results {
    /// The organiser alone sees them.
    #[default]
    Organiser,
    /// Everybody who has the link sees them.
    Public,
}

impl Settings {
    /// These settings with some fields changed.
    ///
    /// # Errors
    /// A sentence that names the field.
    pub fn changed(&self, fields: serde_json::Map<String, serde_json::Value>) -> Result<Self, String> {
        let bad = |error: serde_json::Error| format!("settings: {error}");
        let mut all = serde_json::to_value(self).map_err(bad)?;
        if let serde_json::Value::Object(all) = &mut all {
            all.extend(fields);
        }
        serde_json::from_value(all).map_err(bad)
    }

    /// What the contexts are, in the plural.
    pub fn contexts_are(&self) -> &str {
        if self.contexts_are.is_empty() { "contexts" } else { &self.contexts_are }
    }

    /// Whether something in them sends voters away, or shows who would be: of which logs up to format 4 know nothing.
    pub(crate) fn screens(&self) -> bool {
        let codes = [&self.screened_out, &self.over_quota];
        let said = codes.iter().any(|code| !code.is_empty()) || !self.asks.is_empty();
        said || self.per_network > 0 || !self.gold.is_default()
    }

    /// Whether something in them is such that logs up to format 5 know nothing of it.
    pub(crate) fn is_newer(&self) -> bool {
        self.grades || self.suggestions || !self.webhook.is_empty()
    }

    /// Whether something in them is such that logs up to format 6 know nothing of it.
    pub(crate) fn is_newest(&self) -> bool {
        let said = !self.criteria.is_empty() || !self.keep_parameters.is_empty();
        said || self.least_seconds > 0.0 || self.proof_of_work > 0
    }

    /// Whether judges whose answers are hints are asked about whole pairs, there being so many contexts.
    pub fn asks_whole_pairs(&self, contexts: usize) -> bool {
        let about = self.about.unwrap_or_else(|| About::by_number(contexts));
        self.judge_price > 0.0 && contexts >= 2 && about == About::These
    }

    /// The place of the criterion of this key.
    pub fn criterion(&self, key: &str) -> Option<usize> {
        self.criteria.iter().position(|criterion| criterion.key == key)
    }

    /// What tells these settings from others: two that have the same tag are the same.
    pub fn tag(&self) -> String {
        // Text, numbers and words, which can be written.
        let text = serde_json::to_string(self).unwrap_or_default();
        let digest: crate::hex::Hash = Sha256::digest(text).into();
        crate::hex::text(&digest)[..16].to_owned()
    }

    /// Checks every bound.
    ///
    /// # Errors
    /// A sentence that names the setting, its value and what would be right.
    pub fn check(&self) -> Result<(), String> {
        let within = |name: &str, value: f64, low: f64, high: f64| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(format!("settings.{name} is {value}: it must be a number from {low} to {high}"))
            }
        };
        if self.question.trim().is_empty() || self.question.chars().count() > 500 {
            return Err("settings.question must have 1 to 500 characters".to_owned());
        }
        for (name, text, most) in [
            ("consent", &self.consent, 1000),
            ("thanks", &self.thanks, 1000),
            ("organiser", &self.organiser, 200),
            ("contact", &self.contact, 200),
            ("description", &self.description, 5000),
            ("id_parameter", &self.id_parameter, 64),
            ("completion", &self.completion, 500),
            ("screened_out", &self.screened_out, 500),
            ("over_quota", &self.over_quota, 500),
            ("webhook", &self.webhook, 500),
            ("contexts_are", &self.contexts_are, 40),
        ] {
            if text.chars().count() > most {
                return Err(format!("settings.{name} must have at most {most} characters"));
            }
        }
        let contact = &self.contact;
        let is_mail = |text: &str| text.split_once('@').is_some_and(|(who, at)| !who.is_empty() && !at.is_empty());
        if !contact.is_empty() && (contact.contains(char::is_whitespace) || !is_link(contact) && !is_mail(contact)) {
            return Err(format!("settings.contact is {contact:?}: it must be an e-mail address or an https:// link"));
        }
        parameters::check(&self.id_parameter, &self.keep_parameters)?;
        let hook = &self.webhook;
        let rest = hook.strip_prefix("https://").or_else(|| hook.strip_prefix("http://"));
        let leads = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', ':']));
        let odd = |c: char| !c.is_ascii_graphic() || "@#\\".contains(c);
        if !hook.is_empty() && (!leads || hook.contains(odd)) {
            return Err(format!(
                "settings.webhook is {hook:?}: write an https:// address without a name, a password or a #"
            ));
        }
        let digits = |colour: &str| colour.len() == 6 && colour.bytes().all(|digit| digit.is_ascii_hexdigit());
        if !self.accent.is_empty() && !self.accent.strip_prefix('#').is_some_and(digits) {
            return Err(format!("settings.accent is {:?}: write a colour as #rrggbb, such as #0f7268", self.accent));
        }
        within("questions_per_voter", f64::from(self.questions_per_voter), 1.0, 10_000.0)?;
        within("ahead", f64::from(self.ahead), 1.0, 20.0)?;
        within("ticket_seconds", f64::from(self.ticket_seconds), 10.0, 604_800.0)?;
        within("rechecks", self.rechecks, 0.0, 0.5)?;
        within("least_seconds", self.least_seconds, 0.0, 60.0)?;
        within("judge_price", self.judge_price, 0.0, 1_000.0)?;
        within("per_network", f64::from(self.per_network), 0.0, 1e6)?;
        within("proof_of_work", f64::from(self.proof_of_work), 0.0, 24.0)?;
        self.gold.check()?;
        criteria::check(&self.criteria)?;
        asks::check(&self.asks)?;
        within("audits", self.audits, 0.01, 1.0)?;
        within("level", self.level, 0.51, 0.9999)?;
        within("margin", self.margin, 0.0001, 0.5)?;
        match self.goal {
            Goal::Top(0) => return Err("settings.goal of the best 0: it must be at least 1".to_owned()),
            Goal::Top(_) | Goal::Order if self.model == Model::Counts => {
                return Err("settings.goal: with the model \"counts\" only the winner is found".to_owned());
            }
            _ => {}
        }
        if self.trust == Trust::Nothing {
            let remedy = "in a study voters answer several pairs each, whose answers have something in common: take \
                          checked";
            return Err(format!("settings.trust nothing is for `find` and `rank --sequential`; {remedy}"));
        }
        if self.about == Some(About::Such) && self.model == Model::Counts {
            return Err("settings.about such: with the model \"counts\" it can be about these only".to_owned());
        }
        match self.stop {
            Stop::Votes(0) => Err("settings.stop after 0 votes: it must be at least 1".to_owned()),
            _ => Ok(()),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_nothing(number: &f64) -> bool {
    *number == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_checked(trust: &Trust) -> bool {
    *trust == Trust::Checked
}

/// Whether a text is a link that pages may lead to.
pub fn is_link(text: &str) -> bool {
    text.starts_with("https://") && !text.contains(char::is_whitespace)
}
