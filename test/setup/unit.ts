/** Runs before each file of the unit project. What it imports is run once per process. */
import "../support/Clock.js"
