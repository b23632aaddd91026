//! Quotas are exact, whoever counts, and a day is a day.

use super::counter::DAY_MS;
use super::{Error, Quotas, Settings, Used};
use crate::call::{Allowance, Allowances, Authentication, DayCaps, Subject, Timestamp};
use crate::limits::Reached;
use std::path::Path;
use tempfile::TempDir;

fn subject(tenant: &str, id: &str) -> Subject {
    Subject {
        id: id.into(),
        tenant: tenant.into(),
        roles: Vec::new(),
        authentication: Authentication::ApiKey,
    }
}

/// A quarter of a day before midnight.
fn evening() -> Timestamp {
    Timestamp::from_unix_ms(20_000 * DAY_MS + DAY_MS / 4 * 3)
}

fn calls(max: u64) -> DayCaps {
    DayCaps { calls_per_day_max: Some(max), ..DayCaps::default() }
}

fn settings(folder: &Path, subject: DayCaps, tenant: DayCaps) -> Settings {
    // A busy machine has all its time.
    Settings { subject, tenant, count_ms_max: 60_000, ..Settings::in_directory(folder) }
}

async fn open(folder: &TempDir, subject: DayCaps, tenant: DayCaps) -> Quotas {
    Quotas::open(&settings(folder.path(), subject, tenant)).await.unwrap()
}

async fn admit(quotas: &Quotas, who: (&str, &str)) -> Result<(), Reached> {
    quotas.admit(&subject(who.0, who.1), evening()).await.unwrap()
}

async fn admitted(quotas: &Quotas, who: (&str, &str), times: usize) -> usize {
    let mut admitted = 0;
    for _ in 0..times {
        admitted += usize::from(admit(quotas, who).await.is_ok());
    }
    admitted
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_of_two_hundred_at_once_and_of_two_replicas_together() {
    let folder = TempDir::new().unwrap();
    // Both make the file, at once.
    let (one, other) =
        tokio::join!(open(&folder, calls(50), calls(50)), open(&folder, calls(50), calls(50)));
    let tasks: Vec<_> = (0..200)
        .map(|number| {
            let quotas = if number % 2 == 0 { one.clone() } else { other.clone() };
            tokio::spawn(async move { admit(&quotas, ("acme", "ada")).await.is_ok() })
        })
        .collect();
    let mut admitted = 0;
    for task in tasks {
        admitted += usize::from(task.await.unwrap());
    }
    assert_eq!(admitted, 50);
}

#[tokio::test]
async fn a_subject_and_its_tenant_have_their_own() {
    let folder = TempDir::new().unwrap();
    let quotas = open(&folder, calls(3), calls(5)).await;
    assert_eq!(admitted(&quotas, ("acme", "ada"), 9).await, 3);
    let reached = admit(&quotas, ("acme", "ada")).await.unwrap_err();
    assert_eq!(reached.limit.as_str(), "calls_per_day_per_subject");
    assert_eq!(reached.retry_after_ms, Some(DAY_MS.unsigned_abs() / 4), "until midnight");
    // Those that were refused took nothing from the tenant.
    assert_eq!(admitted(&quotas, ("acme", "bob"), 9).await, 2);
    let reached = admit(&quotas, ("acme", "cyd")).await.unwrap_err();
    assert_eq!(reached.limit.as_str(), "calls_per_day_per_tenant");
    assert_eq!(admitted(&quotas, ("umbrella", "ada"), 9).await, 3);
}

#[tokio::test]
async fn each_unit_is_counted_and_named() {
    let caps = |number: usize| DayCaps {
        tokens_per_day_max: (number == 0).then_some(100),
        cost_microusd_per_day_max: (number == 1).then_some(100),
        sandbox_cpu_ms_per_day_max: (number == 2).then_some(100),
        ..DayCaps::default()
    };
    let used = |amount| Used {
        tokens: amount,
        cost_microusd: amount,
        sandbox_cpu_ms: amount,
        ..Used::default()
    };
    for (number, name) in ["tokens", "cost", "sandbox_cpu"].into_iter().enumerate() {
        for whose in ["subject", "tenant"] {
            let folder = TempDir::new().unwrap();
            let none = DayCaps::default();
            let (of_subject, of_tenant) =
                if whose == "subject" { (caps(number), none) } else { (none, caps(number)) };
            let quotas = open(&folder, of_subject, of_tenant).await;
            let ada = subject("acme", "ada");
            quotas.add(&ada, evening(), &used(60)).await.unwrap();
            assert!(admit(&quotas, ("acme", "ada")).await.is_ok());
            quotas.add(&ada, evening(), &used(40)).await.unwrap();
            let reached = admit(&quotas, ("acme", "ada")).await.unwrap_err();
            assert_eq!(reached.limit.as_str(), format!("{name}_per_day_per_{whose}"));
            // A tenant's quota binds its other subjects too, a subject's does not.
            assert_eq!(admit(&quotas, ("acme", "bob")).await.is_ok(), whose == "subject");
        }
    }
}

#[tokio::test]
async fn a_new_day_begins_at_midnight_and_old_rows_go() {
    let folder = TempDir::new().unwrap();
    let quotas = open(&folder, calls(1), DayCaps::default()).await;
    let ada = subject("acme", "ada");
    let on = |day: i64| Timestamp::from_unix_ms(day * DAY_MS);
    for day in 20_000..20_010 {
        assert!(quotas.admit(&ada, on(day)).await.unwrap().is_ok());
        let last = Timestamp::from_unix_ms((day + 1) * DAY_MS - 1);
        let reached = quotas.admit(&ada, last).await.unwrap().unwrap_err();
        assert_eq!(reached.retry_after_ms, Some(1));
    }
    let counter = quotas.0.counter.get().unwrap();
    let days: Vec<i64> = sqlx::query_scalar("SELECT DISTINCT day FROM used ORDER BY day")
        .fetch_all(&counter.pool)
        .await
        .unwrap();
    assert_eq!(days, [20_008, 20_009]);
}

#[tokio::test]
async fn what_was_used_survives_a_restart() {
    let folder = TempDir::new().unwrap();
    assert_eq!(admitted(&open(&folder, calls(5), calls(5)).await, ("acme", "ada"), 3).await, 3);
    assert_eq!(admitted(&open(&folder, calls(5), calls(5)).await, ("acme", "ada"), 9).await, 2);
}

#[tokio::test]
async fn a_quota_of_nothing_admits_nothing() {
    let folder = TempDir::new().unwrap();
    assert_eq!(admitted(&open(&folder, calls(0), calls(9)).await, ("acme", "ada"), 3).await, 0);
}

#[tokio::test]
async fn sums_do_not_run_over() {
    let folder = TempDir::new().unwrap();
    let caps = DayCaps { tokens_per_day_max: Some(1), ..DayCaps::default() };
    let quotas = open(&folder, caps, caps).await;
    let ada = subject("acme", "ada");
    for _ in 0..20 {
        let used = Used { tokens: u64::MAX, ..Used::default() };
        quotas.add(&ada, evening(), &used).await.unwrap();
    }
    assert!(admit(&quotas, ("acme", "ada")).await.is_err());
}

#[tokio::test]
async fn without_a_quota_there_is_no_file() {
    let folder = TempDir::new().unwrap();
    let quotas = open(&folder, DayCaps::default(), DayCaps::default()).await;
    assert_eq!(admitted(&quotas, ("acme", "ada"), 9).await, 9);
    assert!(!folder.path().join("quotas.db").exists());
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test makes a file of its own")]
async fn a_file_that_is_something_else_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("quotas.db");
    std::fs::write(&file, "a shopping list, and a long one at that, for a whole week").unwrap();
    let opened = Quotas::open(&settings(folder.path(), calls(1), calls(1))).await;
    assert!(matches!(opened, Err(Error::Database(_) | Error::Foreign(_))), "{opened:?}");
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("a shopping list"));
}

