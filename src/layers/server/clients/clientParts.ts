/** Converts messages of OpenAI's and AG-UI's clients to text and parts. */
import * as Effect from "effect/Effect"
import * as Excerpt from "../../../domain/base/error/Excerpt.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { AgUiPart, OpenAiPart } from "../api/ClientApi.js"
import type { PartBody } from "../api/PartBody.js"
import * as Problem from "../requests/Problem.js"

/** The text and the files of a message. */
export interface SaidInParts {
  readonly message?: string
  readonly parts?: ReadonlyArray<PartBody>
}

type Content<P> = string | ReadonlyArray<P> | null | undefined
type Maybe = string | null | undefined

const given = <K extends string>(key: K, value: Maybe): { readonly [P in K]?: string } =>
  typeof value === "string" && value !== "" ? { [key]: value } as { readonly [P in K]: string } : {}

const ofUrl = (url: string, mediaType?: Maybe, name?: Maybe): PartBody => ({
  type: "file",
  url,
  ...given("mediaType", mediaType),
  ...given("name", name)
})

const ofId = (ref: string, name?: Maybe): PartBody => ({ type: "file", ref, ...given("name", name) })

/** Converts a file of OpenAI's clients: the id of an uploaded file, or its data as a data URL. */
const ofFile = ({ file_data: data, file_id: id, filename }: OpenAiPart): PartBody | undefined =>
  typeof id === "string" ? ofId(id, filename) : typeof data === "string" ? ofUrl(data, undefined, filename) : undefined

const audio: Readonly<Record<string, string>> = { mp3: "audio/mpeg", wav: "audio/wav" }

const ofAudio = ({ input_audio: given }: OpenAiPart): PartBody | undefined =>
  given === undefined || ownValue(audio, given.format) === undefined
    ? undefined
    : ofUrl(`data:${audio[given.format]};base64,${given.data}`)

const ofImage = ({ file_id: id, image_url: image }: OpenAiPart): PartBody | undefined =>
  typeof id === "string"
    ? ofId(id)
    : typeof image === "string"
    ? ofUrl(image)
    : image === null || image === undefined
    ? undefined
    : ofUrl(image.url)

const openAi: Readonly<Record<string, (part: OpenAiPart) => PartBody | undefined>> = {
  image_url: ofImage,
  input_image: ofImage,
  input_audio: ofAudio,
  file: ({ file }) => file && ofFile({ type: "file", ...file }),
  input_file: (part) =>
    typeof part.file_url === "string" ? ofUrl(part.file_url, undefined, part.filename) : ofFile(part)
}

/** Converts a file of an AG-UI part; a source of type `file` contains the `ref` of an upload. */
const ofAgUi = ({ data, filename, id, mimeType, source, url }: AgUiPart): PartBody | undefined => {
  if (source !== undefined) {
    if (source.type === "file") return ofId(source.value)
    const { mimeType: type, value } = source
    return ofUrl(
      source.type === "data" ? `data:${type};base64,${value}` : value,
      source.type === "url" ? type : undefined
    )
  }
  if (typeof data === "string") return ofUrl(`data:${mimeType};base64,${data}`, undefined, filename)
  if (typeof url === "string") return ofUrl(url, mimeType, filename)
  return typeof id === "string" ? ofId(id, filename) : undefined
}

const texts = new Set(["text", "input_text"])

const saidIn = <P extends { readonly type: string; readonly text?: Maybe }>(
  fileOf: (part: P) => PartBody | undefined
) =>
(content: Content<P>): Effect.Effect<SaidInParts, Problem.Problem> => {
  if (typeof content === "string") return Effect.succeed({ message: content })
  const all = content ?? []
  const message = all.flatMap(({ text, type }) => texts.has(type) ? [text ?? ""] : []).join("\n")
  const parts: Array<PartBody> = []
  for (const part of all) {
    if (texts.has(part.type)) continue
    const file = fileOf(part)
    if (file === undefined) {
      return Effect.fail(Problem.malformed(
        `messages: an agent takes text and files, and cannot read this part "${Excerpt.start(part.type, 50)}".`,
        "messages"
      ))
    }
    parts.push(file)
  }
  return Effect.succeed({
    ...((message !== "" || parts.length === 0) && { message }),
    ...(parts.length > 0 && { parts })
  })
}

export const ofOpenAi = saidIn((part: OpenAiPart) => ownValue(openAi, part.type)?.(part))

export const ofAgUiContent = saidIn(ofAgUi)
