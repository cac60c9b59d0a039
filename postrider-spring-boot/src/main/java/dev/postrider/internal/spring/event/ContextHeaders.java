package dev.postrider.internal.spring.event;

import java.util.Map;
import java.util.function.Supplier;

/** What events carry of the moment in which they are written, as headers. Any thread. */
@FunctionalInterface
public interface ContextHeaders extends Supplier<Map<String, String>> {}
