package dev.postrider.bench.lab;

import dev.postrider.bench.BenchException;
import dev.postrider.bench.contender.BenchEvent;
import java.nio.charset.StandardCharsets;

/** Finds the number of an event in whatever its contender made of it. */
final class Numbers {
    private static final byte[] MARK = BenchEvent.MARK.getBytes(StandardCharsets.US_ASCII);

    private Numbers() {}

    static long of(byte[] value) {
        for (int at = 0; at + MARK.length < value.length; at++) {
            if (isMark(value, at)) {
                return digits(value, at + MARK.length);
            }
        }
        throw new BenchException("A message without a number arrived: " + new String(value, StandardCharsets.UTF_8));
    }

    private static boolean isMark(byte[] value, int at) {
        for (int i = 0; i < MARK.length; i++) {
            if (value[at + i] != MARK[i]) {
                return false;
            }
        }
        return true;
    }

    /** JSON that was parsed and written again may have blanks before the number. */
    private static long digits(byte[] value, int from) {
        int at = from;
        while (at < value.length && value[at] == ' ') {
            at++;
        }
        long number = 0;
        for (; at < value.length && value[at] >= '0' && value[at] <= '9'; at++) {
            number = number * 10 + value[at] - '0';
        }
        return number;
    }
}
