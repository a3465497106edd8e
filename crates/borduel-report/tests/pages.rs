//! Pages and pictures from the library's results alone, without a command line.

use borduel::environment::matrix::matrix;
use borduel::experiment::{EnvironmentConfig, NoSources};
use borduel::{Experiment, Link, Notion, PolicyConfig, Problem, Results};
use borduel_report::experiment::{Chapter, figure, page};

fn results() -> (Results, borduel::experiment::Plan) {
    let environments = vec![EnvironmentConfig::Hard { d: 2, gap: None }];
    let policies = vec![PolicyConfig::named("uniform").unwrap(), PolicyConfig::named("etc-borda").unwrap()];
    let mut experiment = Experiment::new("<b>tea</b> & \u{1b}[31mcoffee\n", environments, policies);
    (experiment.runs, experiment.horizons) = (2, vec![300]);
    let plan = experiment.plan(&NoSources).unwrap();
    let finished: Vec<_> = (0..plan.jobs()).map(|job| plan.run(job).unwrap()).collect();
    (plan.collect(&finished), plan)
}

/// A server or a notebook that has the JSON shows what the command line showed.
#[test]
fn results_that_were_written_and_read_again_make_the_same_bytes() {
    let (results, plan) = results();
    let again: Results = serde_json::from_str(&serde_json::to_string(&results).unwrap()).unwrap();
    assert_eq!(again, results);
    assert_eq!(figure(&again, 9).standalone(), figure(&results, 9).standalone());
    let shown = |results| page("t", &[Chapter { results, worlds: plan.worlds(), command: "" }], &[]);
    assert_eq!(shown(&again), shown(&results));
}

#[test]
fn what_is_proved_of_borda_regret_is_not_drawn_on_another() {
    let environments = vec![EnvironmentConfig::Hard { d: 2, gap: None }];
    let mut experiment = Experiment::new("bounds", environments, Experiment::paper_policies());
    (experiment.runs, experiment.horizons) = (1, vec![20_000]);
    let mut shown = |regrets: &[Notion]| {
        experiment.regrets = regrets.to_vec();
        let plan = experiment.plan(&NoSources).unwrap();
        let results = plan.run_all().unwrap();
        page("t", &[Chapter { results: &results, worlds: plan.worlds(), command: "" }], &[])
    };
    let said = |page: &str| page.contains("upper bound");
    assert!(said(&shown(&[Notion::Borda, Notion::Copeland])));
    assert!(!said(&shown(&[Notion::Copeland, Notion::Borda])));
}

#[test]
fn a_world_of_ones_own_is_not_taken_for_one_that_nobody_plays_in() {
    let mut experiment = Experiment::new("own", vec![EnvironmentConfig::Hard { d: 2, gap: None }], Vec::new());
    (experiment.runs, experiment.horizons) = (1, vec![300]);
    let mut plan = experiment.plan(&NoSources).unwrap();
    let tea = matrix(&[vec![0.5, 0.9], vec![0.1, 0.5]], None, Link::Logistic, Some(300)).unwrap();
    let tea = plan.add_world("tea", tea).unwrap();
    let build =
        |problem: &Problem, stream| PolicyConfig::named("uniform").and_then(|policy| policy.build(problem, stream));
    plan.add_pairing(&tea, "uniform", "Uniform", build).unwrap();
    let results = plan.run_all().unwrap();
    let page = page("t", &[Chapter { results: &results, worlds: plan.worlds(), command: "" }], &[]);
    assert!(page.contains("tea: T = 300") && !page.contains("lower bound") && page.contains("2 items"), "{page}");
}

#[test]
fn a_page_needs_neither_instances_nor_a_command_and_escapes_everything() {
    let (results, _) = results();
    let page = page(&results.experiment.name, &[Chapter { results: &results, worlds: &[], command: "" }], &[]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(
        !page.contains("<b>")
            && !page.contains('\u{1b}')
            && page.contains("&lt;b&gt;tea&lt;/b&gt; &amp; \\u{1b}[31mcoffee")
    );
    assert!(!page.contains("The instance") && !page.contains("<pre></pre>"));
    assert!(
        !page.contains("http://")
            || page.matches("http://").count() == page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(figure(&results, 9).png().unwrap().starts_with(b"\x89PNG"));
}
