//! Pictures of items: known by their first bytes, of a bounded size, and without what a camera wrote into them.

use bytes::Bytes;
use imagesize::ImageType;
use img_parts::ImageEXIF;
use img_parts::jpeg::{Jpeg, JpegSegment, markers};
use img_parts::png::Png;
use img_parts::webp::WebP;

/// The most bytes of a picture.
pub const BYTES: usize = 5 * 1024 * 1024;
/// The most pixels of a picture.
const PIXELS: usize = 40_000_000;

/// The media type of these bytes, if they are a picture of a kind that is shown.
pub fn media(bytes: &[u8]) -> Option<&'static str> {
    match imagesize::image_type(bytes).ok()? {
        ImageType::Png => Some("image/png"),
        ImageType::Jpeg => Some("image/jpeg"),
        ImageType::Webp => Some("image/webp"),
        _ => None,
    }
}

/// The picture without places, times and names that a camera or a program wrote into it; only which side is up is kept.
///
/// # Errors
/// Whatever is no PNG, JPEG or WebP, too large, or broken.
pub fn clean(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    if bytes.len() > BYTES {
        return Err(format!("the picture has {} bytes: at most {BYTES} are taken", bytes.len()));
    }
    let kind = media(&bytes).ok_or("the file is no PNG, JPEG or WebP picture")?;
    let size =
        imagesize::blob_size(&bytes).map_err(|error| format!("the size of the picture cannot be read: {error}"))?;
    if size.width == 0 || size.height == 0 || size.width.saturating_mul(size.height) > PIXELS {
        return Err(format!("the picture has {} × {} pixels: 1 to {PIXELS} are taken", size.width, size.height));
    }
    let broken = |error: img_parts::Error| format!("the picture is broken: {error}");
    let bytes = Bytes::from(bytes);
    let cleaned = match kind {
        "image/png" => {
            let mut png = Png::from_bytes(bytes).map_err(broken)?;
            // Everything that is not needed to draw it.
            let drawn = |kind: [u8; 4]| {
                kind[0].is_ascii_uppercase() || [*b"tRNS", *b"gAMA", *b"sRGB", *b"iCCP"].contains(&kind)
            };
            png.chunks_mut().retain(|chunk| drawn(chunk.kind()));
            png.encoder().bytes()
        }
        "image/jpeg" => {
            let mut jpeg = Jpeg::from_bytes(bytes).map_err(broken)?;
            let up = jpeg.exif().and_then(|exif| orientation(&exif));
            // Of APP0 to APP15 and comments, only what colours and sizes need: JFIF, the colour profile, and Adobe's
            // transform.
            jpeg.segments_mut().retain(|segment| match segment.marker() {
                markers::APP0 | markers::APP14 => true,
                markers::APP2 => segment.contents().starts_with(b"ICC_PROFILE\0"),
                markers::COM => false,
                marker => !(markers::APP0..=markers::APP15).contains(&marker),
            });
            if let Some(up) = up.filter(|&up| up != 1) {
                let mut exif = b"Exif\0\0".to_vec();
                exif.extend(only_orientation(up));
                let place = jpeg.segments().iter().position(|segment| segment.marker() != markers::APP0).unwrap_or(0);
                jpeg.segments_mut().insert(place, JpegSegment::new_with_contents(markers::APP1, exif.into()));
            }
            let bytes = jpeg.encoder().bytes();
            bytes.slice(..end_of_jpeg(&bytes))
        }
        _ => {
            let mut webp = WebP::from_bytes(bytes).map_err(broken)?;
            webp.set_exif(None);
            webp.remove_chunks_by_id(*b"XMP ");
            webp.encoder().bytes()
        }
    };
    Ok(cleaned.to_vec())
}

/// Where a JPEG ends: phones put further pictures, with places and times of their own, after that.
fn end_of_jpeg(bytes: &[u8]) -> usize {
    let mut at = 2;
    while let Some(&[first, marker]) = bytes.get(at..at + 2).and_then(|pair| <&[u8; 2]>::try_from(pair).ok()) {
        at += match (first, marker) {
            (0xff, 0xd9) => return at + 2,
            // Stuffing, restarts, and markers without a length.
            (0xff, 0x00 | 0x01 | 0xd0..=0xd8) => 2,
            (0xff, 0xff) => 1,
            (0xff, _) => {
                let length = bytes.get(at + 2..at + 4).map_or(2, |two| usize::from(two[0]) << 8 | usize::from(two[1]));
                2 + length.max(2)
            }
            _ => 1,
        };
    }
    bytes.len()
}

