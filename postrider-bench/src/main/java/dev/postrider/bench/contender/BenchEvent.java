package dev.postrider.bench.contender;

import java.util.ArrayList;
import java.util.List;

/**
 * An event of the benchmark. Its document begins with its number, by which it is recognised when it arrives.
 *
 * @param number counts from 0 in each run
 * @param key its aggregate's id; events with the same key want to keep their order
 * @param document JSON of the length that was asked for
 */
public record BenchEvent(long number, String key, String document) {
    public static final String TYPE = "PaymentMade";
    public static final String AGGREGATE = "Payment";

    /** The mark that stands before the number in every document. */
    public static final String MARK = "\"seq\":";

    public static BenchEvent of(long number, Shape shape) {
        String head = "{" + MARK + number + ",\"text\":\"";
        int rest = Math.max(0, shape.bytes() - head.length() - 2);
        return new BenchEvent(number, "k" + number % shape.keys(), head + text(number, rest) + "\"}");
    }

    public static List<BenchEvent> range(long from, int count, Shape shape) {
        List<BenchEvent> events = new ArrayList<>(count);
        for (long number = from; number < from + count; number++) {
            events.add(of(number, shape));
        }
        return events;
    }

    /** Text that does not repeat itself too obviously, for whoever compresses. */
    private static String text(long number, int length) {
        StringBuilder text = new StringBuilder(length + 16);
        long state = number * 0x9E3779B97F4A7C15L + 1;
        while (text.length() < length) {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            text.append(Long.toHexString(state));
        }
        text.setLength(length);
        return text.toString();
    }

    /**
     * @param bytes length of a document
     * @param keys number of keys, taken in turns
     */
    public record Shape(int bytes, int keys) {}
}
