package dev.postrider.publish;

import org.jspecify.annotations.Nullable;

/**
 * The pipeline of one shard to a destination that commits events together with the position up to which they were read,
 * or neither. One relay thread calls it.
 *
 * <p>A transaction begins with the first event published after a commit or an abort. If an event is rejected or given
 * up, the transaction ends with {@link #abort}, unless it {@link #isIntact}: events accepted in it are undone.
 */
public interface TransactionalPublisher extends Publisher {

    /** All events of a transaction fail together. */
    @Override
    default boolean stopsAtFailure() {
        return true;
    }

    /**
     * Takes the shard over from its previous owner: ends that owner's transaction, so that it can no longer publish,
     * and reads the position that was committed last. Also used to start again after an {@link
     * OutcomeUnknownException}.
     *
     * @return the position; null if there never was one
     * @throws DestinationUnavailableException if this failed; it may be tried again
     */
    @Nullable
    String takeOver() throws DestinationUnavailableException;

    /**
     * Makes sure that the last commit is in effect for good. Called before the next position is recorded in the database, from when on
     * the batch before cannot be sent again. By default nothing is done: a commit that returned is in effect.
     *
     * @throws DestinationUnavailableException if it is not, or if nobody can tell; only {@link #takeOver} helps
     */
    default void confirm() throws DestinationUnavailableException {}

    /**
     * Whether everything that has been sent since the last commit or abort was accepted. Events that were refused before they were sent
     * are no part of the transaction, which can be committed without them. Called when everything is answered. By default false: then a
     * transaction is undone as soon as an event is not accepted.
     */
    default boolean isIntact() {
        return false;
    }

    /**
     * Commits the events accepted since the last commit together with the position.
     *
     * <p>Refuses unless every event published since the last commit or abort has been accepted: an event still in
     * flight would be committed with a position before it, and would be sent again.
     *
     * @throws NotCommittedException if it was refused: nothing is committed, and only {@link #abort} ends the transaction
     * @throws OutcomeUnknownException if it is not known whether it was committed; only {@link #takeOver} helps
     */
    void commit(String position) throws NotCommittedException, OutcomeUnknownException;

    /**
     * Undoes what was published since the last commit. A pipeline that cannot even abort is closed; events published
     * then end as {@link PublishResult.Unresolved} until {@link #takeOver}.
     *
     * @return whether the pipeline can still be used
     */
    boolean abort();
}
