//! Tests of the counts on output of the suite.

use serde_json::json;

use super::*;

const LOG: &str = "\
=== Running scenario: ping ===
Running client scenario 'ping' against server: http://127.0.0.1:1/mcp

=== Running scenario: tasks-lifecycle ===

=== SUMMARY ===
✓ ping: 2 passed, 0 failed
✗ tasks-lifecycle: 1 passed, 8 failed

Not scored for 2026-07-28: 1 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ tasks-lifecycle (extension)
";

fn scenario(name: &str, statuses: &[&str], unscored: Option<&str>) -> Scenario {
    let check = |status: &&str| json!({ "id": "a-check", "status": status, "errorMessage": "no" });
    let checks = statuses.iter().map(check).collect();
    Scenario::new(name, Some(&checks), unscored.map(str::to_owned))
}

#[test]
fn separates_uncounted_results_with_reason() {
    let nowhere = Path::new("there-is-no-such-folder");
    let scenarios = Scenario::read_all(LOG, nowhere, None).unwrap();
    let found = scenarios.iter().map(|it| (it.name.as_str(), it.unscored.as_deref()));
    assert_eq!(found.collect::<Vec<_>>(), [("ping", None), ("tasks-lifecycle", Some("extension"))]);
}

#[test]
fn scenario_without_result_fails() {
    let nowhere = Path::new("there-is-no-such-folder");
    let scenarios = Scenario::read_all("", nowhere, Some("ping")).unwrap();
    assert_eq!(scenarios[0].failed, ["it left no result"]);
}

#[test]
fn names_folder_by_scenario() {
    let folder = "server-http-header-validation-2026-11-21T16-21-55-930Z";
    assert_eq!(scenario_of(folder), Some("http-header-validation"));
    let folder = "server-server-stateless-2026-11-21T16-21-51-121Z";
    assert_eq!(scenario_of(folder), Some("server-stateless"));
    assert_eq!(scenario_of("other"), None);
}

#[test]
fn only_scored_failures_fail_the_run() {
    let mut report = Report::default();
    let ping = scenario("ping", &["SUCCESS", "INFO", "SUCCESS"], None);
    let list = scenario("tools-list", &["SUCCESS", "WARNING"], None);
    let tasks = scenario("tasks-lifecycle", &["FAILURE"], Some("extension"));
    report.add("2026-07-28", vec![ping.clone(), list, tasks], true);
    assert_eq!(report.verdict().unwrap(), "2026-07-28 2/2 (3 checks)");
    let table = report.table();
    assert!(table.contains("scored              2/2        3/3          1"), "{table}");
    assert!(table.contains("not scored          0/1        0/1          0"), "{table}");
    let text = report.scenarios(false);
    assert!(text.contains("✗ tasks-lifecycle") && text.contains("warning  a-check"), "{text}");
    assert!(!text.contains("ping"), "{text}");

    report.add("2025-11-25", vec![scenario("ping", &["SUCCESS", "FAILURE"], None)], false);
    assert_eq!(report.verdict().unwrap_err().to_string(), "2025-11-25 is not met: ping");
    let mut report = Report::default();
    report.add("2025-11-25", vec![ping], false);
    assert!(report.verdict().unwrap_err().to_string().contains("the suite ended with an error"));
}
