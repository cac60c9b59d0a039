package dev.postrider.tests.support;

import java.util.stream.Stream;

/** What the profile {@code torture} runs beyond every build: tests that take long and whose like every build has. */
public final class Torture {
    /** The tag of tests that only the profile runs. */
    public static final String ONLY = "torture";

    /** The tag of tests that every build runs, and the profile with more cases. */
    public static final String ALSO = "also-torture";

    private Torture() {}

    public static boolean isOn() {
        return Boolean.getBoolean("postrider.torture");
    }

    /** The first in every build, all of them in the profile. */
    public static Stream<String> oneOf(String... cases) {
        return Stream.of(cases).limit(isOn() ? cases.length : 1);
    }

    /** For tests whose other cases on MariaDB are enough for every build. */
    public static Stream<TestServer> servers() {
        return Stream.of(TestServer.values()).filter(server -> isOn() || server == TestServer.POSTGRES);
    }
}
