/**
 * Jobs that come with a handler.
 *
 * @since 0.1.0
 */

/** What marks a job whose handler the library has: nobody needs to provide one. */
export interface BuiltIn {
  readonly builtIn: true
}

/** The job, with that mark. */
export const builtIn = <J extends object>(job: J): J & BuiltIn => Object.assign(job, { builtIn: true } as const)
