package dev.postrider.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.OutboxEvent;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The SHA-256 over {@code requestId|eventType|payload} that is stored beside each event. */
public final class ContentHash {
    private ContentHash() {}

    public static String of(OutboxEvent event) {
        MessageDigest sha256 = sha256();
        if (event.requestId() != null) {
            sha256.update(event.requestId().getBytes(UTF_8));
        }
        sha256.update((byte) '|');
        sha256.update(event.type().getBytes(UTF_8));
        sha256.update((byte) '|');
        sha256.update(event.payload().bytes());
        return HexFormat.of().formatHex(sha256.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
