/**
 * The cost of checking a large definition: 200 flows of ten steps each, in milliseconds of processor time, the best of
 * several. Time of the processor and not of the clock, so that a busy machine changes it less.
 */
import * as Check from "coxswain/check"
import { flows, kit } from "../test/support/LargeDefinition.js"

const once = () => {
  const before = process.cpuUsage()
  // A definition that is made by code has no literal types to check.
  const report = Check.check(kit, { name: "Large", flows } as never)
  const { system, user } = process.cpuUsage(before)
  return { report, ms: (system + user) / 1000 }
}

const runs = Array.from({ length: 3 }, once)
const [{ report }] = runs as [ReturnType<typeof once>]
console.log("flows   steps   places    turns      ms")
console.log(
  [
    String(report.flows).padStart(5),
    String(report.steps).padStart(7),
    String(report.places).padStart(8),
    String(report.turns).padStart(8),
    Math.min(...runs.map(({ ms }) => ms)).toFixed(0).padStart(7)
  ].join(" ")
)
