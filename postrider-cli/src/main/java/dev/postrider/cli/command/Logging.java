package dev.postrider.cli.command;

/**
 * Changes of {@code simplelogger.properties} for one run. They count only for loggers that do not exist
 * yet, so commands keep none in static fields and everything below them is loaded later.
 */
public final class Logging {
    private static final String LEVEL = "org.slf4j.simpleLogger.log.";

    private Logging() {}

    /** One JSON object for each line of the log, for those who collect logs. */
    public static void asJson() {
        // Or SLF4J would say first, in words, which provider it loads.
        System.setProperty("slf4j.internal.verbosity", "WARN");
        System.setProperty("slf4j.provider", JsonLogProvider.class.getName());
    }

    /** Tells everything of Postrider, and every complaint of the libraries. */
    public static void raise() {
        System.setProperty(LEVEL + "dev.postrider", "debug");
        System.setProperty(LEVEL + "org.apache.kafka.clients.NetworkClient", "warn");
    }

    /**
     * Kafka's clients complain every second about a broker that is down, the pool about being closed in a
     * hurry, and servers tell of every start; whoever takes them down and up has said so.
     */
    public static void hushForDemo(boolean verbose) {
        System.setProperty(LEVEL + "org.apache.kafka", "error");
        System.setProperty(LEVEL + "com.zaxxer.hikari", "error");
        if (!verbose) {
            System.setProperty(LEVEL + "dev.postrider", "warn");
        }
    }
}
