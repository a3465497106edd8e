//! How facts are written since format 2: those two of which every vote has one by position, all others by name, so that
//! a log is a third smaller than in format 1, which had names everywhere.
//!
//! Both are read alike: serde takes the parts of a fact by name from an object, and in their order from a list.

use super::Event;
use serde::{Serialize, Serializer};

/// Events as they are written.
pub(super) struct Written<'a>(pub(super) &'a [Event]);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(One))
    }
}

struct One<'a>(&'a Event);

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Event::Asked { q, voter, first, second, p, plan, source, context } => {
                let (name, parts) = ("asked", (q, voter, first, second, p, plan, source));
                match context {
                    None => serializer.serialize_newtype_variant("Event", 0, name, &parts),
                    Some(context) => {
                        let parts = (q, voter, first, second, p, plan, source, context);
                        serializer.serialize_newtype_variant("Event", 0, name, &parts)
                    }
                }
            }
            Event::Answered { q, answer, ms, stacked, grade, other_criteria } => {
                let name = "answered";
                // What is left out at the end is what it is by default.
                match (ms, stacked, grade) {
                    _ if !other_criteria.is_empty() => {
                        let parts = (q, answer, ms, stacked, grade, other_criteria);
                        serializer.serialize_newtype_variant("Event", 0, name, &parts)
                    }
                    (None, false, None) => serializer.serialize_newtype_variant("Event", 0, name, &(q, answer)),
                    (ms, false, None) => serializer.serialize_newtype_variant("Event", 0, name, &(q, answer, ms)),
                    (ms, true, None) => serializer.serialize_newtype_variant("Event", 0, name, &(q, answer, ms, true)),
                    (ms, stacked, Some(grade)) => {
                        let parts = (q, answer, ms, stacked, grade);
                        serializer.serialize_newtype_variant("Event", 0, name, &parts)
                    }
                }
            }
            other => other.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Entry, Grade, GradedAnswer, Source};
    use super::*;

    #[test]
    fn what_every_vote_has_is_short_and_read_like_format_one() {
        let mut events = vec![Event::Lapsed { q: 7 }];
        let (q, voter, first, second, p, plan) = (1_000_000, 33_333, 12, 34, 0.1 + 0.2, 9);
        let sources = [Source::Plan, Source::Audit, Source::Again, Source::Recheck, Source::Import];
        for source in sources {
            for context in [None, Some(0), Some(u16::MAX - 1)] {
                events.push(Event::Asked { q, voter, first, second, p, plan, source, context });
            }
        }
        for (ms, stacked) in [(None, false), (Some(900), false), (None, true), (Some(0), true)] {
            for answer in [Answer::First, Answer::BothBad, Answer::Soft(0.25)] {
                events.push(Event::Answered { q, answer, ms, stacked, grade: None, other_criteria: Vec::new() });
            }
        }
        for (stacked, grade) in [(false, Grade::Slight), (true, Grade::Much)] {
            let other_criteria = Vec::new();
            events.push(Event::Answered {
                q,
                answer: Answer::First,
                ms: None,
                stacked,
                grade: Some(grade),
                other_criteria,
            });
        }
        let said = GradedAnswer { answer: Answer::Second, grade: Some(Grade::Much) };
        let (answer, other_criteria) = (Answer::Tie, vec![GradedAnswer::SKIP, said]);
        events.push(Event::Answered { q, answer, ms: None, stacked: false, grade: None, other_criteria });
        let entry = Entry::new(1, 5, &events).unwrap();
        assert_eq!(entry.events().unwrap(), events);
        let named = Entry { format: 1, body: serde_json::to_string(&events).unwrap(), ..entry.clone() };
        assert_eq!(named.events().unwrap(), events);
        // Whoever knows no contexts reads what has none.
        assert_eq!([1, 2].map(|at| Entry::new(1, 5, &events[at..=at]).unwrap().format), [3, 4]);
        let gold = Event::Asked { q, voter, first, second, p, plan, source: Source::Gold, context: None };
        assert_eq!(Entry::new(1, 5, &[gold]).unwrap().format, 5);
        let body = |event: &Event| Entry::new(1, 5, std::slice::from_ref(event)).unwrap().body;
        assert_eq!(body(&events[0]), r#"[{"lapsed":{"q":7}}]"#);
        assert_eq!(body(&events[1]), r#"[{"asked":[1000000,33333,12,34,0.30000000000000004,9,"plan"]}]"#);
        assert_eq!(body(&events[2]), r#"[{"asked":[1000000,33333,12,34,0.30000000000000004,9,"plan",0]}]"#);
        assert_eq!(body(&events[16]), r#"[{"answered":[1000000,"first"]}]"#);
        assert_eq!(body(&events[19]), r#"[{"answered":[1000000,"first",900]}]"#);
        assert_eq!(body(&events[24]), r#"[{"answered":[1000000,{"soft":0.25},null,true]}]"#);
        assert_eq!(body(&events[events.len() - 2]), r#"[{"answered":[1000000,"first",null,true,"much"]}]"#);
        let several = events.last().unwrap();
        assert_eq!(Entry::new(1, 5, std::slice::from_ref(several)).unwrap().format, 7);
        let others = r#"[{"answer":"skip"},{"answer":"second","grade":"much"}]"#;
        assert_eq!(body(several), format!(r#"[{{"answered":[1000000,"tie",null,false,null,{others}]}}]"#));
    }
}
