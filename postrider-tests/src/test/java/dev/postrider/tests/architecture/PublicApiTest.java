package dev.postrider.tests.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What users may rely on: every public type outside {@code dev.postrider.internal}. The command line is a program, and its types
 * are nobody's API.
 */
class PublicApiTest {
    private static final Path LIST = Path.of("..", "docs", "public-api.txt");

    private static final JavaClasses POSTRIDER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.postrider");

    /** A type more or less is a decision: it is made by changing the list in the same commit. */
    @Test
    void publicTypesAreThoseOfTheList() throws IOException {
        List<String> types = publicTypes().map(JavaClass::getName).sorted().toList();
        Path now = Path.of("target", "public-api.txt");
        Files.createDirectories(now.getParent());
        Files.write(now, types);

        assertThat(types)
                .as(
                        "If this change of the API is meant, copy postrider-tests/target/public-api.txt to docs/public-api.txt.")
                .isEqualTo(Files.readAllLines(LIST));
    }

    @Test
    void signaturesNameNoInternalType() {
        assertThat(publicTypes().flatMap(PublicApiTest::signature).distinct().sorted())
                .isEmpty();
    }

    private static Stream<JavaClass> publicTypes() {
        return POSTRIDER.stream().filter(PublicApiTest::isApi);
    }

    private static boolean isApi(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !isOutside(type)
                && type.getEnclosingClass().map(PublicApiTest::isApi).orElse(true);
    }

    private static boolean isOutside(JavaClass type) {
        String name = type.getPackageName() + ".";
        return Stream.of("internal", "cli", "bench", "tests")
                .anyMatch(outside -> name.startsWith("dev.postrider." + outside + "."));
    }

    /** The types a user meets in the public and protected parts of a type, as far as they are ours and none of the API. */
    private static Stream<String> signature(JavaClass type) {
        Stream<JavaType> parents = Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
        Stream<String> declared = type.getMembers().stream()
                .filter(PublicApiTest::isSeen)
                .flatMap(member -> types(member)
                        .flatMap(PublicApiTest::hidden)
                        .map(hidden -> member.getFullName() + " names " + hidden));
        return Stream.concat(
                parents.flatMap(PublicApiTest::hidden).map(hidden -> type.getName() + " is a " + hidden), declared);
    }

    private static boolean isSeen(JavaMember member) {
        return (member.getModifiers().contains(JavaModifier.PUBLIC)
                        || member.getModifiers().contains(JavaModifier.PROTECTED))
                && !member.getModifiers().contains(JavaModifier.SYNTHETIC);
    }

    private static Stream<JavaType> types(JavaMember member) {
        if (member instanceof JavaField field) {
            return Stream.of(field.getType());
        }
        JavaCodeUnit code = (JavaCodeUnit) member;
        return Stream.of(
                        Stream.of(code.getReturnType()),
                        code.getParameterTypes().stream(),
                        code.getExceptionTypes().stream())
                .flatMap(types -> types);
    }

    private static Stream<String> hidden(JavaType type) {
        return type.getAllInvolvedRawTypes().stream()
                .map(raw -> raw.tryGetComponentType().orElse(raw))
                .filter(raw -> raw.getPackageName().startsWith("dev.postrider") && !isApi(raw))
                .map(JavaClass::getName);
    }
}
