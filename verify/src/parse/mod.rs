//! Reading what test runners print and write.

pub mod cargo;
pub mod junit;
pub mod lines;
pub mod load;
