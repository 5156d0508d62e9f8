//! What the load generators say of their requests.

/// Checks the output of `wrk`: requests were made, and none failed. Returns their number.
///
/// # Errors
/// The line that tells of a failure.
pub fn wrk(output: &str) -> Result<u64, String> {
    if let Some(line) =
        output.lines().find(|line| line.contains("Socket errors") || line.contains("Non-2xx or 3xx responses"))
    {
        return Err(line.trim().to_owned());
    }
    let line = output.lines().find(|line| line.contains(" requests in ")).ok_or("wrk names no requests")?;
    let count = line.split_whitespace().next().and_then(|word| word.parse().ok()).ok_or("wrk names no number")?;
    if count == 0 { Err("no request was answered".to_owned()) } else { Ok(count) }
}

/// Checks the output of `h2load`: all of `expected` requests succeeded with a 2xx status.
///
/// # Errors
/// The line that tells otherwise.
pub fn h2load(output: &str, expected: u64) -> Result<(), String> {
    let line = output.lines().find(|line| line.starts_with("requests:")).ok_or("h2load names no requests")?;
    let status = output.lines().find(|line| line.starts_with("status codes:")).ok_or("h2load names no status codes")?;
    let good = line.contains(&format!(" {expected} succeeded"))
        && line.contains(" 0 failed")
        && line.contains(" 0 errored")
        && status.contains(&format!(" {expected} 2xx"));
    if good { Ok(()) } else { Err(format!("{line}; {status}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrk_counts_and_its_errors_are_seen() {
        let good = "Running 2s test\n  81337 requests in 2.00s, 9.93MB read\nRequests/sec:  40668.1\n";
        assert_eq!(wrk(good), Ok(81_337));
        assert!(wrk(&format!("{good}  Socket errors: connect 0, read 3, write 0, timeout 0\n")).is_err());
        assert!(wrk(&format!("{good}  Non-2xx or 3xx responses: 7\n")).is_err());
        assert!(wrk("  0 requests in 2.00s, 0.00B read\n").is_err());
        assert!(wrk("unable to connect\n").is_err());
    }

    #[test]
    fn h2load_must_have_all_answers() {
        let text = "requests: 200 total, 200 started, 200 done, 200 succeeded, 0 failed, 0 errored, 0 timeout\n\
                    status codes: 200 2xx, 0 3xx, 0 4xx, 0 5xx\n";
        assert_eq!(h2load(text, 200), Ok(()));
        assert!(h2load(text, 300).is_err());
        assert!(h2load(&text.replace("0 failed", "1 failed"), 200).is_err());
        assert!(h2load(&text.replace("200 2xx", "0 2xx"), 200).is_err());
    }
}
