package dev.postrider.bench.contender.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a peer is given beside the properties of its application.
 *
 * @param connections size of the pool, which writers and delivery share
 * @param lingerMillis how long Kafka's producer waits for more; everything else is as for the raw producer
 */
public record PeerSettings(int connections, int lingerMillis) {

    Map<String, Object> producer() {
        return new TreeMap<>(Map.of(
                "acks", "all",
                "enable.idempotence", "true",
                "max.in.flight.requests.per.connection", "5",
                "linger.ms", String.valueOf(lingerMillis),
                "batch.size", "65536"));
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("hikari.maximum-pool-size=" + connections);
        producer().forEach((name, value) -> lines.add("producer." + name + "=" + value));
        return lines;
    }
}
