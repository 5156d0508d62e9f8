//! Broken behaviour on purpose, in hook builds only: what a test suite must notice.
//!
//! The faults work on the records between caller and backend, so that both backends break alike. Those that name an
//! operation take its `FERRONET_OP_*` number as argument; 0 is every operation.
//!
//! | fault | effect |
//! | --- | --- |
//! | `short-send` | a send leaves its last byte out, and completes with the shorter count |
//! | `cancel-lost` | a CANCEL finds nothing |
//! | `op-ignored` | the operation (argument) completes with 0 and does nothing |
//! | `lose-last-byte` | a receive of two bytes or more tells one less |
//! | `no-eof` | the end of the stream is not told |
//! | `lost-completion` | the final completion (argument: operation) is not delivered |
//! | `double-completion` | the final completion (argument: operation) is delivered twice |
//! | `status-collapsed` | every failure is EPERM |
//! | `wrong-user-data` | a completion carries another `user_data` |
//! | `wrong-socket` | a completion carries another socket |
//! | `wrong-buffer` | a completion names another lent buffer |
//! | `no-wait` | a turn does not wait |
//! | `foreign-thread` | calls from a foreign thread are let through |
//!
//! Beside these, `no-wake` (waker), `wrong-address` (addresses), `option-ignored` (options) and `accept` (an errno; the
//! backends) are where their names say.

use std::collections::HashMap;

use super::completions::Completions;
use crate::abi::record::*;
use crate::fault;

/// The operations in flight, as far as their completions may be spoilt.
#[derive(Default)]
pub(super) struct Broken {
    operations: HashMap<(u32, u64), u8>,
}

/// The fault's use, if it is armed for this operation or for all.
fn strikes(name: &str, op: u8) -> bool {
    match fault::peek(name) {
        Some(argument) if argument == 0 || argument == i64::from(op) => fault::take(name).is_some(),
        _ => false,
    }
}

impl Broken {
    /// Spoils what is submitted.
    pub(super) fn records(&mut self, records: &mut [ferronet_submission]) {
        for record in records {
            self.operations.insert((record.socket, record.user_data), record.op);
            match record.op {
                FERRONET_OP_SEND if record.len0 + record.len1 > 1 && fault::take("short-send").is_some() => {
                    let last = if record.len1 > 0 { &mut record.len1 } else { &mut record.len0 };
                    *last -= 1;
                }
                FERRONET_OP_SEND_GATHER if record.len0 > 1 && fault::take("short-send").is_some() => record.len0 -= 1,
                FERRONET_OP_CANCEL if fault::take("cancel-lost").is_some() => cancel_nothing(record),
                FERRONET_OP_CONNECT | FERRONET_OP_SHUTDOWN | FERRONET_OP_CLOSE if strikes("op-ignored", record.op) => {
                    cancel_nothing(record);
                }
                _ => {}
            }
        }
    }

    /// Spoils what is delivered.
    pub(super) fn completions(&mut self, completions: &mut Completions) {
        completions.rewrite(|completion| self.completion(completion));
    }

    fn completion(&mut self, mut completion: ferronet_completion) -> [Option<ferronet_completion>; 2] {
        let key = (completion.socket, completion.user_data);
        let is_final = completion.flags & FERRONET_COMPLETE_MORE == 0;
        let op = if is_final { self.operations.remove(&key) } else { self.operations.get(&key).copied() };
        let op = op.unwrap_or(0);
        if op == FERRONET_OP_RECV {
            if completion.result > 1 && fault::take("lose-last-byte").is_some() {
                completion.result -= 1;
            }
            if completion.result == 0 && fault::take("no-eof").is_some() {
                return [None, None];
            }
        }
        if completion.result < 0 && fault::take("status-collapsed").is_some() {
            completion.result = -libc::EPERM;
        }
        if completion.flags & FERRONET_COMPLETE_BUFFER != 0 && fault::take("wrong-buffer").is_some() {
            completion.buffer ^= 1;
        }
        if fault::take("wrong-user-data").is_some() {
            completion.user_data ^= 1;
        }
        if fault::take("wrong-socket").is_some() {
            completion.socket ^= 1;
        }
        if is_final && strikes("lost-completion", op) {
            return [None, None];
        }
        let again = is_final && strikes("double-completion", op);
        [Some(completion), again.then_some(completion)]
    }
}

/// Turns a record into one that completes with 0 and does nothing.
fn cancel_nothing(record: &mut ferronet_submission) {
    *record = ferronet_submission {
        op: FERRONET_OP_CANCEL,
        socket: record.socket,
        user_data: record.user_data,
        arg0: u64::MAX,
        ..Default::default()
    };
}
