//! Text goes out packed to whoever can unpack it: pages are a tenth of their size then.

use axum::body::{Body, HttpBody, to_bytes};
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// What has fewer bytes is sent as it is, and what has more: it would take longer to pack than to send.
const SIZES: std::ops::RangeInclusive<u64> = 1_400..=8 * 1024 * 1024;

/// Whether whoever asks can unpack.
pub(crate) fn unpacks(headers: &HeaderMap) -> bool {
    let named = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    named.split(',').any(|one| {
        let mut parts = one.split(';').map(str::trim);
        parts.next() == Some("gzip") && !parts.any(|part| matches!(part, "q=0" | "q=0.0"))
    })
}

/// The response, packed where that is worth it: text that is there whole. Streams stay as they are.
pub(crate) async fn packed(response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let text = ["text/html", "text/css", "text/javascript", "application/json", "image/svg+xml"];
    let size = response.body().size_hint().exact();
    let worth = text.iter().any(|text| kind.starts_with(text)) && size.is_some_and(|size| SIZES.contains(&size));
    if !worth || response.headers().contains_key(CONTENT_ENCODING) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // It is in memory: nothing can go wrong on the way.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else { return Response::from_parts(parts, Body::empty()) };
    let mut packer = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::new(4));
    let Ok(packed) = packer.write_all(&bytes).and_then(|()| packer.finish()) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    Response::from_parts(parts, Body::from(packed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use std::io::Read;

    #[tokio::test]
    async fn text_is_packed_and_comes_out_as_it_was() {
        let text = "this one or that one? ".repeat(1_000);
        let packed = packed(([(CONTENT_TYPE, "text/html; charset=utf-8")], text.clone()).into_response()).await;
        assert_eq!(packed.headers()[CONTENT_ENCODING], "gzip");
        let bytes = to_bytes(packed.into_body(), usize::MAX).await.unwrap();
        assert!(bytes.len() < text.len() / 50, "{}", bytes.len());
        let mut out = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut out).unwrap();
        assert_eq!(out, text);
    }

    #[tokio::test]
    async fn what_is_small_or_no_text_or_on_its_way_stays_as_it_is() {
        let html = [(CONTENT_TYPE, "text/html")];
        let stream = Body::from_stream(futures_util::stream::iter([Ok::<_, std::io::Error>("x".repeat(9_000))]));
        for response in [
            (html.clone(), "short").into_response(),
            ([(CONTENT_TYPE, "image/png")], vec![0_u8; 9_000]).into_response(),
            (html, stream).into_response(),
        ] {
            assert!(!packed(response).await.headers().contains_key(CONTENT_ENCODING));
        }
    }

    #[test]
    fn only_whoever_says_so_unpacks() {
        let says = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, text.parse().unwrap());
            unpacks(&headers)
        };
        assert!(says("gzip, deflate, br") && says("br;q=1, gzip;q=0.5"));
        assert!(!says("br") && !says("gzip;q=0, br") && !says("") && !unpacks(&HeaderMap::new()));
    }
}
