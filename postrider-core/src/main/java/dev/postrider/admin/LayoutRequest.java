package dev.postrider.admin;

import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.PostriderException;
import org.jspecify.annotations.Nullable;

/**
 * A change of layout. Null components stay as they are; if all are null, finish an interrupted change.
 *
 * @param mode how the outbox is read
 * @param shards of a log
 * @param delivery of a log
 */
public record LayoutRequest(
        @Nullable OutboxMode mode,
        @Nullable Integer shards,
        @Nullable Delivery delivery) {
    public static final LayoutRequest NOTHING = new LayoutRequest(null, null, null);

    /** Of a log that was none before, if nobody says how many. */
    private static final int SHARDS = 4;

    public boolean isNothing() {
        return equals(NOTHING);
    }

    /** @throws PostriderException if the combination is not possible */
    public OutboxLayout from(OutboxLayout now) {
        OutboxMode then = mode == null ? now.mode() : mode;
        if (then == OutboxMode.CLAIM) {
            if (shards != null) {
                throw new PostriderException("Claim mode has no shards: relays share its rows as they come.");
            }
            return new OutboxLayout(OutboxMode.CLAIM, 1, delivery == null ? Delivery.AT_LEAST_ONCE : delivery);
        }
        int standard = now.mode() == OutboxMode.LOG ? now.shards() : SHARDS;
        return new OutboxLayout(
                OutboxMode.LOG, shards == null ? standard : shards, delivery == null ? now.delivery() : delivery);
    }

    /** As it is typed on the command line. */
    public String command() {
        StringBuilder command = new StringBuilder("postrider alter");
        if (mode != null) {
            command.append(" --mode ").append(mode.label());
        }
        if (shards != null) {
            command.append(" --shards ").append(shards);
        }
        if (delivery != null) {
            command.append(" --delivery ").append(delivery.label());
        }
        return command.toString();
    }
}
