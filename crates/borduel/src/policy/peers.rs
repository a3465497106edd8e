//! Dueling bandits of other papers, which ask about items without features.

pub mod active_ranking;
pub mod ccb;
pub mod dts;
pub mod merge;
pub mod rmed;
pub mod rucb;
pub mod self_sparring;
pub mod versatile;
pub mod winner_stays;
