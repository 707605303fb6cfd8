//! Order, room and closing of the queue.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::*;
use crate::job::{Priority, Sequence};
use cuzk_groth16::contract::PartitionIndex;

fn rank(priority: Priority, sequence: u64, partition: u32) -> Rank {
    Rank::new(priority, Sequence(sequence), PartitionIndex(partition))
}

#[test]
fn priority_comes_first_then_age_then_partition() {
    let queue = RankedQueue::with_capacity(8);
    queue.push(rank(Priority::Normal, 1, 1), "normal, second partition");
    queue.push(rank(Priority::Normal, 1, 0), "normal, first partition");
    queue.push(rank(Priority::Low, 0, 0), "low");
    queue.push(rank(Priority::Critical, 3, 0), "critical");
    queue.push(rank(Priority::High, 2, 0), "high");
    assert_eq!(queue.ahead_of(rank(Priority::Normal, 9, 0)), 4);
    let order: Vec<_> = (0..5).map(|_| queue.pop().unwrap()).collect();
    assert_eq!(
        order,
        [
            "critical",
            "high",
            "normal, first partition",
            "normal, second partition",
            "low"
        ]
    );
}

#[test]
fn room_appears_when_an_item_is_taken() {
    let queue = Arc::new(RankedQueue::with_capacity(1));
    queue.push(rank(Priority::Normal, 0, 0), ());
    let pusher = thread::spawn({
        let queue = queue.clone();
        move || queue.wait_for_room()
    });
    thread::sleep(Duration::from_millis(20));
    assert!(!pusher.is_finished(), "the queue is full");
    queue.pop();
    assert!(pusher.join().unwrap());
}

#[test]
fn closing_releases_a_waiting_consumer_and_drops_the_items() {
    let item = Arc::new(());
    let queue = Arc::new(RankedQueue::with_capacity(1));
    let consumer = thread::spawn({
        let queue = queue.clone();
        move || {
            let first = queue.pop().is_some();
            (first, queue.pop().is_some())
        }
    });
    queue.push(rank(Priority::Normal, 0, 0), item.clone());
    while Arc::strong_count(&item) > 1 {
        thread::yield_now(); // Until the consumer has taken it.
    }
    queue.close();
    assert_eq!(consumer.join().unwrap(), (true, false));
    queue.push(rank(Priority::Normal, 1, 0), item.clone());
    assert_eq!(Arc::strong_count(&item), 1, "a closed queue keeps nothing");
    assert!(!queue.wait_for_room());
}

#[test]
fn only_chosen_items_are_removed() {
    let queue = RankedQueue::with_capacity(4);
    for sequence in 0..4 {
        queue.push(rank(Priority::Normal, sequence, 0), sequence);
    }
    assert_eq!(queue.remove(|sequence| sequence % 2 == 1), [1, 3]);
    assert_eq!((queue.pop(), queue.pop()), (Some(0), Some(2)));
}
