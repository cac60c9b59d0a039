package dev.postrider.bench.contender.debezium;

import java.net.URI;

/** What a JDBC URL of PostgreSQL says, taken apart, because Debezium wants the parts. */
record JdbcAddress(String host, String port, String database) {

    static JdbcAddress of(String jdbcUrl) {
        URI uri = URI.create(jdbcUrl.substring("jdbc:".length()));
        int port = uri.getPort() < 0 ? 5432 : uri.getPort();
        return new JdbcAddress(
                uri.getHost(), String.valueOf(port), uri.getPath().substring(1));
    }
}
