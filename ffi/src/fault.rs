//! Named faults that tests inject: process-wide, compiled only with the feature `test-hooks`.
//!
//! A fault point asks `fault::take("name")`. Without the feature the answer is a constant `None`, so that the point
//! costs nothing and is compiled away. In hook builds `FERRONET_FAULT=name[:argument[:count]][,name...]` arms faults at
//! the first question; the argument defaults to 0, and the count to -1 (for ever).

#[cfg(feature = "test-hooks")]
pub use registry::{arm, disarm_all, environment_error, peek, take};

/// The argument of the fault if it is armed, and one use less of it. Without `test-hooks`: always `None`.
#[cfg(not(feature = "test-hooks"))]
#[inline(always)]
pub const fn take(_name: &str) -> Option<i64> {
    None
}

/// The argument of the fault if it is armed, without using it up. Without `test-hooks`: always `None`.
#[cfg(not(feature = "test-hooks"))]
#[inline(always)]
pub const fn peek(_name: &str) -> Option<i64> {
    None
}

/// The value, or its default when the fault is armed.
#[inline(always)]
pub fn lost<T: Default>(name: &str, value: T) -> T {
    if take(name).is_some() { T::default() } else { value }
}

#[cfg(feature = "test-hooks")]
mod registry {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

    struct Fault {
        name: String,
        argument: i64,
        /// Uses left; -1 is for ever.
        count: i64,
    }

    struct Registry {
        faults: Mutex<Vec<Fault>>,
        /// Faults in the list, so that a question costs one load while none is armed.
        armed: AtomicUsize,
        environment_error: Option<String>,
    }

    impl Registry {
        fn lock(&self) -> MutexGuard<'_, Vec<Fault>> {
            self.faults.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }

    fn registry() -> &'static Registry {
        static REGISTRY: OnceLock<Registry> = OnceLock::new();
        REGISTRY.get_or_init(|| {
            let text = std::env::var("FERRONET_FAULT").unwrap_or_default();
            let (faults, environment_error) = match parse(&text) {
                Ok(faults) => (faults, None),
                Err(error) => (Vec::new(), Some(error)),
            };
            Registry { armed: AtomicUsize::new(faults.len()), faults: Mutex::new(faults), environment_error }
        })
    }

    fn parse(text: &str) -> Result<Vec<Fault>, String> {
        text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(parse_entry).collect()
    }

    fn parse_entry(entry: &str) -> Result<Fault, String> {
        let mut parts = entry.split(':');
        let name = parts.next().unwrap_or_default();
        let mut number = |default: i64| parts.next().map_or(Ok(default), str::parse::<i64>);
        match (number(0), number(-1)) {
            (Ok(argument), Ok(count)) if !name.is_empty() && parts.next().is_none() => {
                Ok(Fault { name: name.to_owned(), argument, count })
            }
            _ => Err(format!(
                "FERRONET_FAULT holds \"{entry}\"; an entry is name[:argument[:count]] with decimal numbers"
            )),
        }
    }

    /// What is wrong with `FERRONET_FAULT`; then none of its faults is armed.
    pub fn environment_error() -> Option<&'static str> {
        registry().environment_error.as_deref()
    }

    /// Arms a fault for `count` uses (-1: for ever), in place of what was armed under that name; 0 disarms it.
    pub fn arm(name: &str, argument: i64, count: i64) {
        let registry = registry();
        let mut faults = registry.lock();
        faults.retain(|fault| fault.name != name);
        if count != 0 {
            faults.push(Fault { name: name.to_owned(), argument, count });
        }
        registry.armed.store(faults.len(), Ordering::Release);
    }

    /// Disarms every fault.
    pub fn disarm_all() {
        let registry = registry();
        let mut faults = registry.lock();
        faults.clear();
        registry.armed.store(0, Ordering::Release);
    }

    /// The argument of the fault if it is armed, and one use less of it.
    pub fn take(name: &str) -> Option<i64> {
        let registry = registry();
        if registry.armed.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut faults = registry.lock();
        let index = faults.iter().position(|fault| fault.name == name)?;
        let fault = &mut faults[index];
        let argument = fault.argument;
        if fault.count > 0 {
            fault.count -= 1;
            if fault.count == 0 {
                faults.swap_remove(index);
                registry.armed.store(faults.len(), Ordering::Release);
            }
        }
        Some(argument)
    }

    /// The argument of the fault if it is armed, without using it up.
    pub fn peek(name: &str) -> Option<i64> {
        let registry = registry();
        if registry.armed.load(Ordering::Acquire) == 0 {
            return None;
        }
        registry.lock().iter().find(|fault| fault.name == name).map(|fault| fault.argument)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_fault_is_taken_as_often_as_it_was_armed() {
            arm("unit-twice", 7, 2);
            assert_eq!(peek("unit-twice"), Some(7));
            assert_eq!([take("unit-twice"), take("unit-twice"), take("unit-twice")], [Some(7), Some(7), None]);
        }

        #[test]
        fn a_fault_armed_for_ever_stays_until_it_is_disarmed() {
            arm("unit-ever", 1, -1);
            assert!((0..100).all(|_| take("unit-ever") == Some(1)));
            arm("unit-ever", 0, 0);
            assert_eq!(take("unit-ever"), None);
        }

        #[test]
        fn the_environment_form_is_name_argument_count() {
            let read = |text| {
                parse(text).map(|faults| faults.into_iter().map(|f| (f.name, f.argument, f.count)).collect::<Vec<_>>())
            };
            assert_eq!(
                read("accept:24:3, no-wake,late:-5"),
                Ok(vec![("accept".into(), 24, 3), ("no-wake".into(), 0, -1), ("late".into(), -5, -1)])
            );
            assert_eq!(read(""), Ok(vec![]));
            for bad in [":1", "accept:x", "accept:1:2:3", "accept:"] {
                assert!(read(bad).is_err_and(|text| text.contains(bad)), "{bad}");
            }
        }
    }
}
