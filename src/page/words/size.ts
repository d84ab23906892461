/** Returns a number of bytes in a unit that is easy to read: "1.5 MB". */
export const size = (bytes: number, lang: string): string => {
  const [unit, of] = bytes < 1_000_000 ? ["kilobyte", 1000] as const : ["megabyte", 1_000_000] as const
  return new Intl.NumberFormat(lang, { style: "unit", unit, maximumFractionDigits: 1 }).format(bytes / of)
}
