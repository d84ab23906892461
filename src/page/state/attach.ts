/** Files that a person adds to a message. */
import { ask } from "../net/api.js"
import type { Profile, Uploaded } from "../net/wire.js"
import { words } from "../words/words.js"

export interface Attachment {
  readonly file: File
  /** The reason why the file cannot be sent. */
  readonly problem?: string
}

type Limits = NonNullable<Profile["files"]>

const isAccepted = (type: string, accept: Limits["accept"]): boolean =>
  accept.some((one) => one === type || (one.endsWith("/*") && type.startsWith(one.slice(0, -1))))

const problemOf = ({ size, type }: File, at: number, { accept, maxBytes, maxFiles }: Limits): string | undefined => {
  if (size > maxBytes) return words.talk.tooLarge(maxBytes)
  // If the browser does not know the file's type, the server decides.
  if (type !== "" && !isAccepted(type, accept)) return words.talk.notAccepted(accept.join(", "))
  return at >= maxFiles ? words.talk.tooMany(maxFiles) : undefined
}

/** Adds files to those already chosen. A file that the server would refuse has a `problem`. */
export const attach = (
  before: ReadonlyArray<Attachment>,
  files: ReadonlyArray<File>,
  limits: Limits
): ReadonlyArray<Attachment> => {
  const all = [...before.map(({ file }) => file), ...files]
  return all.map((file, i) => {
    const problem = problemOf(file, i, limits)
    return problem === undefined ? { file } : { file, problem }
  })
}

/** Uploads files for a conversation, and returns them as parts of a message. */
export const upload = async (path: string, files: ReadonlyArray<File>): Promise<ReadonlyArray<Uploaded>> => {
  if (files.length === 0) return []
  const body = new FormData()
  for (const file of files) body.append("file", file)
  return (await ask<{ readonly items: ReadonlyArray<Uploaded> }>(`${path}/files`, { body })).items
}
