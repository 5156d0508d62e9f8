//! The reactor: submissions in, completions out, on io_uring or on poll.
