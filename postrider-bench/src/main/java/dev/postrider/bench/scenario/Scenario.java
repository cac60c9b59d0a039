package dev.postrider.bench.scenario;

/** Something to measure. One thread. */
public interface Scenario {

    /** As it is chosen on the command line. */
    String name();

    /** One sentence for the report and the help. */
    String description();

    void run(Session session) throws Exception;
}
