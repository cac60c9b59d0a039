package dev.postrider.admin;

/**
 * What happened to the dead letters that matched.
 *
 * @param back events that will be sent again under their old ids
 * @param inserted events that were written again under new ids
 * @param handled no longer dead, because somebody had dealt with them; only their letters were left
 * @param kept letters that stay, because another event with their request id was written meanwhile
 */
public record Retried(long back, long inserted, long handled, long kept) {
    public long sentAgain() {
        return back + inserted;
    }
}
