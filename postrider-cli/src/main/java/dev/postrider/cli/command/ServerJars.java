package dev.postrider.cli.command;

import dev.postrider.PostriderException;

/**
 * The jars with PostgreSQL, MariaDB and Kafka's server, of which there are 180 MB. Only commands that start servers have them on
 * their class path, so that no other class of this module may need one of {@code dev.postrider.devservices} to be loaded or
 * verified: commands ask here first, and then name the class that does.
 */
public final class ServerJars {
    private static final String ONE_OF_THEM = "dev.postrider.devservices.DevServices";

    private ServerJars() {}

    /**
     * @throws PostriderException if they are not there
     */
    public static void require(String command) {
        try {
            Class.forName(ONE_OF_THEM, false, ServerJars.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new PostriderException(
                    "'" + command + "' starts servers, and postrider-devservices, which has them, is not on"
                            + " the class path: use the script ./postrider in a checkout of the sources, or add that artifact.");
        }
    }
}
