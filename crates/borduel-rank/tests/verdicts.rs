//! Are verdicts, forecasts and checks wrong no more often than they say? Measured by simulation.

mod worlds;

use borduel_rank::About;
use borduel_rank::Duel;
use borduel_rank::ballots::{Answer, Ballot, Ballots};
use borduel_rank::planning::{PlanOptions, plan, questions_to_settle};
use borduel_rank::ranking::{
    Before, Finding, Forecast, ItemScore, Model, RankOptions, Ranking, VerdictKind, compare, diverging, rank,
};
use borduel_rank::{Features, Stream, stream};
use rayon::prelude::*;
use worlds::{Crowd, World, ask, ballots, empty, truth};

/// Two items exactly equal at the top, further ones below by `gap`.
fn tied_at_the_top(items: usize, gap: f64) -> Vec<f64> {
    (0..items).map(|i| if i < 2 { 0.0 } else { -gap }).collect()
}

fn ranked(votes: &Ballots, model: &Model) -> Ranking {
    rank(votes, model, &RankOptions::default()).unwrap()
}

fn check<'a>(ranking: &'a Ranking, name: &str) -> &'a Finding {
    ranking.checks.iter().find(|check| check.name() == name).unwrap()
}

/// The share of simulations in which something holds.
fn share(simulations: u64, holds: impl Fn(u64) -> bool + Sync) -> f64 {
    (0..simulations).into_par_iter().filter(|&simulation| holds(simulation)).count() as f64 / simulations as f64
}

/// With a tie at the top: how often a winner is named all the same, and how often one of the two best is not among
/// those who may be best.
fn errors(world: &World, strengths: &[f64], model: &Model, simulations: u64) -> (f64, f64) {
    let one = |simulation: u64| {
        let ranking = ranked(&ballots(world, strengths, &mut stream(simulation, &[21])), model);
        (ranking.verdict.kind == VerdictKind::ClearWinner, !ranking.verdict.winners.contains(&0))
    };
    let found: Vec<(bool, bool)> = (0..simulations).into_par_iter().map(one).collect();
    let share = |pick: fn(&(bool, bool)) -> bool| found.iter().filter(|f| pick(f)).count() as f64 / found.len() as f64;
    (share(|f| f.0), share(|f| f.1))
}

const TIES: [(World, f64); 6] = [
    (World { items: 2, votes: 200, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 }, 0.0),
    (World { items: 5, votes: 400, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 }, 1.5),
    (World { items: 5, votes: 400, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 }, 0.0),
    (World { items: 5, votes: 600, voters: 60, spread: 0.0, habit: 0.5, ties: 0.2 }, 1.5),
    (World { items: 12, votes: 1200, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 }, 1.5),
    (World { items: 12, votes: 1200, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 }, 0.2),
];

const MODELS: [Model; 2] = [Model::OneHot, Model::Counts];

/// Few simulations, so that it is quick: 5 % of 400 have a standard error of 1.1 points.
#[test]
fn a_tie_at_the_top_has_a_winner_in_5_percent_of_cases_at_most_and_3_at_least() {
    let (world, gap) = &TIES[1];
    let (wrong, missed) = errors(world, &tied_at_the_top(world.items, *gap), &Model::OneHot, 400);
    assert!((0.02..0.08).contains(&wrong), "wrong winners: {wrong}");
    assert!(missed < 0.06, "a best item is not among the contenders: {missed}");
}

/// Votes on equal items that are all but certain, or of which some weigh ten thousand times as much as others.
fn lopsided(items: usize, votes: usize, (sure, weights): (f64, [f64; 2]), s: &mut Stream) -> Ballots {
    let world = World { items, votes, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 };
    let mut ballots = empty(&world);
    for vote in 0..votes {
        let i = vote % items;
        let j = (i + 1 + s.below(items - 1)) % items;
        let answer = Answer::Soft(if s.uniform() < 0.5 { sure } else { 1.0 - sure });
        ballots.add(i as u32, j as u32, None, answer, weights[s.below(2)], 1.0).unwrap();
    }
    ballots.finish()
}

