//! `--partition hash:i/n`: which share of the cases a machine of a CI matrix runs.

use std::fmt;
use std::str::FromStr;

use twox_hash::XxHash64;

use crate::corpus::Selectable;

/// The cases whose XXH64 hash (seed 0) of the id, modulo `count`, is `index - 1`.
///
/// It depends on nothing but the id: a case stays in its partition whatever else is added,
/// selected or removed, on every machine and in every version of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Which one, from 1.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

/// What is wrong with a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a partition is hash:i/n with 1 <= i <= n, such as hash:2/4")]
pub struct PartitionError;

impl Partition {
    /// Whether a case belongs to it.
    pub fn holds(&self, id: &str) -> bool {
        XxHash64::oneshot(0, id.as_bytes()) % self.count == self.index - 1
    }

    /// Keeps its cases, and tells their positions among all that there were.
    pub fn keep(&self, cases: &mut Vec<impl Selectable>) -> Vec<usize> {
        let held: Vec<bool> = cases.iter().map(|case| self.holds(case.id())).collect();
        let mut held_in_turn = held.iter();
        cases.retain(|_| held_in_turn.next().copied().unwrap_or(false));
        held.iter().enumerate().filter(|(_, held)| **held).map(|(position, _)| position).collect()
    }
}

impl FromStr for Partition {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Partition, PartitionError> {
        let numbers = text.strip_prefix("hash:").and_then(|numbers| numbers.split_once('/'));
        let (index, count) = numbers.ok_or(PartitionError)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| PartitionError);
        let (index, count) = (number(index)?, number(count)?);
        if index == 0 || index > count { Err(PartitionError) } else { Ok(Partition { index, count }) }
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hash:{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_is_in_one_partition_for_ever() {
        let parts: Vec<Partition> = (1..=4).map(|index| Partition { index, count: 4 }).collect();
        let place = |id: &str| parts.iter().filter(|part| part.holds(id)).map(|part| part.index).collect();
        let places: Vec<Vec<u64>> =
            ["reduce/sum/dim1", "reduce/var/single", "s/sum/two", ""].map(place).into();
        assert_eq!(places, PLACES);
    }

    /// From python-xxhash: `xxh64(id).intdigest() % 4 + 1`.
    const PLACES: [[u64; 1]; 4] = [[1], [4], [4], [2]];

    #[test]
    fn is_written_as_it_is_read() {
        assert_eq!("hash:2/4".parse(), Ok(Partition { index: 2, count: 4 }));
        assert_eq!(Partition { index: 2, count: 4 }.to_string(), "hash:2/4");
        for text in ["2/4", "hash:0/4", "hash:5/4", "hash:1/0", "hash:x/4", "hash:1", "count:1/2"] {
            assert_eq!(text.parse::<Partition>(), Err(PartitionError), "{text}");
        }
    }
}
