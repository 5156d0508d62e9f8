//! C's callbacks as what a handshake asks.

use std::ffi::{c_char, c_void};

use super::handle::{Body, Handle, Kind};
use super::tls::ferronet_tls_credential;
use super::tls_config::side_number;
use crate::abi::record::ferronet_region;
use crate::abi::tls::*;
use crate::tls::{Choice, Chooser, Credential, KeyLog, Signer, Verdict, Verification, Verifier};

/// Room for a signature; that of a 16,384-bit RSA key has 2,048 bytes.
const LONGEST_SIGNATURE: usize = 2048;

/// A callback with what is given back to it.
struct Callback<F> {
    function: F,
    context: *mut c_void,
}

// SAFETY: the library only hands the context back; the header asks for one that every thread may use.
unsafe impl<F: Send> Send for Callback<F> {}
// SAFETY: as above.
unsafe impl<F: Sync> Sync for Callback<F> {}

macro_rules! callbacks {
    ($($name:ident: $function:ty,)*) => {
        $(pub(super) struct $name(Callback<$function>);

        impl $name {
            pub(super) fn new(function: $function, context: *mut c_void) -> Self {
                Self(Callback { function, context })
            }
        })*
    };
}

callbacks! {
    Verify: unsafe extern "C" fn(*mut c_void, *const ferronet_tls_verification) -> i32,
    Sign: unsafe extern "C" fn(*mut c_void, u64, u32, *const u8, u64, *mut u8, u64) -> i64,
    Choose: unsafe extern "C" fn(*mut c_void, *const ferronet_tls_choice, *mut *mut ferronet_tls_credential) -> i32,
    Lines: unsafe extern "C" fn(*mut c_void, u64, *const c_char, u64),
}

fn region(bytes: &[u8]) -> ferronet_region {
    if bytes.is_empty() {
        return ferronet_region { addr: 0, len: 0 };
    }
    ferronet_region { addr: bytes.as_ptr() as u64, len: bytes.len() as u64 }
}

impl Verifier for Verify {
    fn verify(&self, verification: &Verification<'_>) -> Verdict {
        let certificates: Vec<_> = verification.certificates.iter().map(|certificate| region(certificate)).collect();
        let request = ferronet_tls_verification {
            size: size_of::<ferronet_tls_verification>() as u32,
            side: side_number(verification.side),
            user: verification.user,
            flags: if verification.check_host { FERRONET_TLS_VERIFY_HOST } else { 0 },
            certificate_count: certificates.len() as u32,
            certificates: certificates.as_ptr() as u64,
            server_name: region(verification.server_name.unwrap_or_default().as_bytes()),
            ocsp_response: region(verification.ocsp_response),
        };
        // SAFETY: the header asks for a callback that may be called with its context from any thread.
        match unsafe { (self.0.function)(self.0.context, &request) } {
            0 => Verdict::Accept,
            answer => match u8::try_from(answer) {
                Ok(alert) => Verdict::Refuse(alert),
                Err(_) => Verdict::Fail(format!("the verify callback returned {answer}")),
            },
        }
    }
}

impl Signer for Sign {
    fn sign(&self, user: u64, scheme: u16, message: &[u8]) -> Result<Vec<u8>, String> {
        let mut signature = vec![0; LONGEST_SIGNATURE];
        // SAFETY: as for the verifier.
        let length = unsafe {
            (self.0.function)(
                self.0.context,
                user,
                scheme.into(),
                message.as_ptr(),
                message.len() as u64,
                signature.as_mut_ptr(),
                signature.len() as u64,
            )
        };
        match usize::try_from(length) {
            Ok(length) if (1..=LONGEST_SIGNATURE).contains(&length) => {
                signature.truncate(length);
                Ok(signature)
            }
            _ => {
                Err(format!("the sign callback returned {length}, but a signature has 1 to {LONGEST_SIGNATURE} bytes"))
            }
        }
    }
}

impl Chooser for Choose {
    fn choose(&self, choice: &Choice<'_>) -> Result<Option<Credential>, String> {
        let issuers: Vec<_> = choice.issuers.iter().map(|issuer| region(issuer)).collect();
        let request = ferronet_tls_choice {
            size: size_of::<ferronet_tls_choice>() as u32,
            side: side_number(choice.side),
            user: choice.user,
            server_name: region(choice.server_name.unwrap_or_default().as_bytes()),
            alpn: region(choice.alpn),
            schemes: choice.schemes.as_ptr() as u64,
            suites: choice.suites.as_ptr() as u64,
            issuers: issuers.as_ptr() as u64,
            scheme_count: choice.schemes.len() as u32,
            suite_count: choice.suites.len() as u32,
            issuer_count: issuers.len() as u32,
            reserved: 0,
        };
        let mut chosen: *mut ferronet_tls_credential = std::ptr::null_mut();
        // SAFETY: as for the verifier.
        let status = unsafe { (self.0.function)(self.0.context, &request, &mut chosen) };
        if status < 0 {
            return Err(format!("the choose callback returned {status}"));
        }
        if chosen.is_null() {
            return Ok(None);
        }
        match Handle::resolve(chosen.cast_const().cast(), Kind::TlsCredential) {
            Ok(handle) => match handle.body() {
                Body::TlsCredential(credential) => Ok(Some(Credential::clone(credential))),
                _ => Err("the credential of the choose callback was freed meanwhile".into()),
            },
            Err(error) => Err(format!("the choose callback gave no credential: {}", error.text)),
        }
    }
}

impl KeyLog for Lines {
    fn line(&self, user: u64, line: &str) {
        let mut text = String::with_capacity(line.len() + 1);
        text.push_str(line);
        text.push('\0');
        // SAFETY: as for the verifier.
        unsafe { (self.0.function)(self.0.context, user, text.as_ptr().cast(), line.len() as u64) };
    }
}