/// How often equal items have a clear winner by such votes.
fn winners_by_lopsided_votes(
    (items, votes): (usize, usize),
    kind: (f64, [f64; 2]),
    features: bool,
    simulations: u64,
) -> f64 {
    share(simulations, |simulation| {
        let mut s = stream(simulation, &[29]);
        let votes = lopsided(items, votes, kind, &mut s);
        let x: Vec<f64> = (0..2 * items).map(|_| s.normal()).collect();
        let model =
            if features { Model::Features(Features::differences_scaled(items, 2, &x).unwrap()) } else { Model::OneHot };
        // Votes with weight may leave items without any.
        rank(&votes, &model, &RankOptions::default())
            .is_ok_and(|ranking| ranking.verdict.kind == VerdictKind::ClearWinner)
    })
}

/// Items and votes; and how sure soft votes are, with the weights of which each has one.
const LOPSIDED: [(usize, usize); 5] = [(3, 3), (3, 6), (5, 12), (3, 60), (8, 200)];
const LOPSIDED_KINDS: [(f64, [f64; 2]); 3] = [(0.9999, [1.0, 1.0]), (0.99, [1.0, 1.0]), (1.0, [100.0, 0.01])];

/// Before, three soft votes of 0.9999 and six votes with weights 100 and 0.01 had a clear winner in most cases.
#[test]
fn soft_votes_near_certainty_and_heavy_ones_beside_light_ones_name_no_winner_of_equal_items() {
    for size in &LOPSIDED[..3] {
        for kind in LOPSIDED_KINDS {
            for features in [false, true] {
                let found = winners_by_lopsided_votes(*size, kind, features, 40);
                assert!(found <= 0.1, "{size:?}, {kind:?}, features {features}: {found}");
            }
        }
    }
}

#[test]
#[ignore = "simulations for the documentation: a minute"]
fn survey_of_lopsided_votes() {
    for size in LOPSIDED {
        for kind in LOPSIDED_KINDS {
            let found = [false, true].map(|features| winners_by_lopsided_votes(size, kind, features, simulations()));
            let [plain, features] = found.map(|share| 100.0 * share);
            println!("(items, votes) {size:?}, {kind:?}: a winner in {plain:.1} %, with features in {features:.1} %");
            let most = 0.05 + 3.0 * (0.05 / simulations() as f64).sqrt();
            assert!(found.iter().all(|share| *share <= most), "{size:?}, {kind:?}: {found:?}");
        }
    }
}

/// The items of an earlier ranking.
fn as_before(ranking: &Ranking, ids: &[String]) -> Vec<Before> {
    let before = |item: &ItemScore| {
        Before::new(ids[item.item].clone(), item.borda.estimate, item.borda.error, item.rank)
            .with_df(ranking.intervals.df)
    };
    ranking.items.iter().map(before).collect()
}

/// How often some score is called changed though nothing has, between two files of other crowds.
fn false_changes_between(worlds: [&World; 2], simulations: u64) -> f64 {
    share(simulations, |simulation| {
        let mut s = stream(simulation, &[31]);
        let strengths: Vec<f64> = (0..worlds[0].items).map(|_| worlds[0].spread * s.normal()).collect();
        let [before, now] = worlds.map(|world| ranked(&ballots(world, &strengths, &mut s), &Model::OneHot));
        let ids: Vec<String> = (0..worlds[0].items).map(|item| item.to_string()).collect();
        compare(&as_before(&before, &ids), &now, &ids, 0.95).changes.iter().any(|change| change.clear)
    })
}

/// A file of few voters with tastes of their own, and one of many votes by everybody.
const FEW_AND_MANY: [World; 2] = [
    World { items: 5, votes: 240, voters: 8, spread: 0.5, habit: 1.0, ties: 0.0 },
    World { items: 5, votes: 1000, voters: 1000, spread: 0.5, habit: 1.0, ties: 0.0 },
];

/// How often some score is called changed though nothing has, between two files or within twelve stretches of one.
fn false_changes(world: &World, stretches: usize, simulations: u64) -> f64 {
    share(simulations, |simulation| {
        let mut s = stream(simulation, &[30]);
        let strengths: Vec<f64> = (0..world.items).map(|_| world.spread * s.normal()).collect();
        let part = World { votes: world.votes / stretches, ..*world };
        let rankings: Vec<Ranking> =
            (0..stretches).map(|_| ranked(&ballots(&part, &strengths, &mut s), &Model::OneHot)).collect();
        if stretches > 2 {
            let all: Vec<Option<&Ranking>> = rankings.iter().map(Some).collect();
            return diverging(&all).iter().any(|divergence| divergence.p < 0.05);
        }
        let ids: Vec<String> = (0..world.items).map(|item| item.to_string()).collect();
        compare(&as_before(&rankings[0], &ids), &rankings[1], &ids, 0.95).changes.iter().any(|change| change.clear)
    })
}

