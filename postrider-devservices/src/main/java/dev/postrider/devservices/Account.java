package dev.postrider.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Under whose name PostgreSQL runs. It refuses to run as root, so for root a way down has to be found. */
sealed interface Account {

    Duration PROBE = Duration.ofSeconds(10);

    /** The command that runs the given one under this account, as the same process. */
    List<String> wrap(List<String> command);

    /** Lets the account pass through a directory of ours on the way to its own. */
    void letThrough(Path directory) throws IOException;

    /** Gives the account a file or a directory that we made, with everything in it. */
    void handOver(Path path) throws IOException;

    /** Whether the account sees the files of the user who runs this JVM, such as those under the home directory. */
    boolean seesOurFiles();

    static Account choose() {
        if (!isRoot()) {
            return new Ourselves();
        }
        return inUserNamespace()
                .or(Account::asNobody)
                .orElseThrow(() -> new DevServicesException(
                        "PostgreSQL refuses to run as root, and there is no way to run it as somebody else:"
                                + " neither 'unshare -U true' nor 'setpriv --reuid=65534 true' works here."
                                + " Run as an ordinary user, or install util-linux"));
    }

    static boolean isRoot() {
        if (Command.WINDOWS) {
            return false;
        }
        try {
            // There is no direct question for the user id, but a file of ours has it.
            Path file = Files.createTempFile("postrider-owner-", null);
            try {
                return Integer.valueOf(0).equals(Files.getAttribute(file, "unix:uid"));
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new DevServicesException(
                    "cannot create a file in " + System.getProperty("java.io.tmpdir") + ": " + e
                            + "; set -Djava.io.tmpdir to a directory you can write to",
                    e);
        }
    }

    static Optional<Account> inUserNamespace() {
        return Command.find("unshare").<Account>map(InUserNamespace::new).filter(Account::works);
    }

    static Optional<Account> asNobody() {
        return Command.find("setpriv").<Account>map(AsNobody::new).filter(Account::works);
    }

    private static boolean works(Account account) {
        return Command.find("true")
                .map(probe -> new Command(account.wrap(List.of(probe)), Path.of("/")).run(PROBE))
                .filter(Command.Outcome::isSuccess)
                .isPresent();
    }

    /** The user of this JVM, who is not root. */
    record Ourselves() implements Account {
        @Override
        public List<String> wrap(List<String> command) {
            return command;
        }

        @Override
        public void letThrough(Path directory) {}

        @Override
        public void handOver(Path path) {}

        @Override
        public boolean seesOurFiles() {
            return true;
        }
    }

    /**
     * Root outside, nobody inside: a user namespace without any mapping. Files keep belonging to root, so nothing has to
     * be handed over or cleaned up. Containers often forbid it.
     */
    record InUserNamespace(String unshare) implements Account {
        @Override
        public List<String> wrap(List<String> command) {
            return prepend(List.of(unshare, "-U"), command);
        }

        @Override
        public void letThrough(Path directory) {}

        @Override
        public void handOver(Path path) {}

        @Override
        public boolean seesOurFiles() {
            return true;
        }
    }

    /** The user nobody, who needs files of its own in places where everybody may go. */
    record AsNobody(String setpriv) implements Account {
        private static final int NOBODY = 65534;

        @Override
        public List<String> wrap(List<String> command) {
            return prepend(List.of(setpriv, "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"), command);
        }

        @Override
        public void letThrough(Path directory) throws IOException {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        }

        @Override
        public void handOver(Path path) throws IOException {
            try (Stream<Path> all = Files.walk(path)) {
                for (Path each : (Iterable<Path>) all::iterator) {
                    Files.setAttribute(each, "unix:uid", NOBODY);
                    Files.setAttribute(each, "unix:gid", NOBODY);
                }
            }
        }

        @Override
        public boolean seesOurFiles() {
            return false;
        }
    }

    private static List<String> prepend(List<String> prefix, List<String> command) {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(command);
        return all;
    }
}
