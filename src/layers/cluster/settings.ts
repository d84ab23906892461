/** Settings for `ShardingConfig` with which the sessions of a node that dies go on elsewhere within seconds. */
import type * as ShardingConfig from "@effect/cluster/ShardingConfig"

/**
 * The times of a cluster for conversations: a node that dies is noticed, its locks expire, and its sessions go on
 * elsewhere within seconds. `ShardingConfig` has times for background work, with which that takes half a minute.
 *
 * Locks of shards are rows that expire, and no advisory locks: a database keeps those of a node that stands still for as
 * long as its connection is open. A refresh that takes longer than its interval counts as failed, and the node lets go of
 * its sessions: shorter times make a loaded node, or a loaded database, lose sessions that nothing is wrong with.
 *
 * @since 0.2.0
 * @category settings
 */
export const settings = {
  shardLockRefreshInterval: "1300 millis",
  shardLockExpiration: "4 seconds",
  shardLockDisableAdvisory: true,
  refreshAssignmentsInterval: "500 millis",
  runnerHealthCheckInterval: "1 second",
  entityMessagePollInterval: "500 millis",
  entityReplyPollInterval: "100 millis",
  sendRetryInterval: "50 millis",
  simulateRemoteSerialization: false
} as const satisfies Partial<ShardingConfig.ShardingConfig["Type"]>
