//! Zstandard ([RFC 8878](https://www.rfc-editor.org/rfc/rfc8878)): the bytes of all frames of a file, one after the
//! other.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read};

/// The largest window that is believed: what `zstd --long` writes, and what `zstd -d` takes.
const WINDOW: u64 = 1 << 27;

/// Unpacks frame after frame, passes over those that are to be skipped, and holds each against its checksum.
pub(crate) struct Unpacked<R> {
    source: BufReader<R>,
    frame: FrameDecoder,
    /// Whether a frame was begun and not yet read to its end.
    inside: bool,
}

impl<R: Read> Unpacked<R> {
    /// Unpacks what is read from `source`.
    pub(crate) fn new(source: R) -> Self {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(WINDOW);
        Self { source: BufReader::new(source), frame, inside: false }
    }

    /// Reads on in a frame, 0 bytes at its end.
    fn within(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.frame.can_collect() == 0 && !self.frame.is_finished() {
            let blocks = BlockDecodingStrategy::UptoBlocks(1);
            self.frame.decode_blocks(&mut self.source, blocks).map_err(damaged)?;
        }
        let read = self.frame.read(out)?;
        let stored = self.frame.get_checksum_from_data();
        if read == 0 && stored.is_some() && stored != self.frame.get_calculated_checksum() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum is another"));
        }
        Ok(read)
    }

    /// Begins the next frame that has bytes, if there is one.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.frame.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut self.source.by_ref().take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(damaged(error)),
            }
        }
        Ok(false)
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while !out.is_empty() && (self.inside || self.begin()?) {
            let read = self.within(out)?;
            self.inside = read > 0;
            if read > 0 {
                return Ok(read);
            }
        }
        Ok(0)
    }
}

/// What went wrong: a window or a dictionary that is not had here, reading itself (an end that came too early
/// included), or else that these bytes are not of this format.
fn damaged(error: FrameDecoderError) -> io::Error {
    if matches!(error, FrameDecoderError::WindowSizeTooBig { .. } | FrameDecoderError::DictNotProvided { .. }) {
        let why = "it is packed with a window of more than 128 MB or with a dictionary; unpack it first (zstd -d)";
        return io::Error::new(io::ErrorKind::Unsupported, why);
    }
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return error.kind().into();
        }
        cause = error.source();
    }
    io::Error::new(io::ErrorKind::InvalidData, error)
}
