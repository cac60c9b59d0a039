package dev.postrider.tests.contract;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.OutboxEvent;
import dev.postrider.contract.PublisherContract;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The contract notices what it is there to notice. */
class BrokenPublisherTest {

    @Test
    void lostEventIsNoticed() {
        assertBroken(
                new SoundPublisher() {
                    @Override
                    void deliver(OutboxEvent event) {
                        if (!event.payload().text().endsWith("7 1\"")) {
                            super.deliver(event);
                        }
                    }
                },
                PublisherContract::eachEventIsAcceptedAndArrivesOnce);
    }

    @Test
    void eventThatArrivesTwiceIsNoticed() {
        assertBroken(
                new SoundPublisher() {
                    @Override
                    void deliver(OutboxEvent event) {
                        super.deliver(event);
                        super.deliver(event);
                    }
                },
                PublisherContract::eachEventIsAcceptedAndArrivesOnce);
    }

    @Test
    void eventThatFollowsAFailedOneIsNoticed() {
        assertBroken(
                new SoundPublisher() {
                    private CompletableFuture<PublishResult> refusal = new CompletableFuture<>();

                    @Override
                    public boolean mayFollowInFlight(OutboxEvent event, String destination) {
                        return true;
                    }

                    @Override
                    CompletionStage<PublishResult> refuse() {
                        refusal = new CompletableFuture<>();
                        return refusal;
                    }

                    @Override
                    public void flush() {
                        refusal.complete(new PublishResult.Rejected("made by a test", false));
                    }
                },
                PublisherContract::onceAnEventOfAKeyHasFailedNothingLaterOfItIsAccepted);
    }

    @Test
    void haltThatDoesNothingIsNoticed() {
        assertBroken(
                new SoundPublisher() {
                    @Override
                    public void halt() {}
                },
                PublisherContract::betweenHaltAndResumeNothingIsTaken);
    }

    @Test
    void answerThatIsMissingAfterHaltOrCloseIsNoticed() {
        assertBroken(
                new SoundPublisher() {
                    @Override
                    public void halt() {}
                },
                PublisherContract::haltGivesUpWhatIsInFlight);
        assertBroken(
                new SoundPublisher() {
                    @Override
                    public void close() {}
                },
                PublisherContract::closeEndsWhatIsInFlightAndMayBeCalledTwice);
    }

    @Test
    void whatAPublisherLeavesToTheRelayIsNotAskedOfIt() {
        for (Check check : List.<Check>of(
                PublisherContract::betweenHaltAndResumeNothingIsTaken,
                PublisherContract::haltGivesUpWhatIsInFlight,
                PublisherContract::closeEndsWhatIsInFlightAndMayBeCalledTwice,
                PublisherContract::closedPublisherTakesNothing)) {
            assertThatThrownBy(() -> run(new SoundPublisher(), check, true)).isInstanceOf(LeftOut.class);
        }
    }

    @Test
    void exceptionIsNoticed() {
        assertBroken(
                new SoundPublisher() {
                    @Override
                    void deliver(OutboxEvent event) {
                        if (event.aggregateId().contains("\n")) {
                            throw new IllegalArgumentException("made by a test");
                        }
                    }
                },
                PublisherContract::oddEventsAreAnsweredAndNothingIsThrown);
    }

    /** A check of the contract. */
    private interface Check {
        void of(PublisherContract contract) throws Exception;
    }

    /** None of those that say that a publisher is broken. */
    private static final class LeftOut extends Exception {
        private static final long serialVersionUID = 1L;

        LeftOut(org.opentest4j.TestAbortedException cause) {
            super("the check was left out", cause);
        }
    }

    private static void assertBroken(SoundPublisher broken, Check check) {
        assertThatCode(() -> run(new SoundPublisher(), check, false))
                .as("a sound one")
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> run(broken, check, true))
                .isInstanceOfAny(AssertionError.class, RuntimeException.class);
    }

    private static void run(SoundPublisher publisher, Check check, boolean withoutAnswers) throws Exception {
        PublisherContract contract = new PublisherContract() {
            @Override
            protected Publisher publisher() {
                return publisher;
            }

            @Override
            protected List<String> arrived() {
                return publisher.arrived;
            }

            @Override
            protected Optional<OutboxEvent> refused(String key) {
                return Optional.of(event(key, "\"refused\""));
            }

            @Override
            protected Optional<OutboxEvent> unanswered(String key) {
                return withoutAnswers ? Optional.of(event(key, "\"unanswered\"")) : Optional.empty();
            }

            @Override
            protected Duration patience() {
                return Duration.ofMillis(200);
            }
        };
        contract.makePublisher();
        try {
            check.of(contract);
        } catch (org.opentest4j.TestAbortedException e) {
            if (withoutAnswers) {
                throw new LeftOut(e);
            }
        } finally {
            contract.closePublisher();
        }
    }

    /** To be broken. */
    private static class SoundPublisher implements Publisher {
        final List<String> arrived = new CopyOnWriteArrayList<>();

        @Override
        public String destination(OutboxEvent event) {
            return "here";
        }

        @Override
        public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
            if (event.payload().text().equals("\"refused\"")) {
                return refuse();
            }
            if (event.payload().text().equals("\"unanswered\"")) {
                return new CompletableFuture<>();
            }
            deliver(event);
            return CompletableFuture.completedFuture(new PublishResult.Accepted());
        }

        CompletionStage<PublishResult> refuse() {
            return CompletableFuture.completedFuture(new PublishResult.Rejected("made by a test", false));
        }

        void deliver(OutboxEvent event) {
            arrived.add(event.payload().text());
        }
    }
}
