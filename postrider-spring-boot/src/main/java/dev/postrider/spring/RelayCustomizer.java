package dev.postrider.spring;

import dev.postrider.Relay;

/**
 * A bean that changes how the application's relay is built, for what there is no property and no bean for. It is called each
 * time a relay is built, after everything else was set; several are called in their order. What it sets replaces what was set
 * before: with {@code listener} for example, beans of the type {@code RelayListener} hear nothing.
 */
@FunctionalInterface
public interface RelayCustomizer {

    void customize(Relay.Builder relay);
}
