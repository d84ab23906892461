/** Files that a person adds to a message. */
import type { JsonObject, Profile } from "../net/wire.js"
import { words } from "../words/words.js"

export interface Attachment {
  readonly file: File
  readonly problem?: string
  /** The part of the message: the file's bytes as a data URL. */
  readonly part: () => Promise<JsonObject>
}

const read = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error(file.name))
    reader.readAsDataURL(file)
  })

export const attach = (
  files: ReadonlyArray<File>,
  { maxBytes }: NonNullable<Profile["files"]>
): ReadonlyArray<Attachment> =>
  files.map((file) => ({
    file,
    ...(file.size > maxBytes && { problem: words.talk.tooLarge("") }),
    part: async () => ({
      type: "file",
      mediaType: file.type === "" ? "application/octet-stream" : file.type,
      name: file.name,
      url: await read(file)
    })
  }))
