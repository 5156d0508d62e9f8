//! The reactor configuration with its defaults filled in and its ranges checked.

use crate::abi::config::*;
use crate::error::{Error, Result};

/// A valid configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) backend: u32,
    pub(crate) any_thread: bool,
    pub(crate) submission_capacity: u32,
    pub(crate) completion_capacity: u32,
    pub(crate) ring_entries: u32,
    pub(crate) lent_capacity: u32,
    pub(crate) disabled_ring_features: u64,
}

const RING_FEATURES: u64 = FERRONET_RING_BUFFER_RING
    | FERRONET_RING_MULTISHOT_ACCEPT
    | FERRONET_RING_MULTISHOT_RECV
    | FERRONET_RING_DEFER_TASKRUN
    | FERRONET_RING_INCREMENTAL;

impl Settings {
    pub(crate) fn from_config(config: &ferronet_reactor_config) -> Result<Self> {
        if config.backend > FERRONET_BACKEND_POLL {
            return Err(Error::invalid(format!(
                "reactor configuration: backend {} is unknown; use 0 (AUTO), 1 (IO_URING) or 2 (POLL)",
                config.backend
            )));
        }
        if config.flags & !FERRONET_REACTOR_ANY_THREAD != 0 {
            return Err(Error::invalid(format!(
                "reactor configuration: flags {:#x} hold unknown bits; only FERRONET_REACTOR_ANY_THREAD (1) is defined",
                config.flags
            )));
        }
        if config.reserved != 0 {
            return Err(Error::invalid(format!(
                "reactor configuration: reserved is {}; it must be 0",
                config.reserved
            )));
        }
        if config.disabled_ring_features & !RING_FEATURES != 0 {
            return Err(Error::invalid(format!(
                "reactor configuration: disabled_ring_features {:#x} hold unknown bits; use FERRONET_RING_* bits ({RING_FEATURES:#x})",
                config.disabled_ring_features
            )));
        }
        Ok(Self {
            backend: config.backend,
            any_thread: config.flags & FERRONET_REACTOR_ANY_THREAD != 0,
            submission_capacity: size("submission_capacity", config.submission_capacity, 1024, 16, 65_536)?,
            completion_capacity: size("completion_capacity", config.completion_capacity, 1024, 16, 65_536)?,
            ring_entries: size("ring_entries", config.ring_entries, 256, 8, 32_768)?,
            lent_capacity: size("lent_capacity", config.lent_capacity, 256, 1, 32_768)?,
            disabled_ring_features: config.disabled_ring_features,
        })
    }
}

fn size(field: &str, value: u32, default: u32, least: u32, most: u32) -> Result<u32> {
    if value == 0 {
        return Ok(default);
    }
    if !value.is_power_of_two() || value < least || value > most {
        return Err(Error::invalid(format!(
            "reactor configuration: {field} is {value}; it must be a power of two from {least} to {most}, or 0 for the default of {default}"
        )));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::status::FERRONET_ERR_INVALID_ARGUMENT;

    #[test]
    fn zero_means_the_defaults() {
        let settings = Settings::from_config(&ferronet_reactor_config::default()).unwrap();
        assert_eq!(settings.submission_capacity, 1024);
        assert_eq!(settings.completion_capacity, 1024);
        assert_eq!(settings.ring_entries, 256);
        assert_eq!(settings.lent_capacity, 256);
        assert!(!settings.any_thread);
    }

    #[test]
    fn names_the_field_the_value_and_the_rule() {
        let cases = [
            (ferronet_reactor_config { backend: 3, ..Default::default() }, "backend 3"),
            (ferronet_reactor_config { flags: 4, ..Default::default() }, "flags 0x4"),
            (ferronet_reactor_config { submission_capacity: 17, ..Default::default() }, "submission_capacity is 17"),
            (ferronet_reactor_config { completion_capacity: 131_072, ..Default::default() }, "from 16 to 65536"),
            (ferronet_reactor_config { ring_entries: 4, ..Default::default() }, "ring_entries is 4"),
            (ferronet_reactor_config { lent_capacity: 65_536, ..Default::default() }, "lent_capacity is 65536"),
            (ferronet_reactor_config { reserved: 1, ..Default::default() }, "reserved is 1"),
            (
                ferronet_reactor_config { disabled_ring_features: 1 << 40, ..Default::default() },
                "disabled_ring_features",
            ),
        ];
        for (config, words) in cases {
            let error = Settings::from_config(&config).unwrap_err();
            assert_eq!(error.status, FERRONET_ERR_INVALID_ARGUMENT);
            assert!(error.text.contains(words), "{}", error.text);
        }
    }
}
