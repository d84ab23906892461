/**
 * Runs before each test file, and fails the file if it holds the event loop for too long: Vitest cannot speak with a process
 * that is held, and no time limit ends what holds it. Such work belongs in a process of its own.
 */
import { afterAll, afterEach } from "vitest"
import { measure } from "./held.js"

/** In seconds. */
const [warns, fails] = [5, 20]

const held = measure()

// Tests that wait for nothing but fibers and promises would hold the loop together. A test may replace the timers.
const { setImmediate } = globalThis
afterEach(() => new Promise<void>((resolve) => void setImmediate(resolve)))

afterAll(({ file }) => {
  const seconds = held.longest()
  held.stop()
  if (seconds < warns) return
  const message = `${file.name} holds the event loop for ${seconds.toFixed(1)} s: run that work in a process of its own`
  if (seconds >= fails) throw new Error(message)
  console.warn(message)
})
