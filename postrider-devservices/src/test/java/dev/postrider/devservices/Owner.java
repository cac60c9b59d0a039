package dev.postrider.devservices;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A JVM that owns servers, so that a test can end it in ways it would not survive itself.
 *
 * @param servers the servers' processes, PostgreSQL's first
 * @param directories the temporary directories the servers live in
 */
record Owner(Process process, List<ProcessHandle> servers, List<Path> directories, String jdbcUrl) {

    private static final String READY = "servers: ";

    /** What runs in the other JVM: prints a line when the servers are there; then exits or stays until it is ended. */
    public static void main(String[] arguments) throws Exception {
        DevServices services = DevServices.shared();
        DevPostgres standby = services.postgres().startStandby().postgres();
        DevMariaDb mariaDb = DevMariaDb.shared();
        System.out.println(READY
                + String.join(
                        "|",
                        services.postgres().pid() + "," + standby.pid() + "," + mariaDb.pid() + ","
                                + services.kafka().pid(1),
                        services.postgres().jdbcUrl(),
                        postgresDirectory(services.postgres()) + "," + postgresDirectory(standby) + ","
                                + mariaDbDirectory(mariaDb) + "," + kafkaDirectory(services.kafka())));
        if (arguments[0].equals("stay")) {
            new CountDownLatch(1).await();
        }
    }

    private static Path postgresDirectory(DevPostgres postgres) throws SQLException {
        return Path.of(Sql.query(postgres, "SHOW data_directory")).getParent();
    }

    private static Path mariaDbDirectory(DevMariaDb mariaDb) throws SQLException {
        try (Connection connection =
                DriverManager.getConnection(mariaDb.jdbcUrl(), mariaDb.user(), mariaDb.password())) {
            return Path.of(Sql.query(connection, "SELECT @@datadir")).getParent();
        }
    }

    private static Path kafkaDirectory(DevKafka kafka) throws Exception {
        try (var admin = Topic.admin(kafka)) {
            String data = admin.describeLogDirs(List.of(1))
                    .allDescriptions()
                    .get()
                    .get(1)
                    .keySet()
                    .iterator()
                    .next();
            return Path.of(data).getParent().getParent();
        }
    }

    static Process launch(String whatThen) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Owner.class.getName(), whatThen)
                .redirectErrorStream(true)
                .start();
    }

    /** Waits until the launched JVM has its servers. */
    static Owner of(Process process) throws IOException {
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder said = new StringBuilder();
        String line = output.readLine();
        while (line != null && !line.startsWith(READY)) {
            said.append(line).append('\n');
            line = output.readLine();
        }
        if (line == null) {
            throw new IllegalStateException("the JVM ended before it had its servers: " + said);
        }
        String[] parts = line.substring(READY.length()).split("\\|");
        List<ProcessHandle> servers = List.of(parts[0].split(",")).stream()
                .map(pid -> ProcessHandle.of(Long.parseLong(pid)).orElseThrow())
                .toList();
        List<Path> directories =
                List.of(parts[2].split(",")).stream().map(Path::of).toList();
        return new Owner(process, servers, directories, parts[1]);
    }

    void kill() {
        process.destroyForcibly();
    }

    /** Stands still, as under a debugger or on a suspended machine, but does not end. */
    void freeze() throws Exception {
        int exitCode = new ProcessBuilder("kill", "-STOP", Long.toString(process.pid()))
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw new IllegalStateException("kill -STOP failed with exit code " + exitCode);
        }
    }

    boolean ends(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    boolean hasAllServers() {
        return servers.stream().noneMatch(ServerProcess::hasEnded);
    }
}
