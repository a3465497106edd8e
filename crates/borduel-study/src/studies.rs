//! All studies of a database: names to desks, tokens to voters, and news from other replicas.

use crate::desk::Desk;
use crate::error::{Error, Result};
use crate::event::{Hash, Millis};
use crate::export::{Export, Exports};
use crate::ledger::{Ledger, Study, StudyId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// How often the heads of studies are looked at, for what other replicas have written.
const POLL: Duration = Duration::from_millis(500);
/// For how long a voter's token is remembered.
const REMEMBER: Duration = Duration::from_mins(1);
/// How many tokens are remembered.
const TOKENS: usize = 100_000;

/// All studies of a database. Copies are the same.
#[derive(Clone, Debug)]
pub struct Studies {
    ledger: Ledger,
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    desks: Mutex<HashMap<StudyId, (Desk, JoinHandle<()>)>>,
    known: Mutex<HashMap<String, StudyId>>,
    voters: Mutex<HashMap<(StudyId, Hash), Known>>,
    workers: Arc<Semaphore>,
    exports: Arc<Exports>,
}

/// A voter by its token.
#[derive(Clone, Copy, Debug)]
struct Known {
    voter: u32,
    /// When the token ends; 0 for never.
    expires: Millis,
    since: Instant,
}

/// A lock that outlives a panic: every value behind it is whole at any time.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Studies {
    /// The studies of this database, with news from others twice a second.
    pub fn new(ledger: Ledger) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = Arc::new(Semaphore::new(cores.saturating_sub(1).max(1)));
        let (desks, known, voters) = (Mutex::default(), Mutex::default(), Mutex::default());
        let exports = Arc::new(Exports::new(cores));
        let inner = Arc::new(Inner { desks, known, voters, workers, exports });
        tokio::spawn(follow(ledger.clone(), Arc::downgrade(&inner)));
        Self { ledger, inner }
    }

    /// The database that the studies are kept in.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The file of this name of a study, as it is now; `None` if there is no such file. Where too many are on their
    /// way, it waits for one of them to end. Of several criteria, votes are those by one or by all.
    ///
    /// # Errors
    /// A study that cannot be read.
    pub async fn export(&self, desk: &Desk, name: &str, criterion: Option<usize>) -> Result<Option<Export>> {
        Export::open(self.ledger.clone(), self.inner.exports.clone(), desk, name, criterion).await
    }

    /// The study of this name.
    ///
    /// # Errors
    /// No such study, or what the database says.
    pub async fn find(&self, slug: &str) -> Result<Study> {
        let study = self.ledger.study(slug).await?.ok_or_else(|| Error::NoStudy(slug.to_owned()))?;
        lock(&self.inner.known).insert(slug.to_owned(), study.id);
        Ok(study)
    }

    /// The number of the study of this name, which never changes.
    ///
    /// # Errors
    /// No such study, or what the database says.
    pub async fn id(&self, slug: &str) -> Result<StudyId> {
        let known = lock(&self.inner.known).get(slug).copied();
        match known {
            Some(id) => Ok(id),
            None => self.find(slug).await.map(|study| study.id),
        }
    }

    /// Deletes a study with everything that is kept of it.
    ///
    /// # Errors
    /// No such study, or what the database says; then all of it is still there.
    pub async fn delete(&self, slug: &str) -> Result<()> {
        let study = self.find(slug).await?.id;
        self.ledger.delete(study).await?;
        lock(&self.inner.known).remove(slug);
        lock(&self.inner.desks).remove(&study);
        Ok(())
    }

    /// The desk of a study.
    pub fn desk(&self, study: StudyId) -> Desk {
        let mut desks = lock(&self.inner.desks);
        if let Some((desk, _)) = desks.get(&study).filter(|(desk, _)| !desk.gone()) {
            return desk.clone();
        }
        let (desk, task) = Desk::open(self.ledger.clone(), study, self.inner.workers.clone());
        desks.insert(study, (desk.clone(), task));
        desk
    }

    /// The voter whose token has this hash.
    ///
    /// # Errors
    /// What the database says.
    pub async fn voter(&self, study: StudyId, token: &Hash) -> Result<Option<u32>> {
        let known = lock(&self.inner.voters).get(&(study, *token)).copied();
        let now = crate::desk::now();
        let valid = |known: &Known| known.since.elapsed() < REMEMBER && (known.expires == 0 || now < known.expires);
        if let Some(known) = known.filter(valid) {
            return Ok(Some(known.voter));
        }
        let found = self.ledger.voter(study, token, now).await?;
        if let Some((voter, expires)) = found {
            let mut voters = lock(&self.inner.voters);
            if voters.len() >= TOKENS {
                voters.clear();
            }
            voters.insert((study, *token), Known { voter, expires, since: Instant::now() });
        }
        Ok(found.map(|(voter, _)| voter))
    }

    /// Lets all desks finish what waits, keep their snapshots and go; at most for this long.
    pub async fn close(&self, patience: Duration) {
        let desks: Vec<_> = lock(&self.inner.desks).drain().map(|(_, desk)| desk).collect();
        let tasks: Vec<JoinHandle<()>> = desks.into_iter().map(|(_, task)| task).collect();
        let all = async {
            for task in tasks {
                // A desk that panicked has nothing more to finish.
                let _ = task.await;
            }
        };
        if tokio::time::timeout(patience, all).await.is_err() {
            tracing::warn!(
                "some studies had more to do than there was time for: it is not stored, and nobody was told that it is"
            );
        }
        self.ledger.close().await;
    }
}

