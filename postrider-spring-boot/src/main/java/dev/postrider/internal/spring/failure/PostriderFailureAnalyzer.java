package dev.postrider.internal.spring.failure;

import dev.postrider.NoTransactionException;
import dev.postrider.PostriderException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what Postrider's exceptions say, without the stack trace, if one of them ends the start of an application. */
public final class PostriderFailureAnalyzer extends AbstractFailureAnalyzer<PostriderException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, PostriderException cause) {
        if (cause instanceof PostriderStartException start) {
            return new FailureAnalysis(start.description(), start.action(), cause);
        }
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof NoTransactionException) {
            return new FailureAnalysis(
                    message,
                    "Write events inside a transaction: annotate the method that changes the data with @Transactional and call"
                            + " it through its bean, or use a TransactionTemplate. @PostConstruct methods run in none.",
                    cause);
        }
        return new FailureAnalysis(message, "The description says what can be done.", cause);
    }
}
