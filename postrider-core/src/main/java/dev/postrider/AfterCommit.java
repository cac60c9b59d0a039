package dev.postrider;

import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is done after a commit. It must not fail: the caller would take the transaction for one that did not commit. */
final class AfterCommit {
    private static final Logger log = LoggerFactory.getLogger(AfterCommit.class);

    private AfterCommit() {}

    static void run(Runnable action) {
        run(List.of(action));
    }

    /**
     * All of them, whichever fail.
     *
     * @throws VirtualMachineError when all have run, if one of them did: that is not for anybody to keep quiet about
     */
    static void run(Collection<Runnable> actions) {
        VirtualMachineError fatal = null;
        for (Runnable action : actions) {
            try {
                action.run();
            } catch (VirtualMachineError e) {
                fatal = e;
            } catch (Throwable e) {
                log.warn("An action after a commit failed. The transaction has committed all the same.", e);
            }
        }
        if (fatal != null) {
            throw fatal;
        }
    }
}
