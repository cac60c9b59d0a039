package dev.postrider.examples;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The requirements of its system that a test shows, such as {@code T8}. At the end of the build {@code RequirementsTest} in
 * {@code examples/check} compares these with the test reports and with {@code docs/systems.md}.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Requirement {
    String[] value();
}
