/** The ids of user records. A record has the values that are kept by user; stores keep it as a session without messages. */
import { digest, type JsonObject } from "../base/Json.js"

const prefix = "~user~"

/** Returns the id of a user's record. Each agent has records of its own, also in a store that it shares with others. */
export const idOf = (agent: string, userId: string): string => prefix + digest({ agent, userId })

/** True for the id of a user record: stores leave it out of lists, and no conversation can have it. */
export const isRecord = (id: string): boolean => id.startsWith(prefix)

/** True if two readings are of the same record. One that was removed and then written again is another. */
export const isSame = (a: JsonObject, b: JsonObject): boolean => a.createdAt === b.createdAt && a.epoch === b.epoch

/** Why a conversation cannot have the id of a user record. */
export const reserved = `ids that begin with "${prefix}" belong to the values that are kept by user`
