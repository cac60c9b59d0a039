package dev.postrider.internal.spring.tracing;

import dev.postrider.publish.DestinationUnavailableException;
import dev.postrider.publish.NotCommittedException;
import dev.postrider.publish.OutcomeUnknownException;
import dev.postrider.publish.TransactionalPublisher;
import org.jspecify.annotations.Nullable;

/** The line of one shard, with a span around each event that it is handed. */
final class TracedLine extends TracedPublisher implements TransactionalPublisher {
    private final TransactionalPublisher line;

    TracedLine(TransactionalPublisher line, SendSpans spans) {
        super(line, spans);
        this.line = line;
    }

    @Override
    public boolean stopsAtFailure() {
        return line.stopsAtFailure();
    }

    @Override
    public @Nullable String takeOver() throws DestinationUnavailableException {
        return line.takeOver();
    }

    @Override
    public void confirm() throws DestinationUnavailableException {
        line.confirm();
    }

    @Override
    public boolean isIntact() {
        return line.isIntact();
    }

    @Override
    public void commit(String position) throws NotCommittedException, OutcomeUnknownException {
        line.commit(position);
    }

    @Override
    public boolean abort() {
        return line.abort();
    }
}
