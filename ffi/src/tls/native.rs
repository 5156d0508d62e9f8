//! What rustls-ffi makes of the configuration: provider, keys, roots, verifiers.
//!
//! Its handles are pointers to what rustls takes (`Arc` or a box of one), by the layout of the pinned version; the tests in
//! `ffi/tests/tls/drift.rs` fail when the pins drift.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use rustls::RootCertStore;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::sign::SigningKey;
use rustls_ffi::certificate::{rustls_root_cert_store, rustls_root_cert_store_builder};
use rustls_ffi::crypto_provider::{
    rustls_aws_lc_rs_crypto_provider, rustls_crypto_provider, rustls_crypto_provider_load_key, rustls_signing_key,
};
use rustls_ffi::rustls_result;
use rustls_ffi::verifier::{rustls_client_cert_verifier, rustls_server_cert_verifier};

use super::config::CrlPolicy;
use crate::abi::status::{FERRONET_ERR_TLS_KEY, FERRONET_ERR_UNAVAILABLE};
use crate::error::{Error, Result};

// These belong to types that rustls-ffi does not make public. Builders are opaque to us.
#[allow(improper_ctypes, reason = "the pointers are opaque on this side")]
unsafe extern "C" {
    fn rustls_web_pki_server_cert_verifier_builder_new_with_provider(
        provider: *const rustls_crypto_provider,
        store: *const rustls_root_cert_store,
    ) -> *mut c_void;
    fn rustls_web_pki_server_cert_verifier_builder_add_crl(
        builder: *mut c_void,
        pem: *const u8,
        length: usize,
    ) -> rustls_result;
    fn rustls_web_pki_server_cert_verifier_only_check_end_entity_revocation(builder: *mut c_void) -> rustls_result;
    fn rustls_web_pki_server_cert_verifier_allow_unknown_revocation_status(builder: *mut c_void) -> rustls_result;
    fn rustls_web_pki_server_cert_verifier_enforce_revocation_expiry(builder: *mut c_void) -> rustls_result;
    fn rustls_web_pki_server_cert_verifier_builder_build(
        builder: *mut c_void,
        out: *mut *mut rustls_server_cert_verifier,
    ) -> rustls_result;
    fn rustls_web_pki_server_cert_verifier_builder_free(builder: *mut c_void);
    fn rustls_web_pki_client_cert_verifier_builder_new_with_provider(
        provider: *const rustls_crypto_provider,
        store: *const rustls_root_cert_store,
    ) -> *mut c_void;
    fn rustls_web_pki_client_cert_verifier_builder_add_crl(
        builder: *mut c_void,
        pem: *const u8,
        length: usize,
    ) -> rustls_result;
    fn rustls_web_pki_client_cert_verifier_only_check_end_entity_revocation(builder: *mut c_void) -> rustls_result;
    fn rustls_web_pki_client_cert_verifier_allow_unknown_revocation_status(builder: *mut c_void) -> rustls_result;
    fn rustls_web_pki_client_cert_verifier_builder_allow_unauthenticated(builder: *mut c_void) -> rustls_result;
    fn rustls_web_pki_client_cert_verifier_builder_build(
        builder: *mut c_void,
        out: *mut *mut rustls_client_cert_verifier,
    ) -> rustls_result;
    fn rustls_web_pki_client_cert_verifier_builder_free(builder: *mut c_void);
}

/// A builder handle that is freed in any case.
struct Builder {
    handle: *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: the handle came from the function that `free` belongs to, and is freed once.
        unsafe { (self.free)(self.handle) }
    }
}

/// aws-lc with all its suites and groups.
pub(super) fn provider() -> Result<CryptoProvider> {
    let handle = rustls_aws_lc_rs_crypto_provider();
    if handle.is_null() {
        return Err(Error::new(FERRONET_ERR_UNAVAILABLE, "the cryptography provider could not be made"));
    }
    // SAFETY: the handle is an `Arc<CryptoProvider>` that is ours.
    let provider = unsafe { Arc::from_raw(handle.cast::<CryptoProvider>()) };
    Ok(Arc::unwrap_or_clone(provider))
}

