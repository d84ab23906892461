/** The rooms of a folder of `src`, lowest first: a file in a room imports that room and those before it. Files beside the rooms may import all. */
export const rooms = {
  domain: [
    ...["base", "code", "fields", "origin", "job", "directive", "policy", "session", "language"],
    ...["authored", "definition", "document", "turn", "brief", "walk", "check", "graph"]
  ],
  services: ["session", "jobs", "turn", "storage", "tool", "model", "understanding"],
  pipeline: [
    ...["state", "walk", "flow", "stored", "speaking", "understanding", "tools"],
    ...["features", "phases", "document", "agent", "recording"]
  ]
} satisfies Readonly<Record<string, ReadonlyArray<string>>>
