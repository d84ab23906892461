import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { type Failed, problem, send } from "../net/api.js"
import type { FileLink } from "../state/items.js"
import { safe } from "../state/markdown.js"
import { Notice } from "./Notice.js"

/**
 * Shows a file of the conversation. A picture is shown only if it is in the server's store; a file at another address
 * is a link.
 */
export const StoredFile = (
  { file: { mediaType, name, ref, url }, path }: { readonly file: FileLink; readonly path: string }
) => {
  const shown = useSignal<string>()
  const failure = useSignal<Failed>()
  const isPicture = /^image\/(png|jpeg|gif|webp)$/.test(mediaType)
  const load = async () => {
    const response = await send(`${path}/files/${encodeURIComponent(ref ?? "")}`)
    return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type: mediaType }))
  }
  useEffect(() => {
    if (isPicture && ref !== undefined) void load().then((address) => shown.value = address, () => {})
    return () => shown.value !== undefined && URL.revokeObjectURL(shown.value)
  }, [ref])
  const save = async () => {
    try {
      const link = document.createElement("a")
      link.href = shown.value ?? await load()
      link.download = name
      link.click()
    } catch (cause) {
      failure.value = problem(cause)
    }
  }
  if (failure.value !== undefined) return <Notice failed={failure.value} />
  if (shown.value !== undefined && isPicture) {
    return (
      <button type="button" class="picture" onClick={() => void save()}>
        <img src={shown} alt={name} />
      </button>
    )
  }
  const address = url === undefined ? undefined : safe(url)
  if (address !== undefined) {
    return <a class="file" href={address} rel="noopener noreferrer nofollow" target="_blank">{name}</a>
  }
  return ref === undefined
    ? <span class="file">{name}</span>
    : <button type="button" class="file" onClick={() => void save()}>{name}</button>
}