const CHANGES: [(World, usize); 8] = [
    (World { items: 20, votes: 3200, voters: 0, spread: 0.5, habit: 0.0, ties: 0.0 }, 2),
    (World { items: 5, votes: 800, voters: 0, spread: 0.5, habit: 0.0, ties: 0.0 }, 2),
    (World { items: 8, votes: 800, voters: 0, spread: 0.7, habit: 0.0, ties: 0.0 }, 12),
    (World { items: 5, votes: 3000, voters: 0, spread: 0.5, habit: 0.0, ties: 0.0 }, 12),
    (World { items: 8, votes: 1200, voters: 60, spread: 0.7, habit: 0.7, ties: 0.0 }, 12),
    (World { items: 8, votes: 1600, voters: 60, spread: 0.7, habit: 0.7, ties: 0.0 }, 2),
    (World { items: 5, votes: 800, voters: 30, spread: 0.5, habit: 1.0, ties: 0.0 }, 2),
    (World { items: 20, votes: 4000, voters: 20, spread: 0.5, habit: 1.0, ties: 0.0 }, 2),
];

#[test]
fn what_has_not_changed_is_seldom_called_so() {
    for ((world, stretches), simulations) in [(CHANGES[0], 60), (CHANGES[2], 40), (CHANGES[6], 100)] {
        let found = false_changes(&world, stretches, simulations);
        assert!(found <= 0.12, "{world:?}, {stretches} stretches: {found}");
    }
    let [few, many] = &FEW_AND_MANY;
    for worlds in [[few, many], [many, few]] {
        let found = false_changes_between(worlds, 100);
        assert!(found <= 0.1, "{worlds:?}: {found}");
    }
}

#[test]
#[ignore = "simulations for the documentation: some minutes"]
fn survey_of_changes() {
    for (world, stretches) in CHANGES {
        let found = false_changes(&world, stretches, simulations() / 4);
        println!("nothing changed in {stretches} stretches: {world:?}: called so in {:.1} %", 100.0 * found);
        assert!(found <= 0.05 + 3.0 * (0.05 / (simulations() / 4) as f64).sqrt());
    }
    let [few, many] = &FEW_AND_MANY;
    for worlds in [[few, many], [many, few]] {
        let found = false_changes_between(worlds, simulations());
        println!("nothing changed between {worlds:?}: called so in {:.1} %", 100.0 * found);
    }
}

/// How often equal items have a clear winner, when voters have tastes of their own and the first two cast half of all
/// votes.
fn winners_by_uneven_voters(world: &World, simulations: u64) -> f64 {
    share(simulations, |simulation| {
        let mut s = stream(simulation, &[31]);
        let mut votes = empty(world);
        let [heavy, light] = [(2, 0), (world.voters - 2, 2)].map(|(voters, first)| {
            let part = World { voters, votes: world.votes / 2, ..*world };
            (part, Crowd::new(&part, first, &mut s))
        });
        for (part, crowd) in [heavy, light] {
            ask(&mut votes, &part, &vec![0.0; world.items], &crowd, &mut s);
        }
        ranked(&votes.finish(), &Model::OneHot).verdict.kind == VerdictKind::ClearWinner
    })
}

const UNEVEN: [World; 6] = [
    World { items: 2, votes: 200, voters: 20, spread: 0.0, habit: 0.5, ties: 0.0 },
    World { items: 2, votes: 400, voters: 20, spread: 0.0, habit: 1.0, ties: 0.0 },
    World { items: 2, votes: 1000, voters: 60, spread: 0.0, habit: 1.0, ties: 0.0 },
    World { items: 2, votes: 400, voters: 10, spread: 0.0, habit: 2.0, ties: 0.0 },
    World { items: 4, votes: 800, voters: 20, spread: 0.0, habit: 1.0, ties: 0.0 },
    World { items: 8, votes: 1600, voters: 40, spread: 0.0, habit: 1.0, ties: 0.0 },
];

#[test]
fn voters_who_cast_most_of_the_votes_make_no_winner_of_equal_items() {
    let found = winners_by_uneven_voters(&UNEVEN[1], 200);
    assert!(found <= 0.08, "{found}");
}

