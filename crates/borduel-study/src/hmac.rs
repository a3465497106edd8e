//! HMAC-SHA256 (RFC 2104): a hash that nobody can make or guess without the key.

use crate::hex::Hash;
use sha2::{Digest, Sha256};

/// The block of SHA-256, in bytes.
const BLOCK: usize = 64;

/// H((K ⊕ opad) ‖ H((K ⊕ ipad) ‖ message)), the parts of the message one after the other.
pub fn hmac(key: &[u8], message: &[&[u8]]) -> Hash {
    let mut block = [0_u8; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let mut inner = Sha256::new_with_prefix(block.map(|byte| byte ^ 0x36));
    message.iter().for_each(|part| inner.update(part));
    Sha256::new_with_prefix(block.map(|byte| byte ^ 0x5c)).chain_update(inner.finalize()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_that_of_rfc_4231() {
        let hash = |key: &[u8], message: &[&[u8]]| crate::hex::text(&hmac(key, message));
        let first = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
        assert_eq!(hash(&[0x0b; 20], &[b"Hi ", b"There"]), first);
        let second = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(hash(b"Jefe", &[b"what do ya want for nothing?"]), second);
        let long = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
        assert_eq!(hash(&[0xaa; 131], &[b"Test Using Larger Than Block-Size Key - Hash Key First"]), long);
    }
}
