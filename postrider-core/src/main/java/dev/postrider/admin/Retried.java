package dev.postrider.admin;

/**
 * What became of the dead letters that matched.
 *
 * @param back events that will be sent again under their old ids
 * @param inserted events that were written again under new ids
 * @param handled not dead any more, somebody had dealt with them; only their letters were left
 * @param kept letters that stay, because meanwhile another event was written under their request id
 */
public record Retried(long back, long inserted, long handled, long kept) {
    public long sentAgain() {
        return back + inserted;
    }
}
