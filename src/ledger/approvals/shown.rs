//! What people are shown of a call: kept beside the records, since these may have to hold less.
//!
//! Must never outlast its question, and must never be shown where it is not what was recorded.

use super::change::Change;
use super::model::{Said, Standing};
use crate::call::Text;
use crate::ledger::Error;
use sqlx::SqlitePool;
use sqlx::sqlite::SqliteConnection;

/// Keeps what is shown of a question that is asked, and removes that of one that is over, in the
/// transaction of its record.
pub(in crate::ledger) async fn keep(
    connection: &mut SqliteConnection,
    change: &Change,
    shown: Option<&str>,
) -> Result<(), Error> {
    match change {
        Change::Ask { id, .. } => {
            sqlx::query("INSERT INTO shown (approval, told) VALUES (?1, ?2)")
                .bind(id)
                .bind(shown.unwrap_or_default())
                .execute(connection)
                .await?;
            Ok(())
        }
        Change::Answer { said, .. } if said == Said::Approved.as_str() => Ok(()),
        Change::Answer { id, .. } | Change::Spend { id } => remove(connection, id).await,
    }
}

/// What is removed is overwritten; the database's log may hold it until that is begun anew.
async fn remove(connection: &mut SqliteConnection, id: &str) -> Result<(), Error> {
    // Not as statements that are kept: these take effect when they are prepared, and no more.
    sqlx::raw_sql("PRAGMA secure_delete = ON").execute(&mut *connection).await?;
    sqlx::query("DELETE FROM shown WHERE approval = ?1").bind(id).execute(&mut *connection).await?;
    sqlx::raw_sql("PRAGMA secure_delete = OFF").execute(&mut *connection).await?;
    Ok(())
}

pub(super) async fn read(pool: &SqlitePool, standing: &Standing) -> Result<Option<Text>, Error> {
    let row: Option<String> = sqlx::query_scalar("SELECT told FROM shown WHERE approval = ?1")
        .bind(&*standing.id)
        .fetch_optional(pool)
        .await?;
    let recorded = |text: &String| *blake3::hash(text.as_bytes()).to_hex() == *standing.shown;
    if row.as_ref().is_some_and(|text| !recorded(text)) {
        tracing::error!(approval = &*standing.id, "what was kept to be shown was changed");
    }
    Ok(row.filter(recorded).map(Text::from))
}
