//! What the kernel tells about processes, and on which CPU they run.

use std::fs;
use std::path::PathBuf;

use ferronet_packaging::Result;

/// The CPU of the event loop.
pub const SERVER_CPU: usize = 0;
/// The CPU of the load generator.
pub const CLIENT_CPU: usize = 1;

/// CPU time of a set of threads in nanoseconds, as the scheduler counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes {
    /// The event-loop thread and the kernel's workers for it.
    pub event_loop: u64,
    /// How long these were ready to run and did not get the CPU.
    pub waiting: u64,
    /// The JIT compiler's threads.
    pub compiler: u64,
    /// All threads of the process.
    pub process: u64,
    /// `ksoftirqd` of the loop's CPU; `None` where it is not visible.
    pub ksoftirqd: Option<u64>,
    /// What all CPUs spent, but not for the process nor for the harness and the load generators that it ran: other
    /// programs, and interrupts.
    pub others: i64,
}

impl CpuTimes {
    /// Reads the times of a process.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn of(pid: u32) -> Result<Self> {
        let mut times = Self {
            ksoftirqd: ksoftirqd().and_then(|pid| run_time(&format!("/proc/{pid}"))).map(|(time, _)| time),
            ..Self::default()
        };
        for (task, name) in tasks(pid)? {
            let Some((time, waiting)) = run_time(&format!("/proc/{pid}/task/{task}")) else { continue };
            times.process += time;
            if name.starts_with("bench-loop") || name.starts_with("iou-") {
                times.event_loop += time;
                times.waiting += waiting;
            } else if name.starts_with("C1 Comp") || name.starts_with("C2 Comp") {
                times.compiler += time;
            }
        }
        let known = times.process + times.ksoftirqd.unwrap_or(0) + of_the_harness();
        times.others = i64::try_from(of_all_cpus())? - i64::try_from(known)?;
        Ok(times)
    }

    /// What was used between two readings.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            event_loop: self.event_loop.saturating_sub(earlier.event_loop),
            waiting: self.waiting.saturating_sub(earlier.waiting),
            compiler: self.compiler.saturating_sub(earlier.compiler),
            process: self.process.saturating_sub(earlier.process),
            ksoftirqd: self.ksoftirqd.zip(earlier.ksoftirqd).map(|(now, then)| now.saturating_sub(then)),
            others: self.others - earlier.others,
        }
    }

    /// What a request is charged with.
    pub fn cost(self) -> u64 {
        self.event_loop + self.ksoftirqd.unwrap_or(0)
    }
}

/// Threads of a process: number and name.
///
/// # Errors
/// When the process is gone.
pub fn tasks(pid: u32) -> Result<Vec<(i32, String)>> {
    let mut tasks = Vec::new();
    for entry in fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
        let Some(task) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Ok(name) = fs::read_to_string(entry.path().join("comm")) {
            tasks.push((task, name.trim_end().to_owned()));
        }
    }
    Ok(tasks)
}

/// Binds every thread of a process to one CPU.
///
/// # Errors
/// When the process is gone, or the CPU may not be used.
pub fn pin(pid: u32, cpu: usize) -> Result<()> {
    for (task, name) in tasks(pid)? {
        match pin_thread(task, cpu) {
            Err(error) if error.raw_os_error() != Some(libc::ESRCH) => {
                return Err(format!("cannot bind thread {name} to CPU {cpu}: {error}").into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Binds one thread to a CPU; 0 is the calling thread.
///
/// # Errors
/// The system's refusal, such as `ESRCH` for a thread that has ended.
pub fn pin_thread(task: i32, cpu: usize) -> std::io::Result<()> {
    // SAFETY: cpu_set_t is a plain bit set, for which zero is a value.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: `set` is a valid set and `cpu` is below its size.
    unsafe { libc::CPU_SET(cpu, &mut set) };
    // SAFETY: the pointer and the size name the set, which the call only reads.
    match unsafe { libc::sched_setaffinity(task, size_of::<libc::cpu_set_t>(), &set) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Peak resident memory of a process in bytes.
pub fn peak_memory(pid: u32) -> Option<u64> {
    memory(pid, "VmHWM:")
}

/// Resident memory of a process in bytes.
pub fn resident_memory(pid: u32) -> Option<u64> {
    memory(pid, "VmRSS:")
}

fn memory(pid: u32, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Number of CPUs that this process may use.
pub fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Kernel release and CPU model.
pub fn machine() -> (String, String) {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned();
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    (kernel, model.trim_start_matches([' ', '\t', ':']).to_owned())
}

/// How long a thread ran, and how long it was ready and waited, in nanoseconds.
fn run_time(directory: &str) -> Option<(u64, u64)> {
    let text = fs::read_to_string(PathBuf::from(directory).join("schedstat")).ok()?;
    let mut numbers = text.split_whitespace();
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Time in nanoseconds that all CPUs did not idle.
fn of_all_cpus() -> u64 {
    // SAFETY: no pointer is passed.
    let ticks_per_second = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100).max(1);
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    busy_ticks(&text) * (1_000_000_000 / ticks_per_second)
}

/// User, nice, system, interrupts of both kinds and time that the machine's host took, of the line that sums all CPUs.
fn busy_ticks(stat: &str) -> u64 {
    let Some(line) = stat.lines().find_map(|line| line.strip_prefix("cpu ")) else { return 0 };
    let fields: Vec<u64> = line.split_whitespace().map_while(|field| field.parse().ok()).collect();
    [0, 1, 2, 5, 6, 7].iter().filter_map(|place| fields.get(*place)).sum()
}

/// CPU time in nanoseconds of this process and of the children that it has waited for.
fn of_the_harness() -> u64 {
    [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN]
        .into_iter()
        .map(|who| {
            // SAFETY: the structure holds numbers only, for which zero is a value.
            let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
            // SAFETY: the structure lives across the call that fills it.
            unsafe { libc::getrusage(who, &raw mut usage) };
            [usage.ru_utime, usage.ru_stime]
                .iter()
                .map(|time| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000)
                .sum::<u64>()
        })
        .sum()
}

fn ksoftirqd() -> Option<u32> {
    let wanted = format!("ksoftirqd/{SERVER_CPU}");
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let name = fs::read_to_string(entry.path().join("comm")).ok()?;
        (name.trim_end() == wanted).then_some(pid)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_this_process_grow() {
        let before = CpuTimes::of(std::process::id()).expect("this process");
        let mut value = 1u64;
        while CpuTimes::of(std::process::id()).expect("this process").since(before).process < 1_000_000 {
            value = std::hint::black_box(value.wrapping_mul(3));
        }
        assert!(peak_memory(std::process::id()).expect("VmHWM") > 0);
    }

    #[test]
    fn idle_and_waiting_cpus_are_not_busy() {
        let stat = "cpu  1 20 300 4000 50000 600000 7000000 80000000 9 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        assert_eq!(busy_ticks(stat), 1 + 20 + 300 + 600_000 + 7_000_000 + 80_000_000);
        assert_eq!(busy_ticks(""), 0);
        assert!(of_all_cpus() > 0);
    }

    #[test]
    fn work_of_the_harness_is_not_that_of_others() {
        let before = of_the_harness();
        let mut value = 1u64;
        while of_the_harness() - before < 5_000_000 {
            value = std::hint::black_box(value.wrapping_mul(3));
        }
    }

    #[test]
    fn the_cost_counts_the_soft_interrupt_thread() {
        let times = CpuTimes { event_loop: 5, ksoftirqd: Some(2), process: 200, ..CpuTimes::default() };
        assert_eq!(times.cost(), 7);
    }
}
