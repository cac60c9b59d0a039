package dev.postrider.cli.command;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.postrider.DatabaseFamily;
import dev.postrider.PostriderException;
import dev.postrider.Replication;
import dev.postrider.cli.configuration.KnownSettings;
import dev.postrider.cli.settings.Masking;
import dev.postrider.cli.settings.Settings;
import dev.postrider.cli.settings.TextFiles;
import dev.postrider.settings.Option;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The way to the database. Its text form carries no password. */
public final class Database {
    /** How long the pool waits for a connection: a command that has to stop waits as long. */
    private static final long CONNECT_MILLIS = 5_000;

    private static final long VALIDATE_MILLIS = 2_000;

    private final String url;
    private final @Nullable String user;
    private final @Nullable String password;
    private final @Nullable Replication replication;

    public Database(String url, @Nullable String user, @Nullable String password) {
        this(url, user, password, null);
    }

    private Database(String url, @Nullable String user, @Nullable String password, @Nullable Replication replication) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.replication = replication;
    }

    public static Database of(Settings settings, Path directory) {
        String url = settings.require(KnownSettings.DB_URL);
        if (settings.isFlag(KnownSettings.DB_URL) && !Masking.mask(url).equals(url)) {
            LoggerFactory.getLogger(Database.class)
                    .warn(
                            "--db-url contains a password, which all users of this machine can see in the list of processes."
                                    + " Use --db-password-file, or POSTRIDER_DB_PASSWORD in the environment.");
        }
        Replication replication = settings.find(KnownSettings.DB_REPLICATION_USER)
                .map(user -> Replication.to(
                        url,
                        user,
                        password(
                                settings,
                                directory,
                                KnownSettings.DB_REPLICATION_PASSWORD,
                                KnownSettings.DB_REPLICATION_PASSWORD_FILE)))
                .orElse(null);
        return new Database(
                url,
                settings.find(KnownSettings.DB_USER).orElse(null),
                password(settings, directory, KnownSettings.DB_PASSWORD, KnownSettings.DB_PASSWORD_FILE),
                replication);
    }

    private static @Nullable String password(
            Settings settings, Path directory, Option<String> itself, Option<Path> inFile) {
        Optional<Option<?>> chosen = settings.strongest(itself, inFile);
        if (chosen.isEmpty()) {
            return null;
        }
        if (chosen.get().equals(itself)) {
            return settings.get(itself);
        }
        Path file = settings.get(inFile);
        String secret = TextFiles.readSecret("password file", directory, file);
        if (TextFiles.isOpenToAll(directory.resolve(file))) {
            LoggerFactory.getLogger(Database.class)
                    .warn("All users of this machine can read the password file {}. Run: chmod 600 {}", file, file);
        }
        return secret;
    }

    /** For those who have to hand it on. */
    public Optional<String> password() {
        return Optional.ofNullable(password);
    }

    /** One connection, with an error a person can act on. */
    public Connection connect() {
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "postrider");
        timeouts().forEach(properties::setProperty);
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        try {
            return DriverManager.getConnection(url, properties);
        } catch (SQLException e) {
            throw new PostriderException("The database " + url + " cannot be used: " + reason(e), e);
        }
    }

    /** A driver says that the attempt failed, and leaves it to its cause to say why. */
    private static String reason(SQLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return "there is no host " + String.valueOf(cause.getMessage()).replaceFirst(":.*", "") + ".";
            }
        }
        return String.valueOf(e.getMessage());
    }

    /** How relays read the replication stream; empty if nothing is set for that. */
    public Optional<Replication> replication() {
        return Optional.ofNullable(replication);
    }

    /** Connections one by one, for those who look once. */
    public DataSource single() {
        return new SingleConnections(this::connect);
    }

    /** For something that accepts connections and says nothing. A URL that says otherwise is heeded. */
    private Map<String, String> timeouts() {
        String seconds = String.valueOf(CONNECT_MILLIS / 1000);
        return switch (DatabaseFamily.ofUrl(url)) {
            case POSTGRESQL -> Map.of("connectTimeout", seconds, "loginTimeout", seconds, "tcpKeepAlive", "true");
            case MYSQL -> Map.of("connectTimeout", String.valueOf(CONNECT_MILLIS), "tcpKeepAlive", "true");
        };
    }

    /** Connections for longer; opened when they are needed. */
    public HikariDataSource pool(String applicationName, int size) {
        return pool(applicationName, size, size);
    }

    /**
     * @param ready so many are kept open even if nobody uses them
     */
    public HikariDataSource pool(String applicationName, int ready, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        if (user != null) {
            config.setUsername(user);
        }
        if (password != null) {
            config.setPassword(password);
        }
        config.setPoolName(applicationName);
        config.setMaximumPoolSize(size);
        // Not 0: a pool that keeps nothing in reserve was seen to leave a waiting thread without a connection.
        config.setMinimumIdle(ready);
        config.setConnectionTimeout(CONNECT_MILLIS);
        // An outage of the database must not keep a relay from being built; commands have looked before.
        config.setInitializationFailTimeout(-1);
        config.addDataSourceProperty("ApplicationName", applicationName);
        timeouts().forEach(config::addDataSourceProperty);
        config.setValidationTimeout(VALIDATE_MILLIS);
        return new HikariDataSource(config);
    }

    @Override
    public String toString() {
        return "Database[" + Masking.mask(url) + "]";
    }
}
