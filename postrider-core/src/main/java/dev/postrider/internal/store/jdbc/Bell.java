package dev.postrider.internal.store.jdbc;

import dev.postrider.internal.store.OutboxStore.CommitListener;
import org.jspecify.annotations.Nullable;

/** Wakes a relay while it can. */
public interface Bell extends CommitListener {

    /** Why it does not ring at the moment; null if it does, or the bell of another relay rings for this one too. */
    @Nullable
    String silentBecause();
}
