//! Which credential is shown.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::SignatureScheme;
use rustls::client::ResolvesClientCert;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::credential::Credential;
use super::hooks::{Choice, Chooser};
use super::names::scheme_names;
use super::negotiation;
use crate::abi::status::{FERRONET_ERR_TLS_CALLBACK, FERRONET_ERR_TLS_NO_COMMON};
use crate::error::Error;

/// Chooses for all sessions of a context.
pub(super) struct Resolver {
    pub credentials: RwLock<Vec<Credential>>,
    pub chooser: Option<Arc<dyn Chooser>>,
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").finish_non_exhaustive()
    }
}

impl Resolver {
    /// Looks at the credentials.
    pub(super) fn with<R>(&self, look: impl FnOnce(&[Credential]) -> R) -> R {
        look(&self.credentials.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces one; `false` when there is none with that index.
    pub(super) fn replace(&self, index: usize, with: impl FnOnce(&Credential) -> Credential) -> bool {
        let mut credentials = self.credentials.write().unwrap_or_else(PoisonError::into_inner);
        let Some(credential) = credentials.get_mut(index) else { return false };
        *credential = with(credential);
        true
    }

    /// The first that serves the name and fits the schemes, else the first that fits them.
    fn by_name(&self, name: Option<&str>, schemes: &[SignatureScheme]) -> Option<Credential> {
        self.with(|credentials| {
            let fits = |credential: &&Credential| credential.key().key.choose_scheme(schemes).is_some();
            let only_one = credentials.len() == 1;
            name.filter(|_| !only_one)
                .and_then(|name| credentials.iter().filter(fits).find(|credential| credential.serves(name)))
                .or_else(|| credentials.iter().find(fits))
                .cloned()
        })
    }

    /// The first that the authorities issued and that fits the schemes, else the first that fits them.
    fn by_issuer(&self, authorities: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Credential> {
        self.with(|credentials| {
            let fits = |credential: &&Credential| credential.key().key.choose_scheme(schemes).is_some();
            credentials
                .iter()
                .filter(fits)
                .find(|credential| credential.is_issued_by(authorities))
                .or_else(|| credentials.iter().find(fits))
                .cloned()
        })
    }

    fn ask(&self, chooser: &dyn Chooser, schemes: &[SignatureScheme], issuers: &[&[u8]]) -> Option<Credential> {
        let (side, user, name, hello) =
            negotiation::with(|own| (own.side, own.user, own.server_name.clone(), own.hello.take()))?;
        let schemes: Vec<u16> = schemes.iter().map(|&scheme| scheme.into()).collect();
        let (alpn, suites) = hello.as_deref().map_or((&[][..], &[][..]), |hello| (&hello.alpn, &hello.suites));
        let chosen = chooser.choose(&Choice {
            side,
            user,
            server_name: name.as_deref(),
            alpn,
            schemes: &schemes,
            suites,
            issuers,
        });
        negotiation::with(|own| own.hello = hello);
        chosen.unwrap_or_else(|why| {
            negotiation::fail(Error::new(
                FERRONET_ERR_TLS_CALLBACK,
                format!("the choice of a credential failed: {why}"),
            ));
            None
        })
    }
}

fn keep(credential: Option<Credential>) -> Option<Arc<CertifiedKey>> {
    let key = credential.map(|credential| Arc::clone(credential.key()));
    negotiation::with(|own| own.chosen.clone_from(&key));
    key
}

impl ResolvesServerCert for Resolver {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let schemes = hello.signature_schemes();
        let chosen = match &self.chooser {
            Some(chooser) => {
                let issuers: Vec<&[u8]> = hello
                    .certificate_authorities()
                    .map(|names| names.iter().map(|name| name.as_ref()).collect())
                    .unwrap_or_default();
                self.ask(&**chooser, schemes, &issuers)
            }
            None => self.by_name(hello.server_name(), schemes),
        };
        if chosen.is_none() {
            negotiation::fail(Error::new(
                FERRONET_ERR_TLS_NO_COMMON,
                format!("no credential fits the client's signature schemes: {}", scheme_names(schemes)),
            ));
        }
        keep(chosen)
    }
}

impl ResolvesClientCert for Resolver {
    fn resolve(&self, authorities: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        negotiation::with(|own| {
            own.issuers = authorities.iter().map(|&name| name.into()).collect();
            own.peer_schemes = schemes.iter().flat_map(|&scheme| u16::from(scheme).to_be_bytes()).collect();
        });
        keep(match &self.chooser {
            Some(chooser) => self.ask(&**chooser, schemes, authorities),
            None => self.by_issuer(authorities, schemes),
        })
    }

    fn has_certs(&self) -> bool {
        self.chooser.is_some() || self.with(|credentials| !credentials.is_empty())
    }
}
