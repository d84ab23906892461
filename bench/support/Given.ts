/** The options of the command line: `npm run bench -- wakes --sessions=2000 --only=sqlite,redis`. */

/** `--name=3` */
export const number = (name: string, otherwise: number): number =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise)

/** The names after `--only=`, or the plain arguments when a bench is run by its file; empty without either. */
export const names = (): ReadonlyArray<string> =>
  process.argv.slice(2).flatMap((argument) =>
    argument.startsWith("--only=") ? argument.slice(7).split(",") : argument.startsWith("--") ? [] : [argument]
  )
