package dev.postrider.internal.spring.relay;

import dev.postrider.Outbox;
import dev.postrider.OutboxAdmin;
import dev.postrider.PostriderException;
import dev.postrider.Relay;
import dev.postrider.internal.spring.failure.PostriderStartException;
import dev.postrider.settings.IntegritySettings;
import org.jspecify.annotations.Nullable;

/** What protects the content of events: the outbox signs with the key that the relay checks with, which is read once. */
public final class ContentIntegrity {
    private final IntegritySettings.Check check;
    private final byte @Nullable [] key;

    private ContentIntegrity(IntegritySettings.Check check, byte @Nullable [] key) {
        this.check = check;
        this.key = key;
    }

    public static ContentIntegrity read(IntegritySettings settings) {
        try {
            return new ContentIntegrity(settings.check(), settings.readKey());
        } catch (PostriderException e) {
            throw new PostriderStartException(
                    String.valueOf(e.getMessage()),
                    "Correct postrider.relay.integrity-key-file, or what it leads to.",
                    e);
        }
    }

    public void protect(Outbox.Builder outbox) {
        if (key != null) {
            outbox.integrityKey(key);
        }
    }

    /** What an operator sends again is checked as a relay does it. */
    public void check(OutboxAdmin.Builder admin) {
        if (key != null) {
            admin.integrityKey(key);
        }
    }

    void check(Relay.Builder relay) {
        if (key != null) {
            relay.integrityKey(key);
        }
        if (check == IntegritySettings.Check.REQUIRED) {
            relay.integrityRequired();
        }
    }
}
