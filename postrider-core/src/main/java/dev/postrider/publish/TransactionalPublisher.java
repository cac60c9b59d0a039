package dev.postrider.publish;

import org.jspecify.annotations.Nullable;

/**
 * A destination that takes events together with the position up to which they were read, or neither: the
 * line of one shard. One relay thread calls it.
 *
 * <p>A transaction begins with the first event published after a commit or an abort. Whatever happens to
 * an event, to be rejected or to be given up, the transaction ends by {@link #abort}: events accepted in
 * it have not happened then.
 */
public interface TransactionalPublisher extends Publisher {

    /** What is in the transaction fails together. */
    @Override
    default boolean stopsAtFailure() {
        return true;
    }

    /**
     * Takes the shard over from whoever wrote it before: ends what that one had under way, so that it can
     * publish nothing any more, and reads the position that was committed last. Also begins anew after an
     * {@link OutcomeUnknownException}.
     *
     * @return null if there never was one
     * @throws DestinationUnavailableException if it could not be done; it may be tried again
     */
    @Nullable
    String takeOver() throws DestinationUnavailableException;

    /**
     * Commits what was accepted since the last commit together with the position.
     *
     * <p>Refuses to do so unless every event published since the last commit or abort has been answered as accepted: what
     * is still in flight would be committed with a position that is before it, and would come again.
     *
     * @throws NotCommittedException if it was refused: nothing is committed, and only {@link #abort} ends the transaction
     * @throws OutcomeUnknownException if it is not known whether it was committed; only {@link #takeOver} helps
     */
    void commit(String position) throws NotCommittedException, OutcomeUnknownException;

    /**
     * Undoes what was published since the last commit. A line that cannot even abort is closed; what is published
     * then ends as {@link PublishResult.Unresolved} until {@link #takeOver}.
     *
     * @return whether the line can be used on
     */
    boolean abort();
}
