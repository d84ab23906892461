/**
 * Writes `bench/README.md` from what the benches printed: `npm run bench -- --write`. A test compares the page. Without running
 * a bench: `npx tsx scripts/numbers.ts`.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

export interface Results {
  /** The machine on which they ran. */
  readonly on: string
  /** The output of each bench, line by line. */
  readonly benches: Readonly<Record<string, ReadonlyArray<string>>>
}

export const file = "bench/results.json"

export const stored = (root: string): Results | undefined =>
  fs.existsSync(path.join(root, file))
    ? JSON.parse(fs.readFileSync(path.join(root, file), "utf8")) as Results
    : undefined

const scenarios: Readonly<Record<string, string>> = {
  S1: "one flow, one prompt step, nothing to collect",
  S2: "a booking of three fields; the first message has all of them",
  S3: "the same booking, a greeting and then one value a message",
  S4: "five flows; the message selects one",
  S5: "the same with 12 signals before, 4 after, and three branches in words",
  S6: "three tools; the model calls two in one answer"
}

interface Counted {
  readonly turns: number
  readonly calls: number
  readonly depth: number
  readonly chars: number
}

/** `S1   {"turns":1,…}` */
const counts = (lines: ReadonlyArray<string>): string => {
  const rows = lines.flatMap((line) => {
    const [, name = "", json] = /^(S\d)\s+(\{.*\})$/.exec(line) ?? []
    if (json === undefined) return []
    const { calls, chars, depth, turns } = JSON.parse(json) as Counted
    return [
      `| ${name} | ${scenarios[name] ?? ""} | ${turns} | ${calls} | ${depth} | ${chars.toLocaleString("en-US")} |`
    ]
  })
  return ["| | scenario | turns | model calls | depth | characters |", "|---|---|---|---|---|---|", ...rows].join("\n")
}

const bar = (part: number, most: number): string => "█".repeat(Math.max(1, Math.round(part / most * 30)))

/** `S1   4.63 x the bare calls of the turn (9762 µs)` as a chart of ratios. */
const ratios = (lines: ReadonlyArray<string>): string => {
  const found = lines.flatMap((line) => {
    const [, name = "", ratio] = /^(S\d.*?)\s{2,}([\d.]+) x the bare calls/.exec(line) ?? []
    return ratio === undefined ? [] : [[name, Number(ratio)] as const]
  })
  const most = Math.max(...found.map(([, ratio]) => ratio))
  return found.map(([name, ratio]) => `${name.padEnd(25)} ${ratio.toFixed(2).padStart(5)}  ${bar(ratio, most)}`).join(
    "\n"
  )
}

const text = (content: string): string => `\`\`\`text\n${content}\n\`\`\``

