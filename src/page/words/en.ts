/** The page's texts in English. */
import { size } from "./size.js"

export const en = {
  lang: "en",
  quote: (text: string) => `“${text}”`,
  skip: "Go to the message",
  loading: "Loading …",
  offline: "The server cannot be reached. The page tries again by itself.",
  retry: "Try again",
  close: "Close",
  cancel: "Cancel",
  copy: "Copy",
  copied: "Copied",
  more: "Show more",
  help: "Keys",
  theme: { auto: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" },
  login: {
    title: "This server asks who you are",
    hint: "Paste your token. The page keeps it until you leave, and nowhere else.",
    wrong: "The server did not accept this token.",
    token: "Token",
    send: "Go on"
  },
  problem: {
    id: (id: string) => `Request ${id}`,
    fix: {
      401: "Reload the page and give your token again.",
      403: "Ask somebody who has the role.",
      404: "Go back to the list of sessions.",
      409: "Wait a moment, then send it again.",
      429: "Wait a moment, then send it again.",
      503: "The page tries again; or reload it.",
      other: "Try again. If it fails again, give the request's id to those who run the server."
    }
  },
  sessions: {
    title: "Sessions",
    search: "Search sessions",
    new: "New",
    newHint: "New conversation",
    none: "No conversation yet. Begin one.",
    noMatch: (text: string) => `No session fits “${text}”.`,
    waits: "waits for approval",
    wantsPerson: "asks for a person",
    hasFloor: (name: string) => `${name} has the floor`,
    idle: "no flow",
    turns: (count: number) => `${count} ${count === 1 ? "message" : "messages"}`,
    erase: "Erase",
    eraseSure: (name: string) => `Erase “${name}” with all its messages? This cannot be undone.`,
    export: "Export"
  },
  desk: {
    title: "Desk",
    count: (count: number) => `Desk (${count})`,
    empty: "Nothing waits.",
    hint: "What waits for a person, oldest first.",
    notOperator: "The desk is for people with the operator's role.",
    open: "Open the conversation",
    since: (time: string) => `waits ${time}`,
    who: (role: string | undefined) => role === undefined ? "anybody may decide" : `for the role ${role}`,
    person: "A person is asked for",
    copy: (of: string) => `What-if copy of ${of}`,
    yours: "Yours",
    theirs: (name: string) => `${name} has taken it`,
    taken: "With a person"
  },
  talk: {
    title: "Conversation",
    messages: "Messages",
    you: "User",
    agent: "Agent",
    message: "Message",
    send: "Send",
    stop: "Stop",
    attach: "Add files",
    remove: (name: string) => `Remove ${name}`,
    older: "Earlier messages",
    empty: "Say something, or try one of these:",
    noFlows: "This agent has no flows: it answers as its persona says.",
    begin: "Let the agent begin",
    busy: {
      queue: "An answer is on its way. Your message is answered after it.",
      cancel: "An answer is on its way. Your message stops it, and both are answered together.",
      reject: "An answer is on its way. Until it ends, the server refuses messages."
    },
    stopped: "stopped",
    failed: "The turn failed; nothing of it is stored.",
    event: (name: string) => `Event ${name}`,
    job: "Job",
    handedOver: (name: string) => name === "" ? "A person is asked for" : `${name} has the floor`,
    released: "The agent has the floor again",
    rewound: "The conversation was taken back",
    replaced: "What was replaced",
    why: "Why?",
    running: "runs",
    arguments: "Arguments",
    result: "Result",
    arrived: (text: string) => `The agent says: ${text}`,
    tooLarge: (bytes: number) => `is larger than ${size(bytes, "en")}`,
    notAccepted: (types: string) => `is of a type that is not accepted (${types})`,
    tooMany: (count: number) => `is one too many: at most ${count} files`,
    flow: "Flow",
    anyFlow: "any flow"
  },
  origins: {
    title: "Where they come from",
    kinds: {
      user: "the user",
      confirmed: "confirmed by the user",
      person: "a person",
      code: "the application",
      tool: "the result of",
      document: "a document",
      agent: "the report of",
      model: "the model",
      several: "several places"
    }
  },
  denied: { title: "Refused by a policy", missing: "What is missing" },
  form: { send: "Send", choose: "choose …", yes: "yes", no: "no", notJson: "This is not JSON." },
  approval: {
    title: (tool: string) => `${tool} waits for approval`,
    role: (role: string) => `Role: ${role}`,
    approve: "Approve",
    edit: "Edit",
    deny: "Deny",
    reason: "Reason (optional)",
    asUser: "The user is asked in the conversation."
  },
  floor: {
    yours: "You have the floor. The agent stays silent.",
    theirs: (name: string) => `${name} has the floor.`,
    wanted: (reason: string) => reason === "" ? "A person is asked for." : `A person is asked for: ${reason}`,
    take: "Take over",
    suggest: "Suggest",
    release: "Give back",
    directive: "Go on with",
    same: "where it was",
    say: "Say as yourself"
  },
  side: {
    title: "Behind the conversation",
    where: "Where",
    why: "Why",
    data: "Data",
    whatif: "What if",
    talk: "Talk",
    list: "List"
  },
  where: {
    empty: "Only operators see the graph.",
    graph: "Graph of the flows",
    follow: "Follow the conversation",
    in: "Zoom in",
    out: "Zoom out",
    fit: "Whole graph",
    find: "Find a step",
    suspended: "Suspended",
    agenda: "To come",
    here: "here",
    prompt: "Prompt",
    fields: "Collects",
    tools: "Tools",
    branches: "Ways on",
    marks: { current: "current", visited: "visited", suspended: "suspended" },
    judged: (holds: boolean): string => holds ? "held" : "did not hold",
    noStep: "Choose a step to see what is in it."
  },
  why: {
    empty: "Say something: each turn is explained here.",
    older: "Earlier turns are known when the server records them (a turn log).",
    turn: (n: number) => `Turn at message ${n}`,
    place: "Show the place",
    prompt: "Prompt",
    answer: "Answer",
    calls: "Prompts and answers of the models",
    noCalls: "The turn asked no model, or the server has not recorded it.",
    changed: "The agent has changed since: this is the prompt of now."
  },
  data: {
    empty: "Nothing is known yet.",
    field: "Field",
    value: "Value",
    from: "From",
    scopes: { flow: "kept for the flow", session: "kept for the session" },
    part: "known in part",
    context: "Context",
    unknown: "not known"
  },
  whatif: {
    hint: "Choose a turn, and say something else there.",
    turn: "Instead of",
    after: "after the last turn",
    message: "Say instead",
    fork: "Try it",
    original: "As it was",
    forked: "Instead",
    differs: "differs",
    noSnapshots:
      "This agent keeps no snapshots, so that only its present state can be copied. Set `snapshots` in the agent.",
    replay: "Run on what is loaded now",
    test: "As a test",
    noLog: "The server records no turns. Provide a TurnLog, or start it with --log.",
    reproduced: (as: number, of: number) => `${as} of ${of} turns are as they were.`,
    turnDiffers: (turn: number, kind: string) => `Turn ${turn} differs: another ${kind}.`,
    was: "was",
    is: "is now",
    event: "Send an event",
    eventName: "Event",
    clock: "Move the clock",
    forward: "forward",
    now: (time: string) => `In this session it is ${time}.`
  },
  keys: {
    title: "Keys",
    list: [
      ["/", "write a message"],
      ["j, k", "next and previous turn"],
      ["1 – 4", "Where, Why, Data, What if"],
      ["g s", "sessions"],
      ["g d", "desk"],
      [".", "stop the answer"],
      ["?", "this list"]
    ] as ReadonlyArray<readonly [string, string]>
  }
}

export type Words = typeof en
