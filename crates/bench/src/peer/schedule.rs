//! Which side goes first: ABBA or BAAB, by chance.
//!
//! Within a pair the second process may find a warmer machine; whoever was first is second next time. A coin for every two
//! pairs keeps the order from beating in time with anything else that the machine does.

use rand_core::RngCore;

use crate::peer::Side;

/// The side that goes first, pair by pair. Of two pairs in a row each side is first in one; a last odd pair is up to chance.
pub fn order(pairs: usize, coin: &mut impl RngCore) -> Vec<Side> {
    let blocks = std::iter::repeat_with(|| {
        if coin.next_u32() & 1 == 0 {
            [Side::Ours, Side::Peer]
        } else {
            [Side::Peer, Side::Ours]
        }
    });
    blocks.flatten().take(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::impls;

    /// Says the bits of a number, the lowest one first, over and over.
    struct Bits(u32);

    impl RngCore for Bits {
        fn next_u32(&mut self) -> u32 {
            let bit = self.0 & 1;
            self.0 = self.0.rotate_right(1);
            bit
        }
        fn next_u64(&mut self) -> u64 {
            impls::next_u64_via_u32(self)
        }
        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            impls::fill_bytes_via_next(self, bytes);
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core::Error> {
            self.fill_bytes(bytes);
            Ok(())
        }
    }

    #[test]
    fn a_block_of_two_pairs_is_abba_or_baab_as_the_coin_says() {
        use Side::{Ours, Peer};
        assert_eq!(order(4, &mut Bits(0b10)), [Ours, Peer, Peer, Ours]);
        assert_eq!(order(3, &mut Bits(0b01)), [Peer, Ours, Ours]);
        assert_eq!(order(0, &mut Bits(0)), []);
    }

    #[test]
    fn each_side_goes_first_in_half_of_the_pairs() {
        let order = order(1000, &mut rand_core::OsRng);
        assert_eq!(order.iter().filter(|side| **side == Side::Ours).count(), 500);
    }
}
