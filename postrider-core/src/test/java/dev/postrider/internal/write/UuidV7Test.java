package dev.postrider.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UuidV7Test {

    @Test
    void idsAreOfVersionSevenAndCarryTheTime() {
        long before = System.currentTimeMillis();

        UUID id = UuidV7.next();

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(id.getMostSignificantBits() >>> 16).isBetween(before, System.currentTimeMillis() + 1000);
    }

    @Test
    void idsOfOneProcessGrow() {
        List<String> ids =
                Stream.generate(UuidV7::next).limit(100_000).map(UUID::toString).toList();

        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void idsOfManyThreadsDiffer() {
        assertThat(IntStream.range(0, 100_000)
                        .parallel()
                        .mapToObj(n -> UuidV7.next())
                        .distinct())
                .hasSize(100_000);
    }
}