const remarks: Readonly<Record<string, string>> = {
  page: "[The page](../docs/page.md) in Chromium without a graphics card, drawn by the same two cores that serve it.",
  cluster:
    "Processes over one PostgreSQL server, and 60 sessions whose users answer at once, on the same two cores. An orphan is a session " +
    "whose node has gone; its time is from the signal to its next answer. For the throughput a node's model gives eight answers " +
    "at a time, 100 ms each, as a provider's limit does.\n\n" +
    "The lines with clients are of clients that speak HTTP, with 12, 30, 30 and 12 sessions, while other work kept the machine busy. A client goes to another process when " +
    "its own is gone, or when it has waited ten seconds for one that stands still.",
  sizing:
    "One node over PostgreSQL, whose model answers without waiting; each message has a `messageId` and some 200 characters, " +
    "each reply too. The docs work out [a large installation](../docs/cluster.md#how-to-size-it) from it.",
  documents:
    "Milliseconds of the processor for one file, in a new process and warm. Each flow has a condition in words and three steps, " +
    "one of them with a condition in CEL. The agent is made of the document that was read; the parser is the package `yaml`.",
  feeds: "The processor's time of a turn of 100 words, which every reader of the session's feed receives.",
  checker:
    "Milliseconds of the processor, of which a few are enough for a definition of ordinary size: it grows with the places and the " +
    "turns that are walked.",
  imports:
    "Most of it is what the core imports, and half is `effect/Schema`, which imports all of fast-check and which everything here " +
    "is decoded with. Finding and linking some 540 files takes longer than running what is in them, so our own code lies in few, " +
    "and an application that is [bundled](../docs/deployment.md) with its packages starts in a third of the time.",
  large:
    "Turns of two model calls in flows and fields, of one in signals in code; a hundred signals in words are asked about in ten " +
    "calls at once, and the column at the right is what those and the one that answers take by `@effect/ai` alone. What is made " +
    "of a definition for a prompt is made once, and kept.",
  long:
    "One session, with compaction from 1,500 tokens on and a store in memory, looked at for the last 100 turns of each stretch. " +
    "What is sent, read, written and worked does not grow with the conversation; in the first stretch the processor's time holds " +
    "the start of the process.",
  models:
    "A call by the wire, which the library reads itself, beside the same call by the methods of `LanguageModel`, which is how the " +
    "provider of somebody else is asked. Tools are written as vendors read them once, and not for each call.",
  shortlist:
    "Sixty flows with five messages each, written as people write; the first 15 and 30 of them, and all. A message is asked twice " +
    "when the first question finds nothing in it. The judge knows the right flow, so what is measured is what the " +
    "[shortlist](../docs/understanding.md#many-flows) loses.",
  speculate:
    "How often the early answer of [`speculate`](../docs/models.md#speaking-before-one-is-sure) was the right one, in the dialogues of the " +
    "demo and in turns of every kind at a desk where people mostly do not answer what they were asked; and what a user waits " +
    "for a model that takes its time.",
  understanding:
    "Messages of five domains in three languages, labelled with what they mean; each is right when it leads to the same place " +
    "with the same data as its label. These are the figures of the [offline model](../docs/offline.md), which is rules and not a model: " +
    "`npm run bench -- understanding --provider openai --model …` measures a model, with the key in the environment.",
  ways:
    "Five flows, the same with a booking of three fields and a branch in words, and with six signals, by each of the three " +
    "[ways to understand](../docs/understanding.md). The longest is that of one request, which decides how large a model must be.",
  "turn-log":
    "The same turns with a model that takes no time: without a log, with one in memory, and with one in a file.",
  stores:
    "Turns of one call, one after the other. The line of the store in memory is the turn itself; what is above it is the " +
    "store's. A round trip is a wait for the server.",
  wakes:
    "Put together from two runs on a busy machine: what it takes to ask is a mean for PostgreSQL and MySQL, and a median for " +
    "SQLite and Redis.",
  serve:
    "Against a model that takes 20 ms and says ten words, with the clients on the same two cores, so that both sides are held " +
    "back by the processor and not by the model: of 200 clients that never wait, each waits for the others, and the first word " +
    "takes as long as it takes to serve 200 streams. Ours authenticates, routes and stores each turn, and keeps it to be joined again.",
  peers:
    "S1, S4, S6 and S7 written for each library as its documentation has it, with a double of its own that answers at once; " +
    "the programs are in `bench/peers`. The bare calls keep nothing and decide nothing, and the AI SDK and the OpenAI Agents " +
    "SDK keep a conversation as a list that is sent whole. A turn of ours is also routed, checked and committed. The first delta " +
    "and each of 500 after it are those that the application sees. Each stays in one warm process, their rounds alternate, and " +
    "what is shown is the median. Coxswain is bundled as it is published. An agent is made once and kept for all rounds, as an " +
    "application keeps its agents."
}

