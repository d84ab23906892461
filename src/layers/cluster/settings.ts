/** Settings for `ShardingConfig` that move the sessions of a dead node to other nodes within seconds. */
import type * as ShardingConfig from "@effect/cluster/ShardingConfig"

/**
 * The times of a cluster for conversations: within seconds a dead node is noticed, its locks expire, and its sessions
 * move to other nodes. The default times of `ShardingConfig` are for background work; with them, all this takes half a
 * minute.
 *
 * The locks of shards are rows that expire. Advisory locks are off, because a database keeps the advisory locks of a
 * suspended node as long as its connection is open. A refresh that takes longer than its interval counts as failed, and
 * the node releases its sessions. So with shorter times a loaded node or database would lose sessions without need.
 */
export const settings = {
  shardLockRefreshInterval: "1 second",
  shardLockExpiration: "3 seconds",
  shardLockDisableAdvisory: true,
  refreshAssignmentsInterval: "500 millis",
  runnerHealthCheckInterval: "1 second",
  entityMessagePollInterval: "500 millis",
  entityReplyPollInterval: "100 millis",
  sendRetryInterval: "50 millis",
  simulateRemoteSerialization: false
} as const satisfies Partial<ShardingConfig.ShardingConfig["Type"]>
