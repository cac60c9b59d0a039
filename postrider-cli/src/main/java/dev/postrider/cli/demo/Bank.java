package dev.postrider.cli.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Some hundred accounts with money on them. Moving money never changes the sum. */
final class Bank {
    static final int ACCOUNTS = 300;

    private static final long OPENING_BALANCE = 10_000;

    private Bank() {}

    static void open(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table account (id int primary key, balance bigint not null)");
        }
        try (PreparedStatement insert = connection.prepareStatement("insert into account values (?, ?)")) {
            for (int id = 1; id <= ACCOUNTS; id++) {
                insert.setInt(1, id);
                insert.setLong(2, OPENING_BALANCE);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** Takes the rows in the order of their ids, so that two transfers cannot wait for each other. */
    static void move(Connection connection, int from, int to, long amount) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("update account set balance = balance + ? where id = ?")) {
            add(update, Math.min(from, to), from < to ? -amount : amount);
            add(update, Math.max(from, to), from < to ? amount : -amount);
        }
    }

    private static void add(PreparedStatement update, int account, long amount) throws SQLException {
        update.setLong(1, amount);
        update.setInt(2, account);
        update.executeUpdate();
    }

    static boolean isBalanced(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet sum = statement.executeQuery("select sum(balance) from account")) {
            sum.next();
            return sum.getLong(1) == ACCOUNTS * OPENING_BALANCE;
        }
    }
}
