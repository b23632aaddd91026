//! A connection that a program asks for, as policy reads it.

use crate::policy::Connection;
use crate::policy::engine::Document;

pub(super) fn connection(connection: &Connection<'_>) -> Document {
    let Connection { number, host, port, way, obliged } = *connection;
    Document::object([
        ("number", number.into()),
        ("target", format!("{host}:{port}").as_str().into()),
        ("host", host.into()),
        ("port", u32::from(port).into()),
        ("way", way.into()),
        ("tls", (way == "tunnel").into()),
        ("obliged", Document::texts(obliged)),
    ])
}
