package dev.postrider.tests.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.postrider.DatabaseFamily;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The arrows between packages, as ARCHITECTURE.md draws them. */
class ArchitectureTest {
    private static final String API = "dev.postrider";

    private static final JavaClasses POSTRIDER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.postrider");

    private static final String INTERNAL = API + ".internal";

    /** What is inside the module for Spring Boot lies over the entry points, as an application does. */
    private static final String SPRING = INTERNAL + ".spring..";

    /** Where users begin. They are made of everything else, and nothing else knows them. */
    private static final List<String> ENTRY_POINTS = Stream.of(
                    "Outbox",
                    "OutboxAdmin",
                    "OutboxSchema",
                    "LayoutChange",
                    "Relay",
                    "CommitNotifier",
                    "Inbox",
                    "InboxSchema",
                    "NamedLocks")
            .map(name -> API + "." + name)
            .toList();

    /** A package of core and the packages, beside the values and settings that users name, it may know. */
    static Stream<Arguments> arrows() {
        return Stream.of(
                Arguments.of("settings", List.of()),
                Arguments.of("publish", List.of()),
                Arguments.of("publish.webhook", List.of("publish", "internal.http")),
                Arguments.of("publish.handler", List.of("publish", "internal.store")),
                Arguments.of("failure", List.of()),
                Arguments.of("housekeeping", List.of()),
                Arguments.of("admin", List.of()),
                Arguments.of("metrics", List.of()),
                Arguments.of("alert", List.of()),
                Arguments.of("alert.webhook", List.of("alert", "internal.http", "internal.lifecycle")),
                Arguments.of("testing", List.of("publish", "internal.store")),
                Arguments.of("internal.write", List.of()),
                Arguments.of("internal.lifecycle", List.of()),
                Arguments.of("internal.http", List.of()),
                Arguments.of("internal.settings", List.of()),
                Arguments.of("internal.alert", List.of("alert", "internal.lifecycle")),
                Arguments.of("internal.store", List.of("admin")),
                Arguments.of("internal.store.log", List.of("internal.store")),
                Arguments.of(
                        "internal.store.jdbc",
                        List.of(
                                "admin",
                                "internal.store",
                                "internal.store.log",
                                "internal.write",
                                "internal.lifecycle")),
                Arguments.of(
                        "internal.store.postgres",
                        List.of(
                                "admin",
                                "internal.store",
                                "internal.store.jdbc",
                                "internal.store.log",
                                "internal.store.postgres.wal",
                                "internal.write",
                                "internal.lifecycle")),
                Arguments.of(
                        "internal.store.postgres.wal",
                        List.of("internal.store", "internal.store.jdbc", "internal.store.log", "internal.lifecycle")),
                Arguments.of(
                        "internal.store.mysql",
                        List.of(
                                "admin",
                                "internal.store",
                                "internal.store.jdbc",
                                "internal.store.log",
                                "internal.write")),
                Arguments.of(
                        "internal.store.database",
                        List.of(
                                "internal.store",
                                "internal.store.jdbc",
                                "internal.store.log",
                                "internal.store.mysql",
                                "internal.store.postgres",
                                "internal.write")),
                Arguments.of(
                        "internal.source",
                        List.of("failure", "internal.failure", "internal.store", "internal.store.jdbc")),
                Arguments.of(
                        "internal.source.log",
                        List.of(
                                "failure",
                                "publish",
                                "internal.source",
                                "internal.failure",
                                "internal.lease",
                                "internal.store",
                                "internal.store.jdbc",
                                "internal.store.log")),
                Arguments.of(
                        "internal.lease",
                        List.of("internal.store", "internal.store.jdbc", "internal.store.log", "internal.lifecycle")),
                Arguments.of(
                        "internal.housekeeping",
                        List.of(
                                "alert",
                                "housekeeping",
                                "internal.alert",
                                "internal.store",
                                "internal.store.jdbc",
                                "internal.store.log",
                                "internal.lifecycle")),
                Arguments.of("internal.failure", List.of("failure", "publish", "internal.store")),
                Arguments.of(
                        "internal.admin",
                        List.of(
                                "admin",
                                "publish",
                                "internal.store",
                                "internal.store.jdbc",
                                "internal.store.log",
                                "internal.source.log",
                                "internal.write")),
                Arguments.of(
                        "internal.relay",
                        List.of(
                                "failure",
                                "publish",
                                "internal.source",
                                "internal.failure",
                                "internal.lease",
                                "internal.store",
                                "internal.lifecycle")));
    }

    @ParameterizedTest
    @MethodSource("arrows")
    void packageKnowsOnlyThoseItMayKnow(String name, List<String> mayKnow) {
        List<String> allowed = new ArrayList<>(List.of(API, API + ".settings", API + "." + name));
        mayKnow.forEach(other -> allowed.add(API + "." + other));

        noClasses()
                .that()
                .resideInAPackage(API + "." + name)
                .should()
                .dependOnClassesThat(resideInAnyPackage("dev.postrider..")
                        .and(not(resideInAnyPackage(allowed.toArray(String[]::new)))))
                .check(POSTRIDER);
    }

