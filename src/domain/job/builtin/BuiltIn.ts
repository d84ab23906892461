/** The mark of jobs that come with a handler. */

/** Marks a job whose handler is part of the library and need not be provided. */
export interface BuiltIn {
  readonly builtIn: true
}

/** Adds the mark to a job. */
export const builtIn = <J extends object>(job: J): J & BuiltIn => Object.assign(job, { builtIn: true } as const)
