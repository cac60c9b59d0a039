package dev.postrider.internal.write;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.postrider.OutboxEvent;
import dev.postrider.PostriderException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The hash over {@code requestId|eventType|payload} that is stored beside each event and checked before
 * it is sent: SHA-256 against accidents, or with a key HMAC-SHA-256 against people too. Any thread.
 */
public final class ContentHash {
    private static final String HMAC_PREFIX = "hmac:";
    private static final int MIN_KEY_LENGTH = 16;

    private final @Nullable SecretKeySpec key;
    private final boolean required;

    /** Looking one up for each event costs more than hashing a small one. */
    private final ThreadLocal<MessageDigest> digest = ThreadLocal.withInitial(ContentHash::newDigest);

    private ContentHash(@Nullable SecretKeySpec key, boolean required) {
        this.key = key;
        this.required = required;
    }

    public static ContentHash sha256() {
        return new ContentHash(null, false);
    }

    public static ContentHash hmac(byte[] key) {
        if (key.length < MIN_KEY_LENGTH) {
            throw new PostriderException(
                    "The integrity key has " + key.length + " bytes; it must have at least " + MIN_KEY_LENGTH + ".");
        }
        return new ContentHash(new SecretKeySpec(key, "HmacSHA256"), false);
    }

    /** The same, and an event whose hash is missing, or cannot be checked, does not match. */
    public ContentHash required() {
        return new ContentHash(key, true);
    }

    public String of(OutboxEvent event) {
        return key == null ? plain(event) : HMAC_PREFIX + HexFormat.of().formatHex(keyed(event, key));
    }

    /**
     * Whether the event is as it was written. With a key nothing else counts, or whoever changes a row
     * could change its hash too. Without one, a row that has no hash was written by plain SQL and a keyed
     * hash cannot be checked: neither is held against the event, unless a hash is required.
     */
    public boolean matches(OutboxEvent event, @Nullable String stored) {
        if (key != null) {
            return stored != null
                    && MessageDigest.isEqual(stored.getBytes(UTF_8), of(event).getBytes(UTF_8));
        }
        if (stored == null || stored.startsWith(HMAC_PREFIX)) {
            return !required;
        }
        return stored.equals(plain(event));
    }

    private String plain(OutboxEvent event) {
        MessageDigest sha256 = digest.get();
        // Whatever an event that could not be hashed has left in it.
        sha256.reset();
        sha256.update(prefix(event));
        sha256.update(event.payload().bytes());
        return HexFormat.of().formatHex(sha256.digest());
    }

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }

    private static byte[] keyed(OutboxEvent event, SecretKeySpec key) {
        try {
            Mac hmac = Mac.getInstance("HmacSHA256");
            hmac.init(key);
            hmac.update(prefix(event));
            hmac.update(event.payload().bytes());
            return hmac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has HmacSHA256", e);
        }
    }

    private static byte[] prefix(OutboxEvent event) {
        String requestId = event.requestId() == null ? "" : event.requestId();
        return (requestId + "|" + event.type() + "|").getBytes(UTF_8);
    }
}
