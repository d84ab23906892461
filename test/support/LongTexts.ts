/** Texts of 100,000 characters that make a superlinear regular expression slow. */
const size = 100_000

const many = (text: string) => text.repeat(Math.ceil(size / text.length))

/** By their repeated part; each also with an end that does not match. */
export const longTexts: Record<string, string> = Object.fromEntries(
  [
    ...["a", "1", " ", "\n", "-", ".", "'", "(", "\"", "🙂", "é", "A"],
    ...["a ", "1 ", "1-", "1.", "1,1", "111,", "a-", "a.", "a'", "a@", "a@a.", "(a", "a, ", ", ", ". ", "- ", ": "],
    ...["not in ", "my name is  ", "forget the ", "any ", "i am ", "from ", "to to ", "one hundred and ", "half past "],
    ...["10 to ", "7 in the ", "and then ", "ok, but ", "name names", "no, ", "don't ", "check in ", "the guest's "],
    ...["2 weeks of ", "twenty-", "hundred ", "+1 (", "http://", "aA", "a_", "Dr. ", "2027-02-", "1/1/", "1:"]
  ].flatMap((part) => [[part, many(part)], [`${part} and an end`, `${many(part)}~`]])
)