    /**
     * {@code dev.postrider} has what users name first, at both ends of the flow: values that everything knows, and the entry points,
     * which know everything. So that this is no cycle, nothing inside knows an entry point.
     */
    @Test
    void nothingInsideKnowsAnEntryPoint() {
        noClasses()
                .that(resideInAPackage(INTERNAL + "..").and(resideOutsideOfPackages(SPRING)))
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are entry points",
                        type -> ENTRY_POINTS.contains(type.getName().replaceFirst("\\$.*", ""))))
                .check(POSTRIDER);
    }

    @Test
    void packagesFormNoCycles() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return type.getPackageName().equals(API)
                                ? SliceIdentifier.ignore()
                                : SliceIdentifier.of(type.getPackageName());
                    }

                    @Override
                    public String getDescription() {
                        return "packages";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(POSTRIDER);
    }

    @Test
    void coreKnowsNoOtherModule() {
        noClasses()
                .that(resideInAnyPackage(
                                API,
                                INTERNAL + "..",
                                API + ".publish..",
                                API + ".failure",
                                API + ".housekeeping",
                                API + ".alert..",
                                API + ".admin",
                                API + ".settings",
                                API + ".metrics",
                                API + ".testing")
                        .and(resideOutsideOfPackages(SPRING, INTERNAL + ".kafka")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        API + ".kafka..",
                        API + ".http..",
                        API + ".cli..",
                        API + ".devservices..",
                        API + ".spring..",
                        SPRING,
                        "org.apache.kafka..",
                        "picocli..",
                        "org.springframework..")
                .check(POSTRIDER);
    }

    @Test
    void driversStayInTheirPackage() {
        noClasses()
                .that(resideOutsideOfPackages(INTERNAL + ".store.postgres..", API + ".cli..", API + ".devservices.."))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.postgresql..", "org.mariadb..")
                .check(POSTRIDER);
    }

    /** So that another database is a package and a line: what is different about one is a verb of {@code Database}. */
    @Test
    void databasesAreChosenInOnePlace() {
        noClasses()
                .that(resideOutsideOfPackages(
                        INTERNAL + ".store.database", INTERNAL + ".store.postgres", INTERNAL + ".store.mysql"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(INTERNAL + ".store.postgres", INTERNAL + ".store.mysql")
                .check(POSTRIDER);
        noClasses()
                .that(resideInAPackage(INTERNAL + "..")
                        .and(resideOutsideOfPackages(
                                INTERNAL + ".store.database", INTERNAL + ".store.postgres", INTERNAL + ".store.mysql")))
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(DatabaseFamily.class)
                .check(POSTRIDER);
        noClasses()
                .that(resideInAPackage(API + ".cli.doctor..").and(not(nameMatching(".*\\.Doctor(\\$.*)?"))))
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(DatabaseFamily.class)
                .check(POSTRIDER);
    }

    @Test
    void metersStayInTheirPackage() {
        noClasses()
                .that(resideOutsideOfPackages(
                        API + ".metrics",
                        API + ".kafka.metrics",
                        API + ".http",
                        API + ".spring.autoconfigure",
                        INTERNAL + ".spring.tracing"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..")
                .check(POSTRIDER);
    }

    /** Applications name what is in {@code dev.postrider.spring}; what is inside is put together there. */
    @Test
    void insideOfSpringKnowsNoAutoConfiguration() {
        noClasses()
                .that(resideInAPackage(SPRING))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(API + ".spring.autoconfigure")
                .check(POSTRIDER);
    }

    /** Listeners are Kafka's; everything else is there without it. */
    @Test
    void ofTheInsideOfSpringOnlyListenersKnowKafka() {
        noClasses()
                .that(resideInAPackage(SPRING).and(resideOutsideOfPackages(INTERNAL + ".spring.listener")))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(API + ".kafka..", "org.apache.kafka..", "org.springframework.kafka..")
                .check(POSTRIDER);
    }

    /** So that another destination is a package and a line. Topics and exactly once are matters of Kafka's alone. */
    @Test
    void commandsKnowDestinationsByTheirListOnly() {
        noClasses()
                .that(resideInAPackage(API + ".cli..")
                        .and(resideOutsideOfPackages(
                                API + ".cli.destination..",
                                API + ".cli.kafka",
                                API + ".cli.doctor.broker",
                                API + ".cli.topics",
                                API + ".cli.debezium",
                                API + ".cli.demo"))
                        .and(not(simpleName("Destinations")))
                        .and(not(simpleName("AlterCommand"))))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        API + ".cli.destination.kafka",
                        API + ".cli.destination.webhook",
                        API + ".cli.doctor.broker",
                        API + ".kafka..",
                        API + ".publish.webhook")
                .check(POSTRIDER);
    }

    /** G8. {@code System.nanoTime} is for waiting, and says nothing about the time. */
    @Test
    void relaysTakeNoTimeFromTheirOwnClock() {
        noClasses()
                .that(resideInAnyPackage(
                        INTERNAL + ".relay",
                        INTERNAL + ".source..",
                        INTERNAL + ".lease",
                        INTERNAL + ".store..",
                        INTERNAL + ".failure"))
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethodWhere(target(name("now")).and(target(owner(resideInAPackage("java.time..")))))
                .orShould()
                .callConstructor(Date.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .check(POSTRIDER);
    }

    @Test
    void namesSayWhatAClassIs() {
        classes()
                .should()
                .haveSimpleNameNotEndingWith("Impl")
                .andShould()
                .haveSimpleNameNotEndingWith("Manager")
                .andShould()
                .haveSimpleNameNotEndingWith("Helper")
                .andShould()
                .haveSimpleNameNotEndingWith("Utils")
                .andShould()
                .haveSimpleNameNotStartingWith("Abstract")
                .andShould()
                .haveSimpleNameNotStartingWith("Default")
                .check(POSTRIDER);
    }
}
