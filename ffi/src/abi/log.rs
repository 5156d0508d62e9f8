//! Log levels of `ferronet_log_set`.

/// No log text is delivered. Since revision 1.
pub const FERRONET_LOG_OFF: i32 = 0;
/// What went wrong in the library itself: panics and memory that had to be leaked. Since revision 1.
pub const FERRONET_LOG_ERROR: i32 = 1;
/// What the caller asked for and did not get, such as a refused backend. Since revision 1.
pub const FERRONET_LOG_WARNING: i32 = 2;
/// Reactors that come and go. Since revision 1.
pub const FERRONET_LOG_INFO: i32 = 3;
/// Every failed call. Since revision 1.
pub const FERRONET_LOG_DEBUG: i32 = 4;