#[test]
#[ignore = "simulations for the documentation: some minutes"]
fn survey_of_uneven_voters() {
    for world in UNEVEN {
        let found = winners_by_uneven_voters(&world, simulations() / 2);
        println!("two voters cast half of the votes on equal items: {world:?}: a winner in {:.1} %", 100.0 * found);
        assert!(found <= 0.05 + 3.0 * (0.05 / (simulations() / 2) as f64).sqrt());
    }
}

/// All items equal and five votes a pair: the share of simulations with a circle "beyond chance".
fn false_circles(items: usize, voters: usize, simulations: u64) -> f64 {
    let world = World { items, votes: 5 * items * (items - 1) / 2, voters, spread: 0.0, habit: 0.8, ties: 0.0 };
    share(simulations, |simulation| {
        let votes = ballots(&world, &vec![0.0; items], &mut stream(simulation, &[22]));
        check(&ranked(&votes, &Model::Counts), "cycles").ok() == Some(false)
    })
}

#[test]
fn circles_of_equal_items_are_seen_through() {
    for voters in [0, 20] {
        let found = false_circles(30, voters, 40);
        assert!(found <= 0.1, "{voters} voters: {found}");
    }
}

/// How often the fit test cries out though the model is true.
fn false_misfits(world: &World, simulations: u64) -> f64 {
    let strengths: Vec<f64> = (0..world.items).map(|i| world.spread * (i as f64 - 2.0)).collect();
    share(simulations, |simulation| {
        let votes = ballots(world, &strengths, &mut stream(simulation, &[23]));
        check(&ranked(&votes, &Model::OneHot), "fit").ok() == Some(false)
    })
}

/// Few pairs and many votes, many pairs with two votes or less, ties, voters with habits, and voters who are nearly
/// unanimous.
const FITS: [World; 10] = [
    World { items: 6, votes: 300, voters: 0, spread: 0.3, habit: 0.0, ties: 0.0 },
    World { items: 20, votes: 400, voters: 0, spread: 0.1, habit: 0.0, ties: 0.3 },
    World { items: 6, votes: 600, voters: 40, spread: 0.0, habit: 1.0, ties: 0.0 },
    World { items: 12, votes: 1200, voters: 60, spread: 0.0, habit: 0.7, ties: 0.2 },
    World { items: 4, votes: 80, voters: 0, spread: 0.5, habit: 0.0, ties: 0.5 },
    World { items: 40, votes: 420, voters: 0, spread: 0.05, habit: 0.0, ties: 0.0 },
    World { items: 40, votes: 2000, voters: 0, spread: 0.05, habit: 0.0, ties: 0.0 },
    World { items: 12, votes: 3000, voters: 0, spread: 0.1, habit: 0.0, ties: 0.0 },
    World { items: 4, votes: 180, voters: 30, spread: 3.0, habit: 0.0, ties: 0.0 },
    World { items: 5, votes: 300, voters: 30, spread: 2.0, habit: 0.5, ties: 0.0 },
];

#[test]
fn a_true_model_is_seldom_called_wrong() {
    for world in [&FITS[0], &FITS[2], &FITS[8]] {
        let found = false_misfits(world, 150);
        assert!(found <= 0.05, "{world:?}: {found}");
    }
}

/// With three votes a pair and ties the p-values of a true model are spread evenly: half of them are below one half,
/// and a tenth below a tenth, as the standard errors of 400 of them (2.5 and 1.5 points) allow.
#[test]
fn p_values_of_a_true_model_are_even() {
    let world = World { items: 8, votes: 80, voters: 0, spread: 0.2, habit: 0.0, ties: 0.3 };
    let strengths: Vec<f64> = (0..world.items).map(|i| world.spread * (i as f64 - 2.0)).collect();
    let p_value = |simulation: u64| {
        let votes = ballots(&world, &strengths, &mut stream(simulation, &[27]));
        match check(&ranked(&votes, &Model::OneHot), "fit") {
            Finding::Fit { p, .. } => *p,
            other => panic!("{other:?}"),
        }
    };
    let found: Vec<f64> = (0..400).into_par_iter().map(p_value).collect();
    let below = |level: f64| found.iter().filter(|p| **p <= level).count() as f64 / found.len() as f64;
    let (half, tenth) = (below(0.5), below(0.1));
    assert!((0.42..0.58).contains(&half) && (0.055..0.145).contains(&tenth), "{half} {tenth}");
}

