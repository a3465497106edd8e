//! From the hash of a thing to its number, in 8 bytes a place: every look-up waits for memory, and less memory is
//! nearer.

/// Numbers from 0, found by their hashes. The things themselves are elsewhere, and the caller compares them.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// The hash (the upper half) and the number plus 1 (the lower half) of each place, 0 for a free one.
    table: Vec<u64>,
    len: u32,
}

impl Index {
    /// The number of the thing that most likely has this hash, whatever it is if it is not there. This decides nothing,
    /// so that many such looks wait for memory together.
    pub(super) fn glance(&self, hash: u32) -> u32 {
        let mask = self.table.len().wrapping_sub(1);
        self.table.get(hash as usize & mask).map_or(0, |&entry| (entry as u32).wrapping_sub(1))
    }

    /// The number of the thing with this hash that is the `same`, if there is one.
    pub(super) fn get(&self, hash: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.table.len().checked_sub(1)?;
        let mut place = hash as usize & mask;
        loop {
            let entry = self.table[place];
            if entry == 0 {
                return None;
            }
            if (entry >> 32) as u32 == hash && same(entry as u32 - 1) {
                return Some(entry as u32 - 1);
            }
            place = (place + 1) & mask;
        }
    }

    /// Gives the next number to a thing that is not there yet.
    pub(super) fn push(&mut self, hash: u32) -> u32 {
        // Never more than half full.
        if self.table.len() <= 2 * self.len as usize {
            let wider = vec![0; (2 * self.table.len()).max(64)];
            for entry in std::mem::replace(&mut self.table, wider) {
                if entry != 0 {
                    self.put(entry);
                }
            }
        }
        self.len += 1;
        self.put((u64::from(hash) << 32) | u64::from(self.len));
        self.len - 1
    }

    /// Puts an entry into the first free place from where its hash points.
    fn put(&mut self, entry: u64) {
        let mask = self.table.len() - 1;
        let mut place = (entry >> 32) as usize & mask;
        while self.table[place] != 0 {
            place = (place + 1) & mask;
        }
        self.table[place] = entry;
    }
}
