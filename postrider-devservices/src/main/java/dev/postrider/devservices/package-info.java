/**
 * Real PostgreSQL, MariaDB and Kafka from Maven artifacts, as child processes: for tests, demos and a first look, without
 * Docker.
 *
 * <p>Start reading at {@link dev.postrider.devservices.DevServices}. {@link dev.postrider.devservices.DevPostgres},
 * {@link dev.postrider.devservices.DevMariaDb} and {@link dev.postrider.devservices.DevKafka} are three faces of a
 * {@code ServerLife}, which owns a server from start to end; what kind of server it is, a {@code ServerNode} knows. A
 * {@code Workspace} is the directory a server lives in, a {@code ServerProcess} is one run of it, and a server whose owner dies ends by itself, because it (or its
 * {@code Watchdog}) holds the other end of a pipe to the owner. A {@link dev.postrider.devservices.DevStandby} is a
 * second PostgreSQL that begins as a {@code BaseBackup} of the first, for tests of fail-over.
 *
 * <p>Not for production: the servers listen on the loopback interface only and their password is no secret.
 */
@NullMarked
package dev.postrider.devservices;

import org.jspecify.annotations.NullMarked;
