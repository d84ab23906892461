/** Phase 3: understands the message in one call, and checks and writes the values it states. */
import * as Effect from "effect/Effect"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { protoKey, wellFormed } from "../../domain/base/Json.js"
import { ownValue } from "../../domain/base/ownValue.js"
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import { forget } from "../../domain/fields/Fields.js"
import type { Session } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { type FurtherQuestions, noFurther } from "../../services/understanding/Judgement.js"
import * as Understanding from "../../services/understanding/Understanding.js"
import { tellCorrections } from "../flow/corrections.js"
import { expire } from "../flow/pendingIntents.js"
import { aboutMessage } from "../speaking/prompt.js"
import type { Message } from "../state/Input.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { filesOf, isAnswered, isAsking, isDirected, tell, trace } from "../state/TurnState.js"
import * as Candidates from "../understanding/candidates.js"
import { believed } from "../understanding/evidence.js"
import { askedFields, listedFields } from "../understanding/fieldQuestions.js"
import { isWanted, withoutBegun, withoutPast } from "../understanding/past.js"
import * as Prefilled from "../understanding/prefilled.js"
import * as Shortlist from "../understanding/shortlist.js"
import { judge, withoutCall, withQuestions } from "../understanding/verdict.js"
import { foreseen, waitingStep } from "../walk/conditions.js"
import { correctable, currentFlow } from "../walk/TurnGround.js"
import { collect } from "./collect.js"

/** A turn whose message has been understood. */
export interface Understood extends Opened {
  /** The flows to which this message may lead, including the current one. */
  readonly candidates: ReadonlyArray<CompiledFlow>
  /** The scores of flows, without zeros. */
  readonly flowScores: Readonly<Record<string, number>>
}

/** Understands the message, writes its values, and returns the scores of the flows. */
export const understand = Effect.fnUntraced(function*(turn: Opened) {
  const { agenda } = turn.state.session
  if (agenda !== undefined && turn.input._tag === "Message") expire(turn, agenda)
  const { session } = turn.state
  const prospects = yield* prospectsOf(turn, session)
  const step = waitingStep(turn)
  if (step !== undefined) turn.routing.waiting = { flowId: session.currentFlow!.id, stepId: step.id }
  const flowScores = isAsked(turn) ? yield* take(turn, yield* ask(turn, session, prospects)) : initialScores(turn)
  const wanted = turn.input._tag === "Message" ? turn.input.understood?.flow : undefined
  if (wanted !== undefined) Prefilled.traceLeft(turn, wanted, prospects.candidates)
  const understood: Understood = turn.routing.isRefused
    ? { ...turn, candidates: [], flowScores: {} }
    : { ...turn, candidates: isKept(turn) ? [] : prospects.candidates, flowScores }
  return understood
})

/** True if the turn has a message that has to be understood. */
const isAsked = (turn: Opened): boolean =>
  turn.input._tag === "Message" && turn.state.ending._tag !== "Halted" && !isHeard(turn) && !turn.routing.isRefused

/** True if the client answers no questions about its message itself. */
const isPlain = ({ understood, values }: Message): boolean => understood === undefined && values === undefined

/**
 * Returns the scores of a turn without questions: at the beginning of a conversation, only its first flow has a score.
 */
const initialScores = ({ input, runtime: { definition } }: Opened): Understood["flowScores"] => {
  const flow = input._tag === "Begin" ? input.flow ?? definition.initialFlow : undefined
  return flow === undefined ? {} : { [flow]: 100 }
}

/** The flows to which a message may lead, and the questions of features about it. */
interface Prospects extends Pick<Understood, "candidates"> {
  readonly own: FurtherQuestions
}

const none: Prospects = { candidates: [], own: {} }

const prospectsOf = Effect.fnUntraced(function*(turn: Opened, session: Session) {
  if (isDirected(turn)) return none
  const own = yield* turn.features.questions?.(turn) ?? Effect.succeed(none.own)
  return { candidates: isHeard(turn) ? [] : yield* Candidates.eligibleFlows(turn, session), own }
})

/** True if the message is a plain answer to the question about a call, so that no model has to understand it. */
const isHeard = (turn: Opened): boolean => turn.answer.verdict !== undefined

/**
 * True if the message answers the question about a call, and the answer is not a no. Such a message cannot enter other
 * flows.
 */
const isKept = (turn: Opened): boolean => isHeard(turn) && turn.answer.verdict !== "no"

