/** The processor time of work, which does not depend on the load of the machine. */

/** Starts measuring; the result gives this process's CPU milliseconds since then, over all threads. */
export const start = (): () => number => {
  const from = process.cpuUsage()
  return () => {
    const { system, user } = process.cpuUsage(from)
    return (system + user) / 1000
  }
}
