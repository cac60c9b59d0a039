package dev.postrider.internal.store;

import java.time.Instant;

/**
 * What one chunk of a clean-up did. A chunk looks at a limited number of rows, in the order of an
 * index, whether or not they can be deleted, so its cost is limited too; the next begins where it ended.
 *
 * @param looked rows looked at; fewer than the limit means that there are no more
 * @param deleted those of them that were old enough
 * @param last where it ended
 */
public record Purged(int looked, int deleted, Position last) {

    /** A row's place in the order. */
    public record Position(Instant createdAt, long id) {
        public static final Position START = new Position(Instant.EPOCH, 0);
    }
}