/**
 * Lets Understanding answer the questions about the message, writes the values in the answers to the session, and
 * returns the scores of the flows.
 */
const take = Effect.fnUntraced(function*(turn: Opened, asking: QuestionSet) {
  const { input } = turn
  if (input._tag !== "Message") return {}
  const remaining = isPlain(input) ? asking.questions : Prefilled.remainingQuestions(asking.questions, input)
  const asksModel = input.isForm !== true && !Understanding.isEmpty(remaining)
  const judging = judgeAll(turn, input, asking, asksModel ? remaining : undefined)
  const judged = yield* turn.features.judge?.(turn, judging, asksModel) ?? judging
  if (judged === undefined) return {}
  const { questions } = judged
  const answers = accepted(turn, judged.answers)
  const { all: flowScores, positive } = Candidates.scoresOf(questions.flows, answers.flowScores)
  const conditions = Object.fromEntries(
    questions.conditions.map(({ id }) => [id, ownValue(answers.conditions, id) === true])
  )
  turn.state.answers = { ...answers, flowScores, conditions }
  yield* tell(turn, { _tag: "Understood", flowScores, conditions, ...wordsIn(questions, answers) })
  yield* hear(turn, asking.session, questions.fields, answers, { flowScores: positive, conditions })
  return positive
})

/** Writes the values of the message; then handles what it corrects, and the yes or no that it says. */
const hear = Effect.fnUntraced(function*(
  turn: Opened,
  session: Session,
  fields: Understanding.Questions["fields"],
  answers: Understanding.Answers,
  judged: Pick<Understanding.Answers, "flowScores" | "conditions">
) {
  const asks = isAsking(turn.state.session)
  const known = session.flowHistory.length === 0 ? session : withoutBegun(turn, session, judged)
  yield* collect(turn, fields, asks ? withoutCall(turn, fields, answers) : answers, known)
  const isCorrected = Object.keys(turn.state.record.corrected).length > 0
  if (isCorrected && !isBegunAnew(turn, judged)) yield* tellCorrections(turn)
  if (asks) yield* judge(turn, answers)
})

type Words = Pick<Understanding.Answers, "words" | "flowWords" | "conditionWords">

/** The words for what was asked. */
const wordsIn = (
  { conditions, fields, flows }: Understanding.Questions,
  { conditionWords = {}, flowWords = {}, words = {} }: Understanding.Answers
): Words => {
  const among = (given: Readonly<Record<string, string>>, names: ReadonlyArray<string>) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)))
  const ids = (asked: ReadonlyArray<{ readonly id: string }>) => asked.map(({ id }) => id)
  const all: Required<Words> = {
    words: among(words, fields.map(({ name }) => name)),
    flowWords: among(flowWords, ids(flows)),
    conditionWords: among(conditionWords, ids(conditions))
  }
  return Object.fromEntries(Object.entries(all).filter(([, given]) => Object.keys(given).length > 0))
}

/** Makes the texts of the answers well-formed, and drops values with a key `__proto__`. */
const accepted = (turn: Opened, answers: Understanding.Answers): Understanding.Answers => {
  if (protoKey(answers.fields) === undefined) return wellFormed(answers)
  const refused = Object.entries(answers.fields).flatMap(([name, value]) => {
    const why = protoKey({ [name]: value })
    return why === undefined ? [] : [{ name, why }]
  })
  for (const { name, why } of refused) trace(turn, "value_not_taken", name, why)
  return wellFormed({ ...answers, fields: forget(answers.fields, refused.map(({ name }) => name)) })
}

/** True if the message asks to start the last completed flow again, instead of correcting it. */
const isBegunAnew = (turn: Opened, judged: Pick<Understanding.Answers, "flowScores" | "conditions">): boolean => {
  const over = correctable(turn)
  return over !== undefined && over.reentrant !== false && isWanted(turn, judged, over)
}

/** Writes the values that the message states, without routing the message to a flow. */
export const collectOnly = (turn: Opened): Effect.Effect<void, Failure> =>
  Effect.flatMap(
    ask(turn, turn.state.session, none),
    (asking) => Effect.asVoid(take(turn, asking))
  )

/** The questions for the shortlisted flows, and the fallback questions for the other flows. */
interface QuestionSet {
  /** The session from which the questions are made. */
  readonly session: Session
  readonly questions: Understanding.Questions
  readonly others: Effect.Effect<Understanding.Questions, Failure> | undefined
}

