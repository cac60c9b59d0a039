package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutboxLayoutTest {

    @Test
    void wordsNameShardsOfALogOnly() {
        assertThat(OutboxLayout.log(4).describe()).isEqualTo("mode log, 4 shards, delivery at-least-once");
        assertThat(OutboxLayout.log(1).delivering(Delivery.EXACTLY_ONCE).describe())
                .isEqualTo("mode log, 1 shard, delivery exactly-once");
        assertThat(OutboxLayout.claim().describe()).isEqualTo("mode claim, delivery at-least-once");
    }
}
