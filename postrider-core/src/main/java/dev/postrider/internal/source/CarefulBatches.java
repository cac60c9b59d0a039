package dev.postrider.internal.source;

/**
 * How the event is found that relays die with, among all that they had in hand. One at a time would take as many batches as
 * there are events, most of which are innocent, and most relays die for other reasons. So after two deaths the events are
 * sent in batches of a sixteenth, after another death in batches of a sixteenth of that, and at last alone: each death leaves
 * one small batch under suspicion, and what has been sent is out of it.
 */
public final class CarefulBatches {
    /** Relays that died with the same events, from which on those are sent with care. */
    public static final int DEATHS_FOR_CARE = 2;

    /** With every death batches become smaller by this many bits. */
    private static final int BITS = 4;

    private CarefulBatches() {}

    /**
     * How many events are sent at a time.
     *
     * @param batchSize without suspicion
     * @param deaths of relays that had the events in hand
     */
    public static int size(int batchSize, int deaths) {
        int bits = Math.min(31, BITS * Math.max(0, deaths - DEATHS_FOR_CARE + 1));
        return Math.max(1, batchSize >> bits);
    }

    /** After so many deaths events are sent alone. */
    public static int deathsUntilAlone(int batchSize) {
        int deaths = DEATHS_FOR_CARE;
        while (size(batchSize, deaths) > 1) {
            deaths++;
        }
        return deaths;
    }
}
