package dev.postrider;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is done after a commit. It must not fail: the caller would take the transaction for one that did not commit. */
final class AfterCommit {
    private static final Logger log = LoggerFactory.getLogger(AfterCommit.class);

    private AfterCommit() {}

    static void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            log.warn("An action after a commit failed. The transaction has committed all the same.", e);
        }
    }
}
