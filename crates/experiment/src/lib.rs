//! Reading of a run: its raw output, the timing lines in it, and whether they make a valid measurement.
//!
//! In the order in which a run goes through them: [`capture`] keeps both streams of a process byte for byte, [`timing`]
//! reads one line, [`phases`] puts the lines of a run together and finds everything that makes it invalid ([`fault`]),
//! [`overlap`] tells how far two jobs ran side by side, [`report`] and [`table`] show the result.
//!
//! The rule behind it: a figure is shown only where nothing was lost, torn, doubled or left over. There is no partial
//! measurement, only a [`phases::Measurement`] or the list of its faults.
//!
//! Left out: printing timing lines (`cuzk-contract`), starting processes (`cuzk-os`), comparing runs. This crate is for the
//! tools; a program that is measured does not contain it, nor the table of phases that it refers to.
#![forbid(unsafe_code)]

pub mod capture;
pub mod fault;
pub mod overlap;
pub mod phases;
pub mod report;
pub mod span;
pub mod table;
pub mod timing;

pub use capture::{ByteLimit, Capture, Captured, Waited};
pub use fault::Fault;
pub use overlap::Overlap;
pub use phases::{Expectation, InvalidMeasurement, Measurement, measure};
pub use report::MeasurementReport;
pub use span::Span;
