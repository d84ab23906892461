/** The rows of the Prisma store, and the methods of the models that it uses. */

export interface SummaryRow {
  readonly id: string
  readonly version: number
  readonly userId: string | null
  readonly messageCount: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly wakeAt: string | null
  readonly waiting: string | null
}

interface SessionRow extends SummaryRow {
  readonly session: string
  readonly waits: boolean
}

interface JournalRow {
  readonly entry: string
  readonly sessionId: string
  readonly turnKey: string
  readonly fingerprint: string
  readonly outcome: string
  readonly createdAt: string
  readonly expiresAt: Date
}

interface LockRow {
  readonly sessionId: string
  readonly queue: string
  readonly expiresAt: Date
}

export interface MessageRow {
  readonly sessionId: string
  readonly seq: number
  readonly message: string
  readonly createdAt: string
}

interface AnswerRow {
  readonly sessionId: string
  readonly messageId: string
  readonly response: string
  readonly expiresAt: Date
}

type AnswerKey = { sessionId_messageId: Pick<AnswerRow, "sessionId" | "messageId"> }
export type Select<Row> = { [K in keyof Row]: true }
type Count = PromiseLike<{ readonly count: number }>

/** The methods of the models that the store uses. */
export interface Models {
  readonly coxswainSession: {
    findUnique(args: { where: { id: string } }): PromiseLike<SessionRow | null>
    findMany(args: {
      where: {
        userId?: string
        waits?: true
        wakeAt?: { lte: string }
        updatedAt?: { lte: string } | { lt: string }
        OR?: Array<{ updatedAt: { lt: string } } | { id: { lt: string } }>
      }
      orderBy: Array<{ updatedAt: "asc" | "desc" } | { id: "asc" | "desc" } | { wakeAt: "asc" }>
      take: number
      select: Select<SummaryRow>
    }): PromiseLike<ReadonlyArray<SummaryRow>>
    create(args: { data: SessionRow }): PromiseLike<unknown>
    updateMany(args: {
      where: { id: string; version: number }
      data: {
        version: number
        userId: string | null
        session: string
        messageCount: { increment: number }
        updatedAt: string
        wakeAt: string | null
        waits: boolean
        waiting: string | null
      }
    }): Count
    deleteMany(args: { where: { id: string; updatedAt?: { lt: string } } }): Count
  }
  readonly coxswainMessage: {
    findMany(args: {
      where: { sessionId: string; seq: { gte: number; lte: number } }
      orderBy: { seq: "asc" }
    }): PromiseLike<ReadonlyArray<MessageRow>>
    createMany(args: { data: Array<MessageRow> }): Count
    deleteMany(args: { where: { sessionId: string } }): Count
  }
  readonly coxswainAnswer: {
    findUnique(args: { where: AnswerKey }): PromiseLike<AnswerRow | null>
    upsert(args: {
      where: AnswerKey
      create: AnswerRow
      update: Pick<AnswerRow, "response" | "expiresAt">
    }): PromiseLike<unknown>
    deleteMany(args: { where: { sessionId: string } | { expiresAt: { lte: Date } } }): Count
  }
  readonly coxswainJournal: {
    findUnique(args: { where: { entry: string } }): PromiseLike<JournalRow | null>
    findMany(args: {
      where: { sessionId: string; turnKey: string; expiresAt: { gt: Date } }
    }): PromiseLike<ReadonlyArray<JournalRow>>
    create(args: { data: JournalRow }): PromiseLike<unknown>
    deleteMany(args: {
      where: { sessionId: string; turnKey?: string } | { expiresAt: { lte: Date } }
    }): Count
  }
  readonly coxswainLock: {
    findUnique(args: { where: { sessionId: string } }): PromiseLike<LockRow | null>
    create(args: { data: LockRow }): PromiseLike<unknown>
    updateMany(args: {
      where: { sessionId: string; queue: string }
      data: { queue: string; expiresAt: Date }
    }): Count
    deleteMany(args: { where: { sessionId: string; queue: string } | { expiresAt: { lte: Date } } }): Count
  }
}

/** The part of a `PrismaClient` (5 or later) that the store uses. */
export interface Client extends Models {
  $transaction<A>(
    run: (transaction: Models) => Promise<A>,
    options?: { maxWait?: number; timeout?: number }
  ): Promise<A>
}
