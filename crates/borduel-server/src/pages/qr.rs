//! A link as a QR code, drawn as one path.

use maud::{Markup, html};
use qrcodegen::{QrCode, QrCodeEcc};
use std::fmt::Write;

/// The code; nothing for a link that no code can hold.
pub(super) fn qr(link: &str) -> Markup {
    let Ok(code) = QrCode::encode_text(link, QrCodeEcc::Medium) else { return html! {} };
    let mut path = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|&x| code.get_module(x, y)) {
            // Writing to a string cannot fail.
            let _ = write!(path, "M{x} {y}h1v1h-1z");
        }
    }
    // Readers want four modules of quiet around it, and dark on light whatever the screen.
    let side = code.size() + 8;
    html! {
        svg.qr viewBox=(format!("-4 -4 {side} {side}")) width="200" height="200" role="img"
            aria-label=(format!("QR code of {link}")) shape-rendering="crispEdges" {
            rect x="-4" y="-4" width=(side) height=(side) fill="#fff" {}
            path d=(path) fill="#000" {}
        }
    }
}