/// A private key from PEM.
pub(super) fn load_key(provider: &Arc<CryptoProvider>, pem: &[u8]) -> Result<Arc<dyn SigningKey>> {
    let mut out: *mut rustls_signing_key = ptr::null_mut();
    let result = rustls_crypto_provider_load_key(handle(provider), pem.as_ptr(), pem.len(), &mut out);
    if result != rustls_result::Ok || out.is_null() {
        return Err(Error::new(
            FERRONET_ERR_TLS_KEY,
            format!(
                "the private key cannot be used ({result}): pass RSA of 2,048 bits or more, ECDSA on P-256, P-384 or P-521, or Ed25519, as PKCS#8, PKCS#1 or SEC1"
            ),
        ));
    }
    // SAFETY: the handle is a box of an `Arc`, and ours.
    let key = unsafe { Box::from_raw(out.cast::<Arc<dyn SigningKey>>()) };
    Ok(*key)
}

/// Trust anchors.
pub(super) fn roots(certificates: &[CertificateDer<'_>]) -> Result<Arc<RootCertStore>> {
    let builder = rustls_root_cert_store_builder::rustls_root_cert_store_builder_new();
    let mut refused = None;
    for (index, certificate) in certificates.iter().enumerate() {
        let pem = pem("CERTIFICATE", certificate);
        let result = rustls_root_cert_store_builder::rustls_root_cert_store_builder_add_pem(
            builder,
            pem.as_ptr(),
            pem.len(),
            true,
        );
        if result != rustls_result::Ok {
            refused = Some((index, result));
            break;
        }
    }
    let mut out: *const rustls_root_cert_store = ptr::null();
    let built = rustls_root_cert_store_builder::rustls_root_cert_store_builder_build(builder, &mut out);
    rustls_root_cert_store_builder::rustls_root_cert_store_builder_free(builder);
    if built != rustls_result::Ok || out.is_null() {
        return Err(Error::new(FERRONET_ERR_TLS_KEY, format!("the roots cannot be used: {built}")));
    }
    // SAFETY: the handle is an `Arc<RootCertStore>` that is ours.
    let store = unsafe { Arc::from_raw(out.cast::<RootCertStore>()) };
    match refused {
        None => Ok(store),
        Some((index, result)) => Err(Error::new(
            FERRONET_ERR_TLS_KEY,
            format!("root certificate {} of {} cannot be used: {result}", index + 1, certificates.len()),
        )),
    }
}

/// Judges servers by roots and revocation lists.
pub(super) fn server_verifier(
    provider: &Arc<CryptoProvider>,
    roots: &Arc<RootCertStore>,
    lists: &[CertificateRevocationListDer<'_>],
    policy: CrlPolicy,
) -> Result<Arc<dyn ServerCertVerifier>> {
    // SAFETY: both handles are pointers of an `Arc` that lives through the call; the builder keeps references of its own.
    let raw = unsafe {
        rustls_web_pki_server_cert_verifier_builder_new_with_provider(handle(provider), Arc::as_ptr(roots).cast())
    };
    let builder = Builder { handle: raw, free: rustls_web_pki_server_cert_verifier_builder_free };
    for (index, list) in lists.iter().enumerate() {
        let pem = pem("X509 CRL", list);
        // SAFETY: the builder lives, and the memory is readable.
        let result =
            unsafe { rustls_web_pki_server_cert_verifier_builder_add_crl(builder.handle, pem.as_ptr(), pem.len()) };
        list_added(index, lists.len(), result)?;
    }
    // SAFETY: the builder lives.
    unsafe {
        if policy.end_entity_only {
            rustls_web_pki_server_cert_verifier_only_check_end_entity_revocation(builder.handle);
        }
        if policy.allow_unknown {
            rustls_web_pki_server_cert_verifier_allow_unknown_revocation_status(builder.handle);
        }
        if policy.enforce_expiry {
            rustls_web_pki_server_cert_verifier_enforce_revocation_expiry(builder.handle);
        }
    }
    let mut out = ptr::null_mut();
    // SAFETY: the builder lives, and the place is writable.
    let result = unsafe { rustls_web_pki_server_cert_verifier_builder_build(builder.handle, &mut out) };
    take_server_verifier(result, out)
}

/// Judges clients by roots and revocation lists.
pub(super) fn client_verifier(
    provider: &Arc<CryptoProvider>,
    roots: &Arc<RootCertStore>,
    lists: &[CertificateRevocationListDer<'_>],
    policy: CrlPolicy,
) -> Result<Arc<dyn ClientCertVerifier>> {
    if policy.enforce_expiry {
        return Err(Error::invalid(
            "crl_policy has the bit for expired lists, which exists for servers' certificates only: leave it out",
        ));
    }
    // SAFETY: both handles are pointers of an `Arc` that lives through the call; the builder keeps references of its own.
    let raw = unsafe {
        rustls_web_pki_client_cert_verifier_builder_new_with_provider(handle(provider), Arc::as_ptr(roots).cast())
    };
    let builder = Builder { handle: raw, free: rustls_web_pki_client_cert_verifier_builder_free };
    for (index, list) in lists.iter().enumerate() {
        let pem = pem("X509 CRL", list);
        // SAFETY: the builder lives, and the memory is readable.
        let result =
            unsafe { rustls_web_pki_client_cert_verifier_builder_add_crl(builder.handle, pem.as_ptr(), pem.len()) };
        list_added(index, lists.len(), result)?;
    }
    let mut out: *mut rustls_client_cert_verifier = ptr::null_mut();
    // SAFETY: the builder lives, and the place is writable.
    let result = unsafe {
        if policy.end_entity_only {
            rustls_web_pki_client_cert_verifier_only_check_end_entity_revocation(builder.handle);
        }
        if policy.allow_unknown {
            rustls_web_pki_client_cert_verifier_allow_unknown_revocation_status(builder.handle);
        }
        rustls_web_pki_client_cert_verifier_builder_allow_unauthenticated(builder.handle);
        rustls_web_pki_client_cert_verifier_builder_build(builder.handle, &mut out)
    };
    if result != rustls_result::Ok || out.is_null() {
        return Err(Error::new(FERRONET_ERR_TLS_KEY, format!("the trust in clients cannot be set up: {result}")));
    }
    // SAFETY: the handle is a box of an `Arc`, and ours.
    let verifier = unsafe { Box::from_raw(out.cast::<Arc<dyn ClientCertVerifier>>()) };
    Ok(*verifier)
}

/// Judges servers by the operating system's store.
pub(super) fn platform_verifier(provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>> {
    let mut out = ptr::null_mut();
    let result =
        rustls_server_cert_verifier::rustls_platform_server_cert_verifier_try_with_provider(handle(provider), &mut out);
    take_server_verifier(result, out)
}

fn take_server_verifier(
    result: rustls_result,
    out: *mut rustls_server_cert_verifier,
) -> Result<Arc<dyn ServerCertVerifier>> {
    if result != rustls_result::Ok || out.is_null() {
        return Err(Error::new(FERRONET_ERR_TLS_KEY, format!("the trust in servers cannot be set up: {result}")));
    }
    // SAFETY: the handle is a box of an `Arc`, and ours.
    let verifier = unsafe { Box::from_raw(out.cast::<Arc<dyn ServerCertVerifier>>()) };
    Ok(*verifier)
}

fn list_added(index: usize, count: usize, result: rustls_result) -> Result<()> {
    if result == rustls_result::Ok {
        return Ok(());
    }
    Err(Error::new(FERRONET_ERR_TLS_KEY, format!("revocation list {} of {count} cannot be used: {result}", index + 1)))
}

fn handle(provider: &Arc<CryptoProvider>) -> *const rustls_crypto_provider {
    Arc::as_ptr(provider).cast()
}

/// RFC 7468, in one line: the readers take any line length.
fn pem(label: &str, der: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = format!("-----BEGIN {label}-----\n").into_bytes();
    for group in der.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { digit } else { b'=' });
        }
    }
    text.extend_from_slice(format!("\n-----END {label}-----\n").as_bytes());
    text
}
