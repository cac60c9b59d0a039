package dev.postrider.examples.commerce.api;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.postrider.OutboxEvent;
import dev.postrider.examples.Requirement;
import dev.postrider.examples.commerce.api.event.DomainEvent;
import dev.postrider.examples.commerce.api.event.DomainEvent.LikeCanceled;
import dev.postrider.examples.commerce.api.event.DomainEvent.LikeCreated;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderCanceled;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderCreated;
import dev.postrider.examples.commerce.api.event.DomainEvent.OrderPaid;
import dev.postrider.examples.commerce.api.event.DomainEvent.PaymentCreated;
import dev.postrider.examples.commerce.api.event.DomainEvent.PaymentFailed;
import dev.postrider.examples.commerce.api.event.DomainEvent.PaymentPaid;
import dev.postrider.examples.commerce.api.event.DomainEvent.ProductViewed;
import dev.postrider.examples.commerce.api.event.DomainEvent.StockDepleted;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Domain events, and the envelopes that they travel in; no server is needed. */
class EventEnvelopesTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/postrider/examples/commerce/api");
    private static final UUID ID = UUID.randomUUID();

    private record Expected(DomainEvent event, String type, String aggregateType, Object aggregateId) {}

    private static Stream<Expected> events() {
        Instant now = Instant.now();
        BigDecimal amount = new BigDecimal("8.50");
        return Stream.of(
                new Expected(new OrderCreated(now, ID, "Ann", List.of(), amount), "acme.order.created.v1", "Order", ID),
                new Expected(new OrderCanceled(now, ID, List.of()), "acme.order.canceled.v1", "Order", ID),
                new Expected(new OrderPaid(now, ID, UUID.randomUUID(), List.of()), "acme.order.paid.v1", "Order", ID),
                new Expected(
                        new PaymentCreated(now, ID, UUID.randomUUID(), amount),
                        "acme.payment.created.v1",
                        "Payment",
                        ID),
                new Expected(
                        new PaymentPaid(now, ID, UUID.randomUUID(), amount), "acme.payment.paid.v1", "Payment", ID),
                new Expected(
                        new PaymentFailed(now, ID, UUID.randomUUID(), "no money"),
                        "acme.payment.failed.v1",
                        "Payment",
                        ID),
                new Expected(new LikeCreated(now, 7, "ann"), "acme.like.created.v1", "ProductLike", 7),
                new Expected(new LikeCanceled(now, 7, "ann"), "acme.like.canceled.v1", "ProductLike", 7),
                new Expected(new ProductViewed(now, 7, "ann"), "acme.product.viewed.v1", "ProductView", 7),
                new Expected(new StockDepleted(now, 7), "acme.stock.depleted.v1", "Stock", 7));
    }

    @ParameterizedTest
    @MethodSource("events")
    @Requirement("C2")
    void eachEventHasATypeATimeAndAnAggregate(Expected expected) {
        OutboxEvent envelope =
                expected.event().accept(new EventEnvelopes()).json("{}").build();

        assertThat(envelope.type()).isEqualTo(expected.type()).matches("acme\\.[a-z]+\\.[a-z]+\\.v[0-9]+");
        assertThat(envelope.aggregateType()).isEqualTo(expected.aggregateType());
        assertThat(envelope.aggregateId()).isEqualTo(expected.aggregateId().toString());
        assertThat(envelope.occurredAt()).isEqualTo(expected.event().occurredAt());
    }

    @Test
    @Requirement("C11")
    void theseAreAllTheEventsThereAre() {
        assertThat(events().<Class<?>>map(expected -> expected.event().getClass()))
                .containsExactlyInAnyOrder(DomainEvent.class.getPermittedSubclasses());
    }

    @Test
    @Requirement("C1")
    void domainEventsKnowNothingOfKafkaJsonOrPostrider() {
        JavaClasses events = new ClassFileImporter().importPackages(DomainEvent.class.getPackageName());

        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "org.jspecify..", DomainEvent.class.getPackageName())
                .check(events);
        assertThat(DomainEvent.class.isSealed()).isTrue();
        assertThat(DomainEvent.class.getPermittedSubclasses()).allMatch(Class::isRecord);
    }

    @Test
    @Requirement("C3")
    void eventWithoutAnEnvelopeDoesNotCompile(@TempDir Path classes) throws IOException {
        assertThat(errors(classes, source("event/DomainEvent"), source("EventEnvelopes")))
                .describedAs("as things are")
                .isEmpty();

        Source forgotten = source("event/DomainEvent")
                .with("interface Visitor<R> {", "R on(CouponIssued event);")
                .with("public sealed interface DomainEvent {", """
                        record CouponIssued(Instant occurredAt, String code) implements DomainEvent {
                            @Override
                            public <R> R accept(Visitor<R> visitor) {
                                return visitor.on(this);
                            }
                        }
                        """);
        assertThat(errors(classes, forgotten, source("EventEnvelopes")))
                .describedAs("with an event that EventEnvelopes does not know")
                .singleElement()
                .asString()
                .contains("EventEnvelopes", "on(dev.postrider.examples.commerce.api.event.DomainEvent.CouponIssued)");

        Source unvisited = source("event/DomainEvent").with("public sealed interface DomainEvent {", """
                        record CouponIssued(Instant occurredAt, String code) implements DomainEvent {}
                        """);
        assertThat(errors(classes, unvisited, source("EventEnvelopes")))
                .describedAs("with an event that no visitor is told of")
                .singleElement()
                .asString()
                .contains("CouponIssued", "accept");
    }

    private record Source(String name, String text) {
        Source with(String after, String more) {
            assertThat(text).contains(after);
            return new Source(name, text.replace(after, after + "\n" + more));
        }
    }

    private static Source source(String name) throws IOException {
        return new Source(name, Files.readString(SOURCES.resolve(name + ".java")));
    }

    private static Set<String> errors(Path classes, Source... sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<JavaFileObject> files = Stream.of(sources)
                .map(source -> (JavaFileObject)
                        new SimpleJavaFileObject(
                                URI.create("string:///" + source.name() + ".java"), JavaFileObject.Kind.SOURCE) {
                            @Override
                            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                                return source.text();
                            }
                        })
                .toList();
        compiler.getTask(
                        null,
                        null,
                        found,
                        List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        files)
                .call();
        return found.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(diagnostic -> diagnostic.getMessage(Locale.ROOT))
                .collect(Collectors.toSet());
    }
}
