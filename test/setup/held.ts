/**
 * Measures for how long the event loop is held: the processor time that this process uses between two ticks of a timer.
 * Time that the machine gives to others does not count, so a busy machine changes nothing.
 */
const interval = 250

// A test may replace the timers.
const { clearInterval, setInterval } = globalThis

export interface Held {
  /** The longest time until now, in seconds. It is at most 0.25 too long, because ticks are that far apart. */
  readonly longest: () => number
  readonly stop: () => void
}

export const measure = (): Held => {
  let before = process.cpuUsage()
  let start = performance.now()
  let longest = 0
  const tick = () => {
    const { system, user } = process.cpuUsage(before)
    // Threads may use more processor time than has passed.
    longest = Math.max(longest, Math.min((system + user) / 1_000_000, (performance.now() - start) / 1000))
    before = process.cpuUsage()
    start = performance.now()
  }
  const timer = setInterval(tick, interval).unref()
  return {
    longest: () => (tick(), longest),
    stop: () => clearInterval(timer)
  }
}
