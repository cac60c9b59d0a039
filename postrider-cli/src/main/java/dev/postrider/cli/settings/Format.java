package dev.postrider.cli.settings;

import java.util.function.Function;

/**
 * How the text of a setting becomes a value and back.
 *
 * @param label stands for the value in the help, for example {@code <duration>}
 * @param allowed completes the sentence "it must be …"
 * @param secret whether the text must never be shown
 */
public record Format<T>(
        String label, String allowed, boolean secret, Function<String, T> parser, Function<T, String> printer) {

    static <T> Format<T> of(String label, String allowed, Function<String, T> parser, Function<T, String> printer) {
        return new Format<>(label, allowed, false, parser, printer);
    }

    String print(T value) {
        return printer.apply(value);
    }

    /**
     * @param origin where the text stands: a flag, a variable, or a key and its file
     */
    public T parse(String text, String origin) {
        try {
            return parser.apply(text);
        } catch (RefusedText e) {
            throw new UsageException(origin + ": " + e.getMessage());
        } catch (RuntimeException e) {
            String shown = secret ? "not usable" : "[" + Masking.mask(text) + "]";
            throw new UsageException(origin + " is " + shown + "; it must be " + allowed + ".");
        }
    }
}
