//! The files of a caller's sessions as the protocol's resources, and those of a run in its result.
//!
//! Must never show as an image what is none by its bytes, nor a file of another subject.

use super::text;
use crate::call::Subject;
use crate::enforce::{Answer, Conclusion};
use crate::gateway::Gateway;
use crate::gateway::files::{self, Drawer, Refused, address};
use crate::sandbox::Run;
use crate::sandbox::workspace::{Entry, File, Kept};
use data_encoding::BASE64;
use http::request::Parts;
use rmcp::model::{
    CacheScope, ContentBlock, ErrorData, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents,
};
use rmcp::service::{RequestContext, RoleServer};

/// How many files a page of the list has.
const PAGE: u32 = 100;

/// How many of a run's images are shown, and how many of its other files are pointed at.
const SHOWN_MAX: usize = 8;
const LINKS_MAX: usize = 32;

/// A list or a file may be another the next time that it is asked for.
const FRESH_MS: u64 = 0;

/// What a result has beside its text: images to be seen, links to other files.
pub(super) fn of_result(answer: &Answer<Run>, image_bytes_max: u64) -> Vec<ContentBlock> {
    let Conclusion::Permitted(Some(run)) = &answer.conclusion else { return Vec::new() };
    let session = run.files.kept.as_ref().map_or("", |kept: &Kept| kept.session());
    let is_shown = |file: &&File| file.is_image() && file.bytes() <= image_bytes_max;
    let (images, others): (Vec<&File>, Vec<&File>) = run.files.changed.iter().partition(is_shown);
    let images = images.into_iter().take(SHOWN_MAX);
    let images =
        images.map(|file| ContentBlock::image(BASE64.encode(&file.content), file.media_type));
    let links = others.into_iter().take(LINKS_MAX).map(|file| {
        let about = (file.name.as_str(), file.media_type, file.bytes());
        ContentBlock::resource_link(resource(address::uri(session, &file.name), about))
    });
    images.chain(links).collect()
}

fn resource(uri: String, (name, media_type, bytes): (&str, &str, u64)) -> Resource {
    let mut resource = Resource::new(uri, name);
    resource.mime_type = Some(media_type.to_owned());
    resource.size = Some(bytes);
    resource
}

/// A page of the files of all sessions of the subject that asks.
pub(super) async fn list(
    gateway: &Gateway,
    cursor: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let subject = subject(context)?;
    let behind = match cursor {
        None => None,
        Some(cursor) => Some(address::of_uri(cursor).ok_or_else(|| params("no such cursor"))?),
    };
    let listed = files::list_all(gateway, &subject, (behind, PAGE)).await;
    let listed = listed.map_err(|refused| error(&refused, context))?;
    let more = listed.len() >= usize::try_from(PAGE).unwrap_or(usize::MAX);
    let resources = listed.iter().map(|(session, entry)| {
        let Entry { name, bytes, media_type, .. } = entry;
        resource(address::uri(session, name), (name.as_str(), media_type, *bytes))
    });
    let resources: Vec<Resource> = resources.collect();
    let last = resources.last().map(|resource| resource.uri.clone()).filter(|_| more);
    let mut page = ListResourcesResult::with_all_items(resources)
        .with_ttl_ms(FRESH_MS)
        .with_cache_scope(CacheScope::Private);
    page.next_cursor = last;
    Ok(page)
}

/// One file: as text where it is text, else as base64.
pub(super) async fn read(
    gateway: &Gateway,
    uri: &str,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let subject = subject(context)?;
    let missing = || error(&Refused::Missing, context);
    let (session, name) = address::of_uri(uri).ok_or_else(missing)?;
    let drawer = Drawer::new(gateway.clone(), subject, session);
    let read = async {
        let _held = drawer.transfer()?;
        drawer.read(&name).await
    };
    let (entry, content) = read.await.map_err(|refused| error(&refused, context))?;
    let contents = match String::from_utf8(content) {
        Ok(text) if text::is_plain(entry.media_type) => ResourceContents::text(text, uri),
        Ok(text) => ResourceContents::blob(BASE64.encode(text.as_bytes()), uri),
        Err(bytes) => ResourceContents::blob(BASE64.encode(bytes.as_bytes()), uri),
    };
    let contents = contents.with_mime_type(entry.media_type);
    Ok(ReadResourceResult::new(vec![contents])
        .with_ttl_ms(FRESH_MS)
        .with_cache_scope(CacheScope::Private))
}

/// The subject of the very message that asks.
fn subject(context: &RequestContext<RoleServer>) -> Result<Subject, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let subject = parts.and_then(|parts| parts.extensions.get::<Subject>()).cloned();
    subject.ok_or_else(|| {
        tracing::error!("a message reached the resources without passing the door");
        ErrorData::internal_error("the message did not come through the door", None)
    })
}

fn params(message: &'static str) -> ErrorData {
    ErrorData::invalid_params(message, None)
}

fn error(refused: &Refused, context: &RequestContext<RoleServer>) -> ErrorData {
    const MISSING: &str = "there is no such resource";
    let new = context.protocol_version().is_some_and(|version| !version.has_initialize());
    match refused {
        Refused::Missing if new => params(MISSING),
        Refused::Missing => ErrorData::resource_not_found(MISSING, None),
        Refused::Full(_) | Refused::TooOften(_) | Refused::Busy => {
            ErrorData::internal_error("too much at once; try again", None)
        }
        Refused::Unavailable => {
            ErrorData::internal_error("the files cannot be read; the operator is told", None)
        }
    }
}