/** Adds the known values of the questions' fields. */
const withKnown = ({ data, partial = {} }: Session, questions: Understanding.Questions): Understanding.Questions => {
  const names = Object.keys({ ...partial, ...data })
  if (names.length === 0 || questions.fields.length === 0) return questions
  const asked = new Set(questions.fields.map(({ name }) => name))
  const known = Object.fromEntries(
    names.filter((name) => asked.has(name)).map((name) => [name, ownValue(data, name) ?? ownValue(partial, name)])
  )
  return { ...questions, known }
}

/**
 * Lets Understanding answer the questions that remain after the client's own answers, and the fallback questions if
 * necessary; returns these questions and the answers. Returns undefined without questions and answers.
 */
const judgeAll = Effect.fnUntraced(function*(
  turn: Opened,
  input: Message,
  { others, questions }: QuestionSet,
  remaining: Understanding.Questions | undefined
) {
  const given = remaining === undefined ? undefined : yield* answer(turn, remaining)
  const answers = isPlain(input) ? given : Prefilled.mergeAnswers(given, input)
  if (others === undefined || input.isForm === true) return answers && { answers, questions }
  if (answers !== undefined && Shortlist.isFound(turn, questions, answers)) return { answers, questions }
  const more = yield* others
  return {
    answers: Shortlist.together(answers ?? Understanding.none, yield* answer(turn, more)),
    questions: Shortlist.joined(questions, more)
  }
})

const ask = Effect.fnUntraced(function*(
  turn: Opened,
  stored: Session,
  { candidates, own }: Prospects
) {
  const session = stored.flowHistory.length === 0 ? stored : withoutPast(turn, stored, candidates)
  const position: Position = { session, active: currentFlow(turn, session), directed: isDirected(turn) }
  const { active, directed } = position
  const { shortlist } = turn.runtime.definition
  // If the message does not select a flow, only the current one is relevant.
  const relevant = directed && active !== undefined
    ? [active]
    : shortlist === undefined
    ? candidates
    : Shortlist.near(turn, shortlist, candidates)
  const about = yield* questionsAbout(turn, position, relevant, candidates)
  const base = own === none.own ? about : withOwn(about, own)
  const late = lateFields(turn, session, base)
  const isWhole = relevant.length === candidates.length || directed
  const questions = {
    ...base,
    ...(isWhole && { listed: listedOf(turn, session, candidates) }),
    ...(late.length > 0 && { fields: [...base.fields, ...late] })
  }
  return {
    session,
    questions: withKnown(session, withConsent(turn, questions)),
    others: isWhole ? undefined : Effect.suspend(() => {
      const near = new Set(relevant)
      const rest = candidates.filter((flow) => !near.has(flow))
      return Effect.map(
        questionsAbout(turn, position, rest, candidates),
        (more) => ({ ...more, fields: more.fields.filter(({ name }) => !isAmong(questions.fields, name)) })
      )
    })
  }
})

/** Adds the questions whether the user agrees, if the agent has asked that. */
const withConsent = (turn: Opened, questions: Understanding.Questions): Understanding.Questions =>
  isAsking(turn.state.session) ? withQuestions(turn, questions) : questions

/** Adds the questions of features. */
const withOwn = (questions: Understanding.Questions, own: FurtherQuestions): Understanding.Questions => ({
  ...questions,
  ...own,
  fields: [...questions.fields, ...own.fields ?? []],
  conditions: [...questions.conditions, ...own.conditions ?? []]
})

/** Returns the flows and fields that a prompt lists, whether or not this message is asked about them. */
const listedOf = (
  turn: Opened,
  session: Session,
  candidates: ReadonlyArray<CompiledFlow>
): NonNullable<Understanding.Questions["listed"]> => {
  const flows = Candidates.listedFlows(turn, session, candidates)
  const isSole = flows.length === 1 && isWantedAnyway(turn, flows[0])
  return {
    flows: Candidates.asked(isSole ? [] : flows, undefined),
    fields: listedFields(turn.runtime.definition.fields)(Candidates.fieldsOf(flows))
  }
}

const isAmong = (fields: Understanding.Questions["fields"], name: string): boolean =>
  fields.some((one) => one.name === name)

/** The position from which a message is understood. */
interface Position {
  /** The session from which the questions are made, and its current flow. */
  readonly session: Session
  readonly active: CompiledFlow | undefined
  /** True if the message does not select a flow: a directive has chosen it, or the turn has a reply. */
  readonly directed: boolean
}

