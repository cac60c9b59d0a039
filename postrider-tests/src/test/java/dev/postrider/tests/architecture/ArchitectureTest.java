package dev.postrider.tests.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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

    /** A package of core and the packages, beside the API, it may know. */
    static Stream<Arguments> arrows() {
        return Stream.of(
                Arguments.of("write", List.of()),
                Arguments.of("publish", List.of()),
                Arguments.of("metrics", List.of()),
                Arguments.of("lifecycle", List.of()),
                Arguments.of("alert", List.of("lifecycle")),
                Arguments.of("alert.webhook", List.of("alert", "http", "lifecycle")),
                Arguments.of("http", List.of()),
                Arguments.of("publish.webhook", List.of("publish", "http")),
                Arguments.of("publish.handler", List.of("publish", "store")),
                Arguments.of("store", List.of()),
                Arguments.of("store.log", List.of("store")),
                Arguments.of("store.jdbc", List.of("store", "store.log", "write", "lifecycle")),
                Arguments.of("source", List.of("failure", "store", "store.jdbc")),
                Arguments.of(
                        "source.log",
                        List.of("source", "failure", "lease", "publish", "store", "store.jdbc", "store.log")),
                Arguments.of("lease", List.of("store", "store.jdbc", "store.log", "lifecycle")),
                Arguments.of(
                        "housekeeping", List.of("store", "store.jdbc", "store.log", "lease", "alert", "lifecycle")),
                Arguments.of("failure", List.of("publish", "store")),
                Arguments.of("admin", List.of("store", "store.jdbc", "store.log", "publish", "write", "source.log")),
                Arguments.of("testing", List.of("publish", "relay", "store")),
                Arguments.of("relay", List.of("source", "publish", "failure", "lease", "store", "lifecycle")));
    }

    @ParameterizedTest
    @MethodSource("arrows")
    void packageKnowsOnlyThoseItMayKnow(String name, List<String> mayKnow) {
        List<String> allowed = new ArrayList<>(List.of(API, API + "." + name));
        mayKnow.forEach(other -> allowed.add(API + "." + other));

        noClasses()
                .that()
                .resideInAPackage(API + "." + name)
                .should()
                .dependOnClassesThat(resideInAnyPackage("dev.postrider..")
                        .and(not(resideInAnyPackage(allowed.toArray(String[]::new)))))
                .check(POSTRIDER);
    }

    @Test
    void coreKnowsNoOtherModule() {
        noClasses()
                .that(resideInAnyPackage(
                        API,
                        API + ".write..",
                        API + ".store..",
                        API + ".source..",
                        API + ".relay..",
                        API + ".publish..",
                        API + ".failure..",
                        API + ".lease..",
                        API + ".housekeeping..",
                        API + ".lifecycle..",
                        API + ".alert..",
                        API + ".http..",
                        API + ".admin..",
                        API + ".metrics..",
                        API + ".testing.."))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        API + ".kafka..",
                        API + ".cli..",
                        API + ".devservices..",
                        "org.apache.kafka..",
                        "picocli..",
                        "org.springframework..")
                .check(POSTRIDER);
    }

    @Test
    void driversStayInTheirPackage() {
        noClasses()
                .that(resideOutsideOfPackages(API + ".store.jdbc", API + ".cli..", API + ".devservices.."))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.postgresql..", "org.mariadb..")
                .check(POSTRIDER);
    }

    @Test
    void metersStayInTheirPackage() {
        noClasses()
                .that(resideOutsideOfPackages(API + ".metrics", API + ".kafka.metrics", API + ".cli.."))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..")
                .check(POSTRIDER);
    }

    /** So that another destination is a package and a line. Topics and exactly once are matters of Kafka's alone. */
    @Test
    void commandsKnowDestinationsByTheirListOnly() {
        noClasses()
                .that(resideInAPackage(API + ".cli..")
                        .and(resideOutsideOfPackages(
                                API + ".cli.destination..",
                                API + ".cli.doctor.broker",
                                API + ".cli.topics",
                                API + ".cli.demo"))
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
                        API + ".relay",
                        API + ".source..",
                        API + ".lease",
                        API + ".store",
                        API + ".store.jdbc",
                        API + ".store.log",
                        API + ".failure"))
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
