package dev.postrider.cli.settings;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Files that a user names, with errors that say what to do about them and never what is in them. */
public final class TextFiles {
    private TextFiles() {}

    /**
     * @param what it is, for messages
     * @param file as the user named it, relative to the directory
     * @throws UsageException if it is not there, cannot be read, or is not text
     */
    public static String read(String what, Path directory, Path file) {
        Path path = directory.resolve(file);
        try {
            return Files.readString(path);
        } catch (CharacterCodingException e) {
            throw new UsageException("The " + what + " " + file + " cannot be read: it is not text in UTF-8.");
        } catch (IOException e) {
            throw new UsageException("The " + what + " " + file + " cannot be read: "
                    + (Files.isDirectory(path)
                            ? "it is a directory."
                            : Files.exists(path) ? "check its permissions." : "there is no such file."));
        }
    }

    /**
     * The one line of a file with a password.
     *
     * @throws UsageException also if there is none, or more than one
     */
    public static String readSecret(String what, Path directory, Path file) {
        String secret = read(what, directory, file).stripTrailing();
        if (secret.isEmpty()) {
            throw new UsageException("The " + what + " " + file + " is empty.");
        }
        if (secret.lines().count() > 1) {
            throw new UsageException("The " + what + " " + file + " has several lines; it must have one.");
        }
        return secret;
    }

    /** Whether every user of the machine can read it. */
    public static boolean isOpenToAll(Path path) {
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
            return permissions.contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException e) {
            // Not known here.
            return false;
        }
    }
}
