/** The transactions of the Prisma store. */
import type { SessionWrite } from "../../services/session/SessionStore.js"
import type { Models } from "./PrismaModels.js"
import * as Stored from "./Stored.js"

/** Writes a commit. Returns false if the session did not have the expected version. */
export const commit = async (models: Models, write: SessionWrite, expiresAt: Date): Promise<boolean> => {
  const { answered, expectedVersion, messages, updatedAt } = write
  const id = Stored.toText(write.id)
  const turnKey = Stored.turnOf(write)
  const waiting = Stored.fromWaiting(write)
  const data = {
    version: expectedVersion + 1,
    userId: write.userId === undefined ? null : Stored.toText(write.userId),
    session: JSON.stringify(write.session),
    updatedAt,
    wakeAt: write.wakeAt ?? null,
    waits: waiting !== null,
    waiting
  }
  if (expectedVersion === 0) {
    await models.coxswainSession.create({
      data: { ...data, id, messageCount: messages.length, createdAt: updatedAt }
    })
  } else {
    const { count } = await models.coxswainSession.updateMany({
      where: { id, version: expectedVersion },
      data: { ...data, messageCount: { increment: messages.length } }
    })
    if (count === 0) return false
  }
  if (messages.length > 0) {
    await models.coxswainMessage.createMany({
      data: messages.map(({ createdAt, message, seq }) => ({
        sessionId: id,
        seq,
        message: JSON.stringify(message),
        createdAt
      }))
    })
  }
  if (answered !== undefined) {
    const key = { sessionId: id, messageId: Stored.toText(answered.messageId) }
    const update = { response: JSON.stringify(answered.response), expiresAt }
    await models.coxswainAnswer.upsert({
      where: { sessionId_messageId: key },
      create: { ...key, ...update },
      update
    })
  }
  if (turnKey !== undefined) {
    await models.coxswainJournal.deleteMany({ where: { sessionId: id, turnKey: Stored.toText(turnKey) } })
  }
  return true
}

/**
 * Removes a session if its row matches `only`, inside a transaction. The row is deleted first: its lock keeps a new
 * session with this id from starting until the rest is deleted. If the row does not exist, only the journal is removed:
 * other data belongs to a new session that has just begun.
 */
export const remove = async (
  models: Models,
  id: string,
  only: { readonly updatedAt?: { lt: string } }
): Promise<boolean> => {
  const { count } = await models.coxswainSession.deleteMany({ where: { id, ...only } })
  if (count === 0 && only.updatedAt !== undefined) return false
  const where = { sessionId: id }
  if (count > 0) {
    await models.coxswainMessage.deleteMany({ where })
    await models.coxswainAnswer.deleteMany({ where })
  }
  await models.coxswainJournal.deleteMany({ where })
  return true
}
