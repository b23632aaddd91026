//! Bodies: bounded in size and time, JSON but for files.
//!
//! Must never hold more than the cap, whatever a length header says.

use super::Settings;
use super::problem::Kind;
use axum::body::Body;
use futures_util::StreamExt;
use http::{HeaderMap, header};
use std::time::Duration;

/// Reads a body whole.
///
/// # Errors
/// Where it is not JSON by its headers, too large, too slow, or breaks off.
pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    settings: &Settings,
) -> Result<Vec<u8>, Kind> {
    if !is_json(headers) || headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Kind::MediaType);
    }
    within(headers, body, (settings.body_bytes_max, settings.body_ms_max)).await
}

/// Reads the bytes of a file whole, whatever they are said to be.
///
/// # Errors
/// Where they are encoded, too many, too slow, or break off.
pub(super) async fn read_file(
    headers: &HeaderMap,
    body: Body,
    (bytes_max, ms_max): (u64, u64),
) -> Result<Vec<u8>, Kind> {
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(Kind::MediaType);
    }
    let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    within(headers, body, (bytes_max, ms_max)).await
}

async fn within(
    headers: &HeaderMap,
    body: Body,
    (bytes_max, ms_max): (usize, u64),
) -> Result<Vec<u8>, Kind> {
    if declared(headers).is_some_and(|length| length > bytes_max) {
        return Err(Kind::TooLarge);
    }
    let limit = Duration::from_millis(ms_max);
    tokio::time::timeout(limit, collect(body, bytes_max)).await.unwrap_or(Err(Kind::TooSlow))
}

async fn collect(body: Body, bytes_max: usize) -> Result<Vec<u8>, Kind> {
    let mut chunks = body.into_data_stream();
    let mut read = Vec::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Kind::BrokenOff)?;
        if chunk.len() > bytes_max.saturating_sub(read.len()) {
            return Err(Kind::TooLarge);
        }
        read.extend_from_slice(&chunk);
    }
    Ok(read)
}

fn declared(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// JSON has one encoding; a message that names another is not read as UTF-8 all the same.
fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return false;
    };
    let mut parts = value.to_str().unwrap_or_default().split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    essence.eq_ignore_ascii_case("application/json")
        && parts.all(|parameter| {
            parameter.is_empty() || parameter.eq_ignore_ascii_case("charset=utf-8")
        })
}
