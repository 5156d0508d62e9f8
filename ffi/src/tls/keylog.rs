//! The key log, and the secrets that exporter and key updates need, which come the same way.

use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use zeroize::Zeroize;

use super::config::Side;
use super::exporter::{EXPORTER_SECRET, MASTER_SECRET};
use super::hooks::KeyLog;
use super::{negotiation, schedule};
use crate::error::{Error, Result};

/// What rustls tells secrets to.
pub(super) struct SecretLog {
    file: Option<Mutex<File>>,
    hook: Option<Arc<dyn KeyLog>>,
}

impl fmt::Debug for SecretLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretLog").finish_non_exhaustive()
    }
}

impl SecretLog {
    /// A log to a file that only its owner can read, to a hook, to both or to neither.
    pub(super) fn new(path: Option<&Path>, hook: Option<Arc<dyn KeyLog>>) -> Result<Self> {
        let open = |path: &Path| {
            let mut options = OpenOptions::new();
            options.append(true).create(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options.open(path).map_err(|error| Error::os(&error, format!("opening the key log {}", path.display())))
        };
        Ok(Self { file: path.map(open).transpose()?.map(Mutex::new), hook })
    }

    fn is_read(&self) -> bool {
        self.file.is_some() || self.hook.is_some()
    }
}

impl rustls::KeyLog for SecretLog {
    fn will_log(&self, label: &str) -> bool {
        self.is_read() || label == EXPORTER_SECRET || label == MASTER_SECRET || schedule::is_needed(label)
    }

    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let user = negotiation::with(|own| {
            if label == EXPORTER_SECRET || label == MASTER_SECRET {
                own.secrets.set_secret(client_random, secret);
            } else if own.side == Side::Server && schedule::is_of_data(label) {
                own.schedule.get_or_insert_default().set(label, secret);
            }
            if schedule::is_writing(label, own.side) {
                own.writing.get_or_insert_default().set(secret);
            }
            own.user
        });
        if !self.is_read() {
            return;
        }
        let mut line = String::with_capacity(label.len() + 2 * (client_random.len() + secret.len()) + 3);
        line.push_str(label);
        for bytes in [client_random, secret] {
            line.push(' ');
            for byte in bytes {
                // Writing to a string does not fail.
                let _ = write!(line, "{byte:02x}");
            }
        }
        if let Some(hook) = &self.hook {
            hook.line(user.unwrap_or_default(), &line);
        }
        if let Some(file) = &self.file {
            line.push('\n');
            // A log that cannot be written is no reason to end a connection.
            let _ = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        }
        line.zeroize();
    }
}
