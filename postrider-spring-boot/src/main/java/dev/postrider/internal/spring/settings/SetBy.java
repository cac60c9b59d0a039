package dev.postrider.internal.spring.settings;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.origin.Origin;

/** Where a property was set, for messages: a line of a file, or a variable. Never its value. */
final class SetBy {
    private SetBy() {}

    static String of(ConfigurationProperty property) {
        Origin origin = property.getOrigin();
        return origin == null ? property.getName().toString() : origin.toString();
    }
}
