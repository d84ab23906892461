import { replay, vendor } from "./wire.js"

replay("google", "google", {
  b65d27743e95: { read: { finish: "tool-calls" }, because: "the call reaches the tool loop, which tells the model" },
  e0b97a631c0b: {
    read: { usage: { input: 785, output: 779, cached: 0 } },
    because: "what a tool of Google's read is input too"
  }
})

const enums = ["finishReason", "role", "modality", "category", "probability", "trafficType", "serviceTier"]
  .concat("modelVersion", "finishMessage")

/** Candidates, parts, ratings and sources of unknown types. */
const added = {
  candidates: [null, { addedLater: true }],
  parts: [{ addedLater: { text: "no" } }, null, "x"],
  safetyRatings: [{ category: "ADDED_LATER" }, 7],
  promptTokensDetails: [{ modality: "SMELL", tokenCount: 1 }],
  groundingChunks: [{ addedLater: { uri: "https://example.com" } }, { web: { uri: "no address" } }]
}

const generated = (parts: ReadonlyArray<object>, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
  usageMetadata: {
    promptTokenCount: 11,
    candidatesTokenCount: 7,
    thoughtsTokenCount: 3,
    cachedContentTokenCount: 4,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: 11 }],
    trafficType: "ON_DEMAND"
  },
  modelVersion: "gemini-x",
  responseId: "r1"
})
const thought = { text: "Hm.", thought: true }
const said = { text: "One moment." }
const call = { functionCall: { name: "lookup", args: { q: "x" } }, thoughtSignature: "sealed" }
const end = {
  finishReason: "STOP",
  avgLogprobs: -0.1,
  safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "NEGLIGIBLE" }],
  groundingMetadata: { groundingChunks: [{ web: { uri: "https://example.com/a", title: "A" } }] }
}

const whole = generated([thought, said, call], end)
const pieces: ReadonlyArray<object> = [generated([thought]), generated([said]), generated([call], end)]
const written = (pieces: ReadonlyArray<unknown>) =>
  pieces.map((piece) => `data: ${JSON.stringify(piece)}\r\n\r\n`).join("")

/** Streams with a chunk of an unknown type at every position. */
const inserted = [0, 1, 2, 3].flatMap((i) =>
  [{ addedLater: true }, { candidates: [] }, { promptFeedback: { safetyRatings: [] } }].map((piece) => ({
    where: `before piece ${i}`,
    body: written([...pieces.slice(0, i), piece, ...pieces.slice(i)])
  }))
)

vendor("Google", "google", { whole, pieces, written, enums, elements: added, inserted, own: /\/args: / })
