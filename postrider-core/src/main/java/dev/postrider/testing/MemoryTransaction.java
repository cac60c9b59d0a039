package dev.postrider.testing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a transaction has done and nobody else can see yet. Guarded by its database. */
final class MemoryTransaction {
    private final List<Step> steps = new ArrayList<>();

    private final Set<Object> held = new HashSet<>();

    private record Step(Runnable commit, Runnable undo) {}

    /**
     * @param commit makes it visible
     * @param undo forgets it
     */
    void add(Runnable commit, Runnable undo) {
        steps.add(new Step(commit, undo));
    }

    /** What others have to wait for until this transaction ends. */
    Set<Object> held() {
        return held;
    }

    void commit() {
        steps.forEach(step -> step.commit().run());
        steps.clear();
    }

    void rollback() {
        for (int i = steps.size() - 1; i >= 0; i--) {
            steps.get(i).undo().run();
        }
        steps.clear();
    }
}
