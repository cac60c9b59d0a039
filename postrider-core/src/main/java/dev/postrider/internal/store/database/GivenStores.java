package dev.postrider.internal.store.database;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.Pooling;
import dev.postrider.PostriderException;
import dev.postrider.internal.store.AdminStore;
import dev.postrider.internal.store.AlterStore;
import dev.postrider.internal.store.ConnectionWithStores;
import dev.postrider.internal.store.InboxStore;
import dev.postrider.internal.store.OutboxStore;
import dev.postrider.internal.store.jdbc.Catalogue;
import dev.postrider.internal.store.jdbc.Database;
import dev.postrider.internal.store.jdbc.OutboxTables;
import dev.postrider.internal.store.jdbc.Schema;
import dev.postrider.internal.store.jdbc.SchemaVersion;
import dev.postrider.internal.store.jdbc.Times;
import dev.postrider.internal.store.log.LogStore;
import dev.postrider.internal.write.ContentHash;
import java.sql.Connection;

/** Behind a connection that brings its stores: no tables, no operators, and as many sessions as there are connections. */
record GivenStores(ConnectionWithStores given) implements Database {

    @Override
    public OutboxStore outboxStore(OutboxTable table, ContentHash hash) {
        return given.outboxStore(table);
    }

    @Override
    public InboxStore inboxStore(OutboxTable table) {
        return given.inboxStore(table);
    }

    @Override
    public SchemaVersion version(Connection connection, OutboxTable table) {
        return new SchemaVersion(table, OutboxTables.VERSION, OutboxTables.VERSION);
    }

    @Override
    public void requireOwnSession(Connection connection, Pooling pooling) {}

    @Override
    public OutboxLayout standardLayout() {
        return OutboxLayout.claim();
    }

    @Override
    public LogStore logStore(OutboxTable table, OutboxLayout layout, ContentHash hash) {
        throw refusal("log mode");
    }

    @Override
    public AdminStore adminStore(OutboxTable table, OutboxLayout layout, ContentHash hash) {
        throw refusal("way for operators to change events");
    }

    @Override
    public AlterStore alterStore(OutboxTable table) {
        throw refusal("layout to be changed");
    }

    @Override
    public Schema outboxSchema(OutboxTable table, OutboxLayout layout) {
        throw refusal("table to be made");
    }

    @Override
    public Schema inboxSchema(OutboxTable table) {
        throw refusal("table to be made");
    }

    @Override
    public int migrate(Connection connection, Schema schema) {
        throw refusal("table to be made");
    }

    @Override
    public Catalogue catalogue() {
        throw refusal("table to be looked at");
    }

    @Override
    public String createIndex(String statement) {
        throw refusal("index to be made");
    }

    @Override
    public String quoted(String sql) {
        throw refusal("table to be named");
    }

    @Override
    public Times times() {
        throw refusal("column for a time");
    }

    private static PostriderException refusal(String what) {
        return new PostriderException("An outbox in memory has no " + what + ".");
    }
}
