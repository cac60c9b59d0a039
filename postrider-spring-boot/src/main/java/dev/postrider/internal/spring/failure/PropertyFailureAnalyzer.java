package dev.postrider.internal.spring.failure;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Says which of Postrider's properties cannot be read, and where it is set, but not its value: it may be a secret. Spring Boot's own
 * analyzers, which come after it, would.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class PropertyFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("postrider");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ConfigurationPropertyName name = cause.getName();
        if (!ROOT.equals(name) && !ROOT.isAncestorOf(name)) {
            return null;
        }
        UnboundConfigurationPropertiesException unbound =
                findCause(rootFailure, UnboundConfigurationPropertiesException.class);
        if (unbound != null) {
            return new FailureAnalysis(
                    "Elements of the list " + name + " are missing before "
                            + unbound.getUnboundProperties().stream()
                                    .map(property -> property.getName().toString())
                                    .sorted()
                                    .collect(Collectors.joining(", "))
                            + ".",
                    "Number the elements from [0], without gaps and in one file: what is in a file replaces the whole list.",
                    cause);
        }
        ConfigurationProperty property = cause.getProperty();
        return new FailureAnalysis(
                (property == null ? name : property.getName()) + " is not allowed; it must be " + allowed(cause) + ".",
                "Correct what is set by "
                        + (property == null || property.getOrigin() == null ? name : property.getOrigin())
                        + ".",
                cause);
    }

    private static String allowed(BindException cause) {
        Class<?> type = cause.getTarget().getType().resolve(Object.class);
        return type.isEnum()
                ? "one of "
                        + Arrays.stream(type.getEnumConstants())
                                .map(one -> ((Enum<?>) one)
                                        .name()
                                        .toLowerCase(Locale.ROOT)
                                        .replace('_', '-'))
                                .collect(Collectors.joining(", "))
                : "of the type " + type.getSimpleName();
    }
}