/// Tells desks when somebody else has written.
async fn follow(ledger: Ledger, inner: std::sync::Weak<Inner>) {
    loop {
        tokio::time::sleep(POLL).await;
        let Some(inner) = inner.upgrade() else { return };
        let desks: Vec<Desk> = {
            let mut desks = lock(&inner.desks);
            desks.retain(|_, (desk, _)| !desk.gone());
            desks.values().map(|(desk, _)| desk.clone()).collect()
        };
        if desks.is_empty() {
            continue;
        }
        // A database that does not answer is noticed by everybody else.
        let Ok(heads) = ledger.heads().await else { continue };
        let heads: HashMap<StudyId, u64> = heads.into_iter().collect();
        for desk in desks {
            if heads.get(&desk.study()).is_some_and(|&head| head > desk.heads().borrow().head) {
                // Busy is as good: the turn that it is busy with reads the news.
                let _ = desk.send(crate::Command::Tick).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Join;
    use crate::event::Kind;
    use crate::ledger::NewStudy;
    use crate::{Command, Settings};

    #[tokio::test]
    async fn a_voter_is_remembered_for_a_while_and_not_with_all_others() {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("sqlite:{}", folder.path().join("test.db").display());
        let studies = Studies::new(Ledger::open(&address).await.unwrap());
        let (slug, title) = ("tea".to_owned(), "Tea".to_owned());
        let new = NewStudy { slug, title, settings: Settings::default(), ..NewStudy::default() };
        let study = studies.ledger().create(&new, 0).await.unwrap();
        let remember = |token: Hash, since: Instant| {
            lock(&studies.inner.voters).insert((study, token), Known { voter: 7, expires: 0, since });
        };
        // Nobody has this token: only what is remembered knows it, and that is believed for a minute.
        remember([1; 32], Instant::now());
        assert_eq!(studies.voter(study, &[1; 32]).await.unwrap(), Some(7));
        remember([1; 32], Instant::now().checked_sub(REMEMBER).unwrap());
        assert_eq!(studies.voter(study, &[1; 32]).await.unwrap(), None);
        // However many come, only so many are remembered.
        let join = Join::new(Kind::Judge, [2; 32]);
        studies.desk(study).send(Command::Join(join)).await.unwrap();
        for number in 0..TOKENS as u32 {
            let mut token = [3; 32];
            token[..4].copy_from_slice(&number.to_le_bytes());
            remember(token, Instant::now());
        }
        assert_eq!(studies.voter(study, &[2; 32]).await.unwrap(), Some(0));
        assert_eq!(lock(&studies.inner.voters).len(), 1);
    }
}