/// Of the simulations without a verdict: how many have a forecast range, and in which share the number of votes at
/// which it is settled lies within, when somebody looks each time the votes have grown by an eighth.
fn forecasts(world: &World, spread: f64, simulations: u64) -> (usize, f64) {
    let one = |simulation: u64| -> Option<bool> {
        let mut s = stream(simulation, &[24]);
        let strengths: Vec<f64> = (0..world.items).map(|_| spread * s.normal()).collect();
        let mut votes = empty(world);
        let mut crowd = Crowd::new(world, 0, &mut s);
        ask(&mut votes, world, &strengths, &crowd, &mut s);
        let before = ranked(&votes.clone().finish(), &Model::OneHot);
        let (low, high) = before.verdict.forecast?.range()?;
        let (mut cast, mut voters) = (world.votes, world.voters);
        while ((cast - world.votes) as f64) < high {
            // New votes come from new voters, as many votes each.
            let more = cast / 8;
            let new = world.voters * more / world.votes;
            let after = World { votes: more, voters: if world.voters > 0 { new.max(1) } else { 0 }, ..*world };
            crowd = Crowd::new(&after, voters, &mut s);
            ask(&mut votes, &after, &strengths, &crowd, &mut s);
            (cast, voters) = (cast + more, voters + after.voters);
            if ranked(&votes.clone().finish(), &Model::OneHot).verdict.kind != VerdictKind::NotEnough {
                // Somewhere in the last eighth.
                return Some((cast - world.votes) as f64 >= low && ((cast - more - world.votes) as f64) <= high);
            }
        }
        Some(false)
    };
    let found: Vec<bool> = (0..simulations).into_par_iter().filter_map(one).collect();
    (found.len(), found.iter().filter(|&&inside| inside).count() as f64 / found.len().max(1) as f64)
}

const FORECASTS: [(World, f64); 5] = [
    (World { items: 4, votes: 200, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 }, 0.5),
    (World { items: 8, votes: 600, voters: 0, spread: 0.0, habit: 0.0, ties: 0.3 }, 0.5),
    (World { items: 8, votes: 800, voters: 80, spread: 0.0, habit: 0.5, ties: 0.0 }, 0.7),
    (World { items: 15, votes: 1500, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 }, 0.7),
    (World { items: 8, votes: 100, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 }, 0.7),
];

#[test]
fn the_votes_it_takes_lie_within_the_forecast_as_often_as_stated() {
    let (world, spread) = &FORECASTS[1];
    let (cases, inside) = forecasts(world, *spread, 40);
    assert!(cases >= 6, "{cases}");
    assert!(inside >= 0.65, "{inside} of {cases}");
}

#[test]
fn nothing_is_forecast_from_a_handful_of_votes() {
    let world = World { items: 200, votes: 300, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 };
    let ranking = ranked(&ballots(&world, &[0.0; 200], &mut stream(1, &[28])), &Model::OneHot);
    assert_eq!(ranking.verdict.forecast, Some(Forecast::TooEarly));
}

/// The same for questions that are asked where it matters: not settled by the fewest that are forecast, and settled by
/// the most; and the median of the most over that of votes of the present kind.
fn chosen_forecasts(world: &World, spread: f64, simulations: u64) -> (usize, f64, f64) {
    let one = |simulation: u64| -> Option<(bool, f64)> {
        let mut s = stream(simulation, &[26]);
        let strengths: Vec<f64> = (0..world.items).map(|_| spread * s.normal()).collect();
        let mut votes = ballots(world, &strengths, &mut s);
        let ranking = ranked(&votes, &Model::OneHot);
        let (_, needed) = ranking.verdict.forecast?.range()?;
        let chosen = questions_to_settle(&votes, &Model::OneHot, &RankOptions::default(), &ranking).unwrap()?;
        let (low, high) = chosen.range()?;
        let options = PlanOptions::default().with_budget(high);
        let sheet = plan(world.items, &Model::OneHot, Some(&votes), &options).unwrap();
        let mut settled = Vec::new();
        for asks in [&sheet.asks[..low as usize], &sheet.asks[low as usize..]] {
            for &Duel(left, right) in asks {
                let p = 1.0 / (1.0 + (strengths[right] - strengths[left]).exp());
                let answer = if s.uniform() < p { Answer::Left } else { Answer::Right };
                votes.add(left as u32, right as u32, None, answer, 1.0, 1.0).unwrap();
            }
            settled.push(ranked(&votes.clone().finish(), &Model::OneHot).verdict.kind != VerdictKind::NotEnough);
        }
        Some((settled == [false, true], high / needed))
    };
    let found: Vec<(bool, f64)> = (0..simulations).into_par_iter().filter_map(one).collect();
    let mut ratios: Vec<f64> = found.iter().map(|(_, ratio)| *ratio).collect();
    ratios.sort_by(f64::total_cmp);
    let inside = found.iter().filter(|(inside, _)| *inside).count() as f64 / found.len().max(1) as f64;
    (found.len(), inside, ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN))
}