#[tokio::test]
async fn what_cannot_be_counted_is_an_error_until_it_can() {
    let folder = TempDir::new().unwrap();
    let quotas = open(&folder, calls(9), calls(9)).await;
    let ada = subject("acme", "ada");
    let counter = quotas.0.counter.get().unwrap();
    let rename = |from: &str, to: &str| format!("ALTER TABLE {from} RENAME TO {to}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(rename("used", "gone")))
        .execute(&counter.pool)
        .await
        .unwrap();
    assert!(quotas.admit(&ada, evening()).await.is_err());
    assert!(quotas.add(&ada, evening(), &Used { tokens: 1, ..Used::default() }).await.is_err());
    assert!(quotas.check().await.is_err());
    sqlx::raw_sql(sqlx::AssertSqlSafe(rename("gone", "used")))
        .execute(&counter.pool)
        .await
        .unwrap();
    assert!(quotas.admit(&ada, evening()).await.unwrap().is_ok());
    assert!(quotas.check().await.is_ok());
}

/// What a bundle allows a subject.
fn allowed(max: u64) -> Allowances {
    let subject = Allowance { day: calls(max), ..Allowance::default() };
    Allowances { subject, ..Allowances::default() }
}

#[tokio::test]
async fn a_bundle_may_say_less_and_not_more() {
    let folder = TempDir::new().unwrap();
    let quotas = open(&folder, calls(5), DayCaps::default()).await;
    quotas.put_in_force(&allowed(2));
    assert_eq!(admitted(&quotas, ("acme", "ada"), 9).await, 2);
    // What was counted stays counted.
    quotas.put_in_force(&allowed(9));
    assert_eq!(admitted(&quotas, ("acme", "ada"), 9).await, 3);
    quotas.put_in_force(&Allowances::default());
    assert_eq!(admitted(&quotas, ("acme", "ada"), 9).await, 0);
}

#[tokio::test]
async fn the_file_is_made_when_a_bundle_caps_something() {
    let folder = TempDir::new().unwrap();
    let quotas = open(&folder, DayCaps::default(), DayCaps::default()).await;
    assert_eq!(admitted(&quotas, ("acme", "ada"), 9).await, 9);
    quotas.put_in_force(&allowed(2));
    assert_eq!(admitted(&quotas, ("acme", "ada"), 9).await, 2);
    assert!(folder.path().join("quotas.db").exists());
}

#[tokio::test]
async fn what_is_capped_and_cannot_be_counted_is_not_admitted() {
    let quotas = Quotas::none();
    assert!(admit(&quotas, ("acme", "ada")).await.is_ok());
    quotas.put_in_force(&allowed(2));
    assert!(quotas.admit(&subject("acme", "ada"), evening()).await.is_err());
    assert!(quotas.check().await.is_err());
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a test makes a file of its own")]
async fn a_file_that_cannot_be_had_is_tried_again() {
    let folder = TempDir::new().unwrap();
    let quotas = open(&folder, DayCaps::default(), DayCaps::default()).await;
    let file = folder.path().join("quotas.db");
    std::fs::write(&file, "a shopping list, and a long one at that, for a whole week").unwrap();
    quotas.put_in_force(&allowed(2));
    let ada = subject("acme", "ada");
    assert!(quotas.admit(&ada, evening()).await.is_err());
    assert!(quotas.check().await.is_err());
    std::fs::remove_file(&file).unwrap();
    assert_eq!(admitted(&quotas, ("acme", "ada"), 9).await, 2);
    assert!(quotas.check().await.is_ok());
}