/// The orientation (1 to 8) of an EXIF block: tag 0x0112 of its first directory.
fn orientation(exif: &[u8]) -> Option<u16> {
    let big = match exif.get(..4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let two = |at: usize| -> Option<u16> {
        let bytes: [u8; 2] = exif.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    };
    let start: [u8; 4] = exif.get(4..8)?.try_into().ok()?;
    let start = if big { u32::from_be_bytes(start) } else { u32::from_le_bytes(start) } as usize;
    let entry = |number: u16| start.checked_add(2 + 12 * usize::from(number));
    let found = (0..two(start)?).filter_map(entry).find(|&at| two(at) == Some(0x0112))?;
    two(found.checked_add(8)?).filter(|up| (1..=8).contains(up))
}

/// An EXIF block that says nothing but which side is up.
fn only_orientation(up: u16) -> Vec<u8> {
    let mut exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01".to_vec();
    exif.extend(up.to_be_bytes());
    exif.extend([0; 6]);
    exif
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grey pixel as the smallest JPEG, with these segments after its start.
    fn jpeg(segments: &[&[u8]]) -> Vec<u8> {
        let mut bytes = b"\xff\xd8".to_vec();
        segments.iter().for_each(|segment| bytes.extend(*segment));
        bytes.extend(
            b"\xff\xc0\0\x0b\x08\0\x01\0\x01\x01\x01\x11\0\xff\xda\0\x08\x01\x01\0\0\x3f\0\xd2\xcf\x20\xff\xd9",
        );
        bytes
    }

    fn segment(marker: u8, contents: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0xff, marker];
        bytes.extend((contents.len() as u16 + 2).to_be_bytes());
        bytes.extend(contents);
        bytes
    }

    #[test]
    fn what_a_camera_wrote_is_cut_out_and_up_stays_up() {
        let mut exif = b"Exif\0\0".to_vec();
        exif.extend(
            b"II*\0\x08\0\0\0\x02\0\x0f\x01\x02\0\x04\0\0\0Cam\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0 at \
            48.2 N 16.4 E",
        );
        let mut secret =
            jpeg(&[&segment(0xe1, &exif), &segment(0xfe, b"taken by me"), &segment(0xed, b"Photoshop 3.0")]);
        secret.extend(b"\xff\xd8 a second picture");
        let cleaned = clean(secret.clone()).unwrap();
        let has = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
        for text in [&b"48.2"[..], b"taken", b"Photoshop", b"Cam", b"second"] {
            assert!(has(&secret, text) && !has(&cleaned, text), "{}", String::from_utf8_lossy(text));
        }
        let kept = Jpeg::from_bytes(cleaned.clone().into()).unwrap().exif().unwrap();
        assert_eq!(orientation(&kept), Some(6));
        assert_eq!(media(&cleaned), Some("image/jpeg"));
        assert_eq!(clean(cleaned.clone()).unwrap(), cleaned, "once clean, clean for good");
    }

    #[test]
    fn only_pictures_are_taken() {
        let huge = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\0\0\0\x01\0\0\x08\0\0\0\0\0\0\0\0".to_vec();
        for bad in [
            Vec::new(),
            b"<svg onload=alert(1)>".to_vec(),
            b"GIF89a".to_vec(),
            b"{\"title\":\"x\"}".to_vec(),
            huge,
            vec![0; BYTES + 1],
        ] {
            assert!(clean(bad).is_err());
        }
        for cut in 0..60 {
            // A picture that ends early is refused or taken, and never a panic.
            let whole = jpeg(&[&segment(0xe1, b"Exif\0\0MM\0*\0\0\0\x08\xff\xff")]);
            let _ = clean(whole[..whole.len().min(cut)].to_vec());
        }
    }

    #[test]
    fn no_bytes_make_cleaning_panic() {
        let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let kinds = [
            jpeg(&[&segment(0xe1, exif), &segment(0xfe, b"a comment")]),
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x02\x08\x02\0\0\0\xfd\xd4\x9as\0\0\0\0IEND\xaeB`\x82"
                .to_vec(),
            b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0".to_vec(),
            b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x01D\0;"
                .to_vec(),
        ];
        let mut chance = borduel_rank::stream::stream(1, &[11]);
        for round in 0..20_000 {
            let mut bytes = kinds[round % kinds.len()].clone();
            for _ in 0..=chance.below(4) {
                let at = chance.below(bytes.len());
                match chance.below(3) {
                    0 => bytes[at] = chance.below(256) as u8,
                    1 => bytes.truncate(at.max(1)),
                    _ => bytes.insert(at, chance.below(256) as u8),
                }
            }
            // Refused or taken; and what was taken is taken again as it is.
            if let Ok(cleaned) = clean(bytes) {
                assert_eq!(clean(cleaned.clone()).unwrap(), cleaned);
            }
        }
    }
}