const CHOSEN: (World, f64) = (World { items: 8, votes: 400, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 }, 0.5);

#[test]
fn questions_asked_where_it_matters_settle_it_within_the_forecast_and_are_fewer() {
    let (cases, inside, ratio) = chosen_forecasts(&CHOSEN.0, CHOSEN.1, 60);
    assert!(cases >= 6, "{cases}");
    assert!(inside >= 0.65, "{inside} of {cases}");
    assert!(ratio < 0.8, "{ratio}");
}

/// Contexts that are a sample of such contexts: log-odds of i over j in c are s(i) − s(j) + τ(u(i,c) − u(j,c)).
#[derive(Clone, Copy, Debug)]
struct OverContexts {
    items: usize,
    spread: f64,
    tau: f64,
    /// How many there are when the forecast is made, and the votes in each.
    contexts: usize,
    votes: usize,
}

const OVER_CONTEXTS: [OverContexts; 3] = [
    OverContexts { items: 4, spread: 0.4, tau: 0.7, contexts: 12, votes: 20 },
    OverContexts { items: 4, spread: 0.4, tau: 0.4, contexts: 20, votes: 20 },
    OverContexts { items: 8, spread: 0.5, tau: 0.7, contexts: 30, votes: 40 },
];

/// Of the simulations without a verdict about such contexts: how many have a range of further contexts, and in which
/// share the number at which it is settled lies within, when somebody looks each time they have grown by an eighth.
fn context_forecasts(world: &OverContexts, simulations: u64) -> (usize, f64) {
    let options = RankOptions::default().with_about(Some(About::Such));
    let ranked = |votes: &Ballots| rank(&votes.clone().finish(), &Model::OneHot, &options).unwrap().verdict;
    let one = |simulation: u64| -> Option<bool> {
        let mut s = stream(simulation, &[30]);
        let strengths: Vec<f64> = (0..world.items).map(|_| world.spread * s.normal()).collect();
        let mut votes = empty(&World { items: world.items, votes: 0, voters: 0, spread: 0.0, habit: 0.0, ties: 0.0 });
        let mut ask = |votes: &mut Ballots, contexts: std::ops::Range<usize>| {
            for c in contexts {
                let here: Vec<f64> = strengths.iter().map(|worth| worth + world.tau * s.normal()).collect();
                let context = Some(votes.context(&c.to_string()));
                for _ in 0..world.votes {
                    let i = s.below(world.items);
                    let j = (i + 1 + s.below(world.items - 1)) % world.items;
                    let won = s.uniform() < 1.0 / (1.0 + (here[j] - here[i]).exp());
                    let answer = if won { Answer::Left } else { Answer::Right };
                    let (left, right) = (i as u32, j as u32);
                    let vote = Ballot::new(left, right, answer).with_context(context);
                    votes.add_all(&[vote]).unwrap();
                }
            }
        };
        ask(&mut votes, 0..world.contexts);
        let (low, high) = ranked(&votes).contexts?.range()?;
        let mut there = world.contexts;
        while ((there - world.contexts) as f64) < high {
            let more = (there / 8).max(1);
            ask(&mut votes, there..there + more);
            there += more;
            if ranked(&votes).kind != VerdictKind::NotEnough {
                // Somewhere among the last ones.
                let (least, most) = (there - more - world.contexts, there - world.contexts);
                return Some(most as f64 >= low && least as f64 <= high);
            }
        }
        Some(false)
    };
    let found: Vec<bool> = (0..simulations).into_par_iter().filter_map(one).collect();
    (found.len(), found.iter().filter(|&&inside| inside).count() as f64 / found.len().max(1) as f64)
}

