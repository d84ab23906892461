/** Returns the language of the browser, or the one that the page's address names (`?lang=de`). */
export const language = (): string => {
  const named = new URLSearchParams(location.search).get("lang") ?? ""
  return /^[a-z\d-]+$/i.test(named) ? named : navigator.language
}
