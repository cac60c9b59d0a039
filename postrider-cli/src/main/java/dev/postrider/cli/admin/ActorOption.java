package dev.postrider.cli.admin;

import dev.postrider.cli.settings.UsageException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who does it, for the audit table. */
final class ActorOption {
    @Option(
            names = "--as",
            paramLabel = "<name>",
            description = "Who does this, for the audit table. Default: the user of this process and the host.")
    private @Nullable String name;

    String name() {
        if (name == null) {
            return System.getProperty("user.name") + "@" + host();
        }
        if (name.isBlank()) {
            throw new UsageException("--as is empty; it must be the name of somebody.");
        }
        return name;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
