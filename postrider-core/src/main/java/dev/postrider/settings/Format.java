package dev.postrider.settings;

import java.util.function.Function;
import java.util.function.Predicate;

/** The values an option accepts, and how they are written as text. {@link Formats} has the usual formats. */
public final class Format<T> {
    private final Class<?> type;
    private final String label;
    private final String allowed;
    private final boolean secret;
    private final Function<String, T> parser;
    private final Function<T, String> printer;
    private final Predicate<T> range;

    private Format(
            Class<?> type,
            Wording wording,
            boolean secret,
            Function<String, T> parser,
            Function<T, String> printer,
            Predicate<T> range) {
        this.type = type;
        this.label = wording.label();
        this.allowed = wording.allowed();
        this.secret = secret;
        this.parser = parser;
        this.printer = printer;
        this.range = range;
    }

    private record Wording(String label, String allowed) {}

    /**
     * @param type of the values
     * @param label stands for a value in help texts, such as {@code <duration>}
     * @param allowed completes the sentence "it must be …"
     * @param parser throws any exception if the text is not that of a value
     */
    public static <T> Format<T> of(
            Class<?> type, String label, String allowed, Function<String, T> parser, Function<T, String> printer) {
        return new Format<>(type, new Wording(label, allowed), false, parser, printer, value -> true);
    }

    /** The same format for fewer values. */
    public Format<T> within(Predicate<T> range, String allowed) {
        return new Format<>(type, new Wording(label, allowed), secret, parser, printer, this.range.and(range));
    }

    /** The same format for values that are never shown. */
    public Format<T> secret() {
        return new Format<>(type, new Wording(label, allowed), true, parser, printer, range);
    }

    public Class<?> type() {
        return type;
    }

    public String label() {
        return label;
    }

    public String allowed() {
        return allowed;
    }

    public boolean isSecret() {
        return secret;
    }

    public String print(T value) {
        return secret ? "(secret)" : printer.apply(value);
    }

    /**
     * @param origin where the text was found, such as a key or a flag
     * @throws InvalidOptionException if it is not the text of an allowed value
     */
    public T parse(String text, String origin) {
        T value;
        try {
            value = parser.apply(text);
        } catch (RuntimeException e) {
            throw refused(text, origin);
        }
        if (!range.test(value)) {
            throw refused(text, origin);
        }
        return value;
    }

    private InvalidOptionException refused(String text, String origin) {
        return new InvalidOptionException(origin, secret ? "not usable" : "[" + text + "]", allowed);
    }

    /**
     * @param origin what the value was given for
     * @throws InvalidOptionException if the value is not allowed
     */
    public T check(T value, String origin) {
        if (!range.test(value)) {
            throw invalid(value, origin, allowed);
        }
        return value;
    }

    InvalidOptionException invalid(T value, String origin, String allowed) {
        return new InvalidOptionException(origin, secret ? "not usable" : print(value), allowed);
    }
}
