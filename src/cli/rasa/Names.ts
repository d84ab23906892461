/** The names in a project that strangers wrote: those that are allowed, and their forms for files and for code. */

const allowed = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ ./-]*$/u

/** Returns the reason why a name is refused; undefined if it is allowed. */
export const faultOf = (name: string): string | undefined => {
  if (name === "__proto__") return "it would change the prototype of each object"
  if (name.length > 200) return "it has more than 200 characters"
  if (name.includes("..") || /(^|\/)\.|\/$|\/\//.test(name)) return "it is a path"
  return allowed.test(name) ? undefined : "a name has letters, digits, spaces, \"_\", \"-\" and \".\" alone"
}

/** Writes a name with the letters, digits and underscores of ASCII. */
export const plain = (name: string): string =>
  Array.from(
    name.normalize("NFC"),
    (one) => /\w/.test(one) ? one : one.codePointAt(0)! < 128 ? "_" : `u${one.codePointAt(0)!.toString(16)}`
  ).join("")

/** The form of names for one place. */
interface Form {
  /** True if the place takes the name as it is. */
  readonly fits: (name: string) => boolean
  /** Largest number of characters. */
  readonly max: number
  /** True if names that differ in their case alone are the same. */
  readonly foldsCase?: boolean
}

/** Names of Windows for devices, which are no names of files. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/i

const wordsOfCel = new Set([
  ...["as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"],
  ...["package", "namespace", "null", "return", "true", "var", "void", "while"]
])

/** A field of the data: expressions name it, and no object has something of this name anyhow. */
export const field: Form = {
  fits: (name) => /^[A-Za-z_]\w*$/.test(name) && !wordsOfCel.has(name) && !(name in Object.prototype),
  max: 100
}

/** A tool, as vendors of models allow it. */
export const tool: Form = { fits: (name) => /^[\w-]+$/.test(name), max: 64 }

/** A file without its ending. */
export const file: Form = {
  fits: (name) => /^\w[\w-]*$/.test(name) && !devices.test(name),
  max: 100,
  foldsCase: true
}

function* candidates(name: string, { max }: Form): Generator<string> {
  const words = plain(name).slice(0, max - 8)
  const base = /^[A-Za-z]/.test(words) ? words : `x_${words}`
  yield* [name, base, `${base}_`]
  for (let n = 2;; n++) yield `${base}_${n}`
}

/** Gives each name a form of its own; names that fit keep theirs. */
export class Forms {
  private readonly forms = new Map<string, string>()
  private readonly taken = new Set<string>()

  constructor(private readonly form: Form, names: Iterable<string> = []) {
    const all = [...new Set(names)]
    for (const name of all) if (this.isFree(name)) this.take(name, name)
    for (const name of all) this.of(name)
  }

  private keyOf(form: string): string {
    return this.form.foldsCase === true ? form.toLowerCase() : form
  }

  private isFree(name: string): boolean {
    const { fits, max } = this.form
    return name.length <= max && fits(name) && !this.taken.has(this.keyOf(name))
  }

  private take(name: string, form: string): string {
    this.forms.set(name, form)
    this.taken.add(this.keyOf(form))
    return form
  }

  /** Returns the form of a name. A name that is new gets one. */
  of(name: string): string {
    const known = this.forms.get(name)
    if (known !== undefined) return known
    for (const one of candidates(name, this.form)) if (this.isFree(one)) return this.take(name, one)
    return name
  }
}
