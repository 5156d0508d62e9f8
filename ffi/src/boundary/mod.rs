//! The exported C functions: argument checks, handles and the panic guard.
