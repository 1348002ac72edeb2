//! One process of an external engine: lines in, lines out, and an end under every circumstance.

use std::fs::File;
use std::io::{self, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(windows)]
use process_wrap::std::JobObject;
#[cfg(unix)]
use process_wrap::std::ProcessGroup;
use process_wrap::std::{ChildWrapper, CommandWrap};

use super::lines::{self, Line};

/// How long a process that was told to end, or that closed its stdout, may take to be gone.
const GRACE: Duration = Duration::from_secs(1);

/// How often it is looked whether it is.
const LOOK: Duration = Duration::from_millis(5);

/// Why there is no line of the engine's.
#[derive(Debug)]
pub(super) enum Failure {
    /// It is gone, or its line is none.
    Broken(String),
    /// It took too long.
    Late,
}

/// A process together with those that it started, so that all of them can be ended.
type Group = Arc<Mutex<Box<dyn ChildWrapper>>>;

/// The processes that run, for the one who interrupts the program: they are not in the terminal's
/// foreground group, so its Ctrl-C does not reach them.
static RUNNING: Mutex<Vec<Group>> = Mutex::new(Vec::new());

/// A running engine. Dropping it ends it.
pub(super) struct Process {
    group: Group,
    // None once it has been told to end.
    requests: Option<Sender<String>>,
    answers: Receiver<io::Result<Line>>,
    limit: usize,
}

impl Process {
    /// Starts a command; its stderr goes to the log, or where this program's goes.
    pub(super) fn start(command: &[String], log: Option<&File>, limit: usize) -> io::Result<Process> {
        let [program, arguments @ ..] = command else { return Err(io::ErrorKind::InvalidInput.into()) };
        let stderr = match log {
            Some(file) => file.try_clone()?.into(),
            None => Stdio::inherit(),
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(JobObject);
        end_all_when_interrupted();
        let mut child = command.spawn()?;
        let (stdin, stdout) = (child.stdin().take(), child.stdout().take());
        let group = Arc::new(Mutex::new(child));
        running().push(group.clone());
        // From here on dropping ends it.
        let (requests, to_write) = channel();
        let (read, answers) = sync_channel(1);
        let process = Process { group, requests: Some(requests), answers, limit };
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        // Pipes know no timeout, so threads of their own wait at them.
        thread::Builder::new().spawn(move || write_lines(stdin, &to_write))?;
        thread::Builder::new().spawn(move || read_lines(stdout, limit, &read))?;
        Ok(process)
    }

    /// Sends a line and waits for the next one.
    pub(super) fn ask(&mut self, line: String, timeout: Duration) -> Result<String, Failure> {
        if let Some(requests) = &self.requests {
            // Where the writer is gone the pipe is broken: the reader knows more about why.
            let _ = requests.send(line);
        }
        self.next(timeout)
    }

    /// Waits for a line.
    pub(super) fn next(&mut self, timeout: Duration) -> Result<String, Failure> {
        let broken = |what: String| Err(Failure::Broken(what));
        match self.answers.recv_timeout(timeout) {
            Ok(Ok(Line::Whole(line))) => Ok(line),
            Ok(Ok(Line::Partial(line))) => {
                broken(format!("{} in the middle of a line: {}", self.end(), cut(&line)))
            }
            Ok(Ok(Line::TooLong)) => {
                broken(format!("wrote a line of more than {} bytes (--max-elements)", self.limit))
            }
            Ok(Ok(Line::NotText)) => broken("wrote a line that is not UTF-8".into()),
            Ok(Ok(Line::End)) | Err(RecvTimeoutError::Disconnected) => broken(self.end()),
            Ok(Err(error)) => broken(format!("has a stdout that cannot be read: {error}")),
            Err(RecvTimeoutError::Timeout) => Err(Failure::Late),
        }
    }

    /// How a process that gives no more lines has ended, in words.
    fn end(&self) -> String {
        let deadline = Instant::now() + GRACE;
        loop {
            match self.child(|child| child.try_wait()) {
                Ok(Some(status)) => {
                    return match status.code() {
                        Some(code) => format!("ended with exit status {code}"),
                        // Whether a core was dumped depends on the host.
                        None => format!("ended by {}", status.to_string().replace(" (core dumped)", "")),
                    };
                }
                Ok(None) if Instant::now() < deadline => thread::sleep(LOOK),
                _ => return "closed its stdout".into(),
            }
        }
    }

    /// Tells it that no more cases come.
    pub(super) fn finish(&mut self) {
        self.requests = None;
    }

    fn child<T>(&self, work: impl FnOnce(&mut dyn ChildWrapper) -> T) -> T {
        work(self.group.lock().unwrap_or_else(PoisonError::into_inner).as_mut())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that was told to end may do so by itself; any other is stopped where it is.
        if self.requests.is_none() {
            self.end();
        }
        // What it started is ended with it, even where it is gone already.
        let _ = self.child(|child| child.start_kill());
        let _ = self.child(|child| child.wait());
        running().retain(|group| !Arc::ptr_eq(group, &self.group));
    }
}

fn running() -> std::sync::MutexGuard<'static, Vec<Group>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has Ctrl-C, and a request to terminate, end the engines before the program.
fn end_all_when_interrupted() {
    static HANDLER: Once = Once::new();
    HANDLER.call_once(|| {
        // Where somebody else handles signals, or ignores them, it is theirs to say what happens.
        let _ = ctrlc::try_set_handler(|| {
            for group in running().iter() {
                let _ = group.lock().unwrap_or_else(PoisonError::into_inner).start_kill();
            }
            std::process::exit(130);
        });
    });
}

fn write_lines(mut stdin: ChildStdin, lines: &Receiver<String>) {
    while let Ok(mut line) = lines.recv() {
        line.push('\n');
        if stdin.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
}

fn read_lines(stdout: ChildStdout, limit: usize, lines: &SyncSender<io::Result<Line>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let line = lines::read(&mut stdout, limit);
        let more = matches!(line, Ok(Line::Whole(_)));
        if lines.send(line).is_err() || !more {
            break;
        }
    }
}

/// As much of a line as a message can hold.
pub(super) fn cut(line: &str) -> String {
    const LONGEST: usize = 80;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &line[..end]),
        None => format!("{line:?}"),
    }
}