#[test]
fn the_contexts_it_takes_lie_within_the_forecast_as_often_as_stated() {
    let (cases, inside) = context_forecasts(&OVER_CONTEXTS[0], 16);
    println!("{inside} of {cases}");
    assert!(cases >= 8, "{cases}");
    // Three standard errors of 12 cases are 35 points.
    assert!(inside >= 0.45, "{inside} of {cases}");
}

#[test]
#[ignore = "simulations for the documentation: some minutes"]
fn survey_of_context_forecasts() {
    for world in &OVER_CONTEXTS {
        let (cases, inside) = context_forecasts(world, simulations() / 10);
        println!("{world:?}: {cases} cases, {:.1} % within", 100.0 * inside);
        assert!(inside >= 0.8 - 3.0 * (0.16 / cases as f64).sqrt());
    }
}

/// Whether truth() and the verdict speak of the same thing: a clear winner is nearly always the true one.
#[test]
fn winners_are_the_best() {
    let world = World { items: 6, votes: 400, voters: 0, spread: 0.0, habit: 0.0, ties: 0.1 };
    let wrong = share(100, |simulation| {
        let mut s = stream(simulation, &[25]);
        let strengths: Vec<f64> = (0..world.items).map(|_| 0.4 * s.normal()).collect();
        let scores = truth(&world, &strengths);
        let ranking = ranked(&ballots(&world, &strengths, &mut s), &Model::OneHot);
        let best = (0..world.items).fold(0, |best, i| if scores[i] > scores[best] { i } else { best });
        !ranking.verdict.winners.contains(&best)
    });
    assert!(wrong <= 0.05, "{wrong}");
}

/// How many simulations a survey for the documentation has.
fn simulations() -> u64 {
    std::env::var("SIMULATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

#[test]
#[ignore = "2,000 simulations for the documentation: some minutes"]
fn survey_of_ties() {
    let mut most: f64 = 0.0;
    for (world, gap) in &TIES {
        for model in &MODELS {
            let strengths = tied_at_the_top(world.items, *gap);
            let (wrong, missed) = errors(world, &strengths, model, simulations());
            println!(
                "tie at the top, gap {gap}: {world:?} {model:?}: a winner in {:.1} %, a best item missed in {:.1} %",
                100.0 * wrong,
                100.0 * missed
            );
            assert!(wrong <= 0.065, "{world:?} {model:?}: {wrong}");
            most = most.max(wrong);
        }
    }
    assert!(most >= 0.03, "nothing is given away: {most}");
}

#[test]
#[ignore = "simulations for the documentation: some minutes"]
fn survey_of_circles() {
    for (items, voters) in [(40, 0), (40, 20), (100, 0)] {
        let found = false_circles(items, voters, simulations() / 10);
        println!("{items} equal items, {voters} voters: circles beyond chance in {:.1} %", 100.0 * found);
        assert!(found <= 0.06);
    }
}

#[test]
#[ignore = "2,000 simulations for the documentation: some minutes"]
fn survey_of_fits() {
    for world in &FITS {
        let found = false_misfits(world, simulations());
        println!("true model {world:?}: called wrong in {:.1} %", 100.0 * found);
        // Three standard errors of 1 % more.
        assert!(found <= 0.01 + 3.0 * (0.01 / simulations() as f64).sqrt(), "{world:?}: {found}");
    }
}

#[test]
#[ignore = "2,000 simulations for the documentation: some minutes"]
fn survey_of_forecasts() {
    for (world, spread) in std::iter::once(&CHOSEN).chain(FORECASTS.iter().filter(|(world, _)| world.voters == 0)) {
        let (cases, inside, ratio) = chosen_forecasts(world, *spread, simulations() / 4);
        println!(
            "where it matters, strengths {spread}: {world:?}: {cases} cases, {:.1} % within, {ratio:.2} of the votes",
            100.0 * inside
        );
        assert!(inside >= 0.8 - 3.0 * (0.16 / cases as f64).sqrt());
    }
    for (world, spread) in &FORECASTS {
        let (cases, inside) = forecasts(world, *spread, simulations() / 4);
        println!("forecasts, strengths {spread}: {world:?}: {cases} cases, {:.1} % within", 100.0 * inside);
        assert!(inside >= 0.8 - 3.0 * (0.16 / cases as f64).sqrt());
    }
}
