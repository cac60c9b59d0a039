package dev.postrider.internal.store.log;

/**
 * The database cluster that snapshots belong to.
 *
 * @param systemId differs between clusters, also after a dump and restore or an upgrade
 * @param timeline grows with every fail-over to a replica
 */
public record Cluster(long systemId, int timeline) {}
