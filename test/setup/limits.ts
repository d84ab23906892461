/** Limits of time in tests, in milliseconds. They end what hangs; no test depends on their length. */

/** For a test or a hook. */
export const test = 120_000

/** For a process that a test starts: it ends before its test does, so that the test can show what the process printed. */
export const child = 100_000

/** For a test or a process that works for long: installs or builds packages, or kills many processes one after the other. */
export const long = 900_000