/** Returns the questions for a message. They are about the flows in `relevant`, which are some of the candidates. */
const questionsAbout = Effect.fnUntraced(function*(
  turn: Opened,
  { active, directed, session }: Position,
  relevant: ReadonlyArray<CompiledFlow>,
  candidates: ReadonlyArray<CompiledFlow>
) {
  const [sole] = candidates
  const decided = candidates.length === 1 && (sole === active || isWantedAnyway(turn, sole))
  const conditions = isAnswered(turn) ? [] : yield* foreseen(turn, relevant)
  const fields = askedFields(turn, session, Candidates.fieldsOf(relevant))
  const asked = decided || directed || relevant.every((flow) => flow === active) ? [] : relevant
  const waiting = conditions.length === 0 ? undefined : waitingFor(turn)
  const { asking, history, message, now, rules, sessionId } = yield* aboutMessage(turn)
  // All keys are written out, because a literal that begins with a spread is slow to make and to read.
  return {
    sessionId,
    message,
    history,
    asking,
    rules,
    now,
    flows: Candidates.asked(asked, active),
    fields,
    conditions,
    ...noFurther,
    ...filesOf(turn),
    ...(waiting !== undefined && { waiting })
  }
})

/** True if the turn enters the only candidate even if the message does not ask for it. */
export const isWantedAnyway = (turn: Opened, sole: CompiledFlow | undefined): boolean =>
  sole?.when.length === 0 && sole !== correctable(turn)

/**
 * The known fields of the last completed flow, so that a message can correct them. They alone are no reason to call the
 * model, unless the flow has an `onCorrect`.
 */
const lateFields = (
  turn: Opened,
  session: Session,
  questions: Understanding.Questions
): Understanding.Questions["fields"] => {
  const over = correctable(turn)
  if (over === undefined || (over.onCorrect === undefined && Understanding.isEmpty(questions))) return []
  return askedFields(turn, session, over.fields).filter((one) => one.known && !isAmong(questions.fields, one.name))
}

/** Maximum length (characters) of the waiting step's text in the prompt of Understanding. */
const askedLength = 200

/** Returns the step that waits for this message, and its question as context for Understanding. */
const waitingFor = (turn: Opened): Understanding.Questions["waiting"] => {
  const flow = currentFlow(turn, turn.state.session)
  const step = waitingStep(turn)
  if (flow === undefined || step === undefined) return undefined
  const said = Transcript.textOf(turn.history.findLast(({ role }) => role === "assistant"))
  const asked = said.length > askedLength ? `…${Excerpt.end(said, askedLength)}` : said
  return { flowId: flow.id, flow: flow.title, stepId: step.id, asked }
}

/** True if a field is of another flow than those under way and those that the answers ask for, if there are any. */
const isElsewhere = (turn: Opened, { flowScores }: Understanding.Answers, name: string): boolean => {
  const { fields, flowsById } = turn.runtime.definition
  const asked = Object.entries(flowScores).flatMap(([id, score]) => score > 0 ? [id] : [])
  const here = [...Shortlist.underWay(turn), ...asked]
  return here.length > 0 && fields.has(name) && !here.some((id) => flowsById.get(id)?.fields.includes(name) === true)
}

/** Asks all questions in one call, as far as no feature asks its own in another way. */
const answer = (turn: Opened, questions: Understanding.Questions): Effect.Effect<Understanding.Answers, Failure> =>
  Effect.map(unchecked(turn, questions), (given) => {
    const { answers, quoted, refused } = believed(questions, given, (name) => isElsewhere(turn, given, name))
    for (const { about, name, words } of quoted) {
      trace(
        turn,
        `${about}_quoted`,
        name,
        `the message says ${JSON.stringify(Excerpt.start(words, Excerpt.maxLength))}`
      )
    }
    for (const { about, name, why } of refused) trace(turn, `${about}_not_taken`, name, why)
    return answers
  })

/** Returns the answers as Understanding gives them. */
const unchecked = (turn: Opened, questions: Understanding.Questions): Effect.Effect<Understanding.Answers, Failure> => {
  const { features, runtime: { understanding } } = turn
  return features.answer === undefined
    ? understanding.answer(questions)
    : features.answer(turn, questions, (asked) => understanding.answer(asked))
}
