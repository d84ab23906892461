/** What work takes of the processor: a machine that is busy with something else takes no more of it. */

/** Begins to count. Gives the milliseconds of this process since then, all its threads together. */
export const start = (): () => number => {
  const from = process.cpuUsage()
  return () => {
    const { system, user } = process.cpuUsage(from)
    return (system + user) / 1000
  }
}
