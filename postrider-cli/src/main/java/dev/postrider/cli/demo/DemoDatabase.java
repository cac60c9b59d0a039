package dev.postrider.cli.demo;

import dev.postrider.DatabaseFamily;
import dev.postrider.cli.settings.UsageException;

/** Databases that the demonstration brings along. */
enum DemoDatabase {
    POSTGRESQL("PostgreSQL", DatabaseFamily.POSTGRESQL),
    MARIADB("MariaDB", DatabaseFamily.MYSQL);

    private final String title;
    private final DatabaseFamily family;

    DemoDatabase(String title, DatabaseFamily family) {
        this.title = title;
        this.family = family;
    }

    static DemoDatabase named(String name) {
        return switch (name) {
            case "postgresql" -> POSTGRESQL;
            case "mariadb" -> MARIADB;
            default -> throw new UsageException("--db is [" + name + "]; it must be postgresql or mariadb.");
        };
    }

    String title() {
        return title;
    }

    DatabaseFamily family() {
        return family;
    }
}