/** From heap snapshots with and without such turns, of the bundled library. */
const kept =
  "Of 29 kB in a heap snapshot of such turns, 16 are what Effect goes on with when the answer comes (its primitives 4.5, the functions in them 6.2, the scopes " +
  "of those 5, flags 0.5), 9 are plain objects and arrays (the session, what the turn has " +
  "come to, the prompt and the call, and the references of three fibers), 3 generators and maps, 0.6 the fibers " +
  "themselves, 0.3 the timers of the two limits. By fiber, 6.3 are the caller's with the lock, 18.4 the turn's, 4.6 the " +
  "call's. A bare call has one fiber, because nobody limits it or locks its conversation. Nothing of it grows with the conversation but the messages that were loaded."

const titles: Readonly<Record<string, string>> = {
  checker: "Checking a large definition",
  cluster: "A cluster of three nodes",
  sizing: "What a session takes in a cluster",
  documents: "Agents from files",
  feeds: "Readers of a feed",
  imports: "What importing costs",
  large: "Large definitions",
  long: "A conversation of 20,000 turns",
  models: "Layers of models",
  page: "The page in a browser",
  peers: "Beside other libraries",
  serve: "Serving 200 streams at once for a minute",
  shortlist: "Many flows",
  speculate: "Speaking before one is sure",
  stores: "A turn with each store",
  "turn-log": "Recording turns",
  understanding: "What is understood",
  wakes: "What timers cost",
  ways: "Ways to understand"
}

/** The page. */
export const page = ({ benches, on }: Results): string => {
  const turns = benches.turns ?? []
  const others = Object.entries(benches).filter(([name]) => name !== "turns")
  return [
    "<!-- Written by npm run bench -- --write from bench/results.json. -->",
    "# Numbers",
    "All of it comes from this folder, and anybody can run it: `npm run bench`, or `npm run bench -- turns` for one.",
    "## How it was measured",
    `${on}, on a machine that did other work at the same time. So counts (calls, depth, characters) are exact and the same ` +
    "everywhere, and times are not: they are given as ratios of one run, where both sides were slowed down alike. Models are " +
    "doubles without latency. In a conversation with a real model, the model takes nearly all of the time.",
    "## What a conversation costs",
    "Depth is the longest chain of model calls in one turn that wait for each other, which is what a user waits for. " +
    "Characters are all that is sent to the model: prompts, messages, schemas, tools.",
    counts(turns),
    "## What the library takes of the processor",
    "The processor's time of a turn, as a multiple of what the bare calls of `@effect/ai` in it take, warm, in rounds that " +
    "alternate. The model is a double of a provider that comes with the library, which reads its wire itself; in the last " +
    "rows it is a `LanguageModel` of somebody else, so that each call of a turn holds a whole bare call, with a longer " +
    "prompt. S1 and S4 are the first turn of a conversation, S7 is S4 with messages already in it, S8 is S4 with sessions at once.",
    text(ratios(turns)),
    "The figure that matters is that S7 does not grow with the conversation: a turn loads a bounded tail.",
    "What is above the bare calls is spread. In a profile of S1 a sixth is Effect's loop, its fibers and what they carry, an " +
    "eighth decoding and encoding the session by its Schema, seven hundredths garbage collection; understanding takes six, " +
    "the walk through the steps five, reading the messages of before and writing times five each, the prompt four, routing " +
    "and the check of the request less than two each.",
    ...turns.filter((line) => / turns in flight: /.test(line)).map((line) =>
      `Memory while models are waited for: ${line}. ${kept}`
    ),
    ...others.flatMap(([name, lines]) => [
      `## ${titles[name] ?? name}`,
      ...(remarks[name] === undefined ? [] : [remarks[name]]),
      text(lines.join("\n").trim())
    ]),
    "Back to [the documentation](../docs/README.md)."
  ].join("\n\n") + "\n"
}

export const write = (root: string, results: Results): void =>
  fs.writeFileSync(path.join(root, "bench/README.md"), page(results))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url))
  const results = stored(root)
  if (results !== undefined) write(root, results)
}
