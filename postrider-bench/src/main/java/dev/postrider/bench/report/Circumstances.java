package dev.postrider.bench.report;

import dev.postrider.bench.lab.Laboratory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Where and with what was measured. Nothing that identifies a machine or its owner. */
public record Circumstances(Map<String, String> facts) {

    public static Circumstances now(boolean quick, int runs, String postgresVersion) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", LocalDate.now(ZoneOffset.UTC).toString());
        facts.put("processors", String.valueOf(Runtime.getRuntime().availableProcessors()));
        facts.put("processor", processor());
        facts.put("memory", memory());
        facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        facts.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
        facts.put("PostgreSQL", postgresVersion + ", fsync on, " + new TreeMap<>(Laboratory.POSTGRES_SETTINGS));
        facts.put(
                "Kafka",
                org.apache.kafka.common.utils.AppInfoParser.getVersion() + ", one broker, " + Laboratory.PARTITIONS
                        + " partitions, acks=all");
        facts.put("runs", runs + (quick ? ", quick" : ""));
        return new Circumstances(facts);
    }

    private static String processor() {
        return line(Path.of("/proc/cpuinfo"), "model name");
    }

    private static String memory() {
        String total = line(Path.of("/proc/meminfo"), "MemTotal").replace(" kB", "");
        return total.isEmpty() ? "" : Math.round(Long.parseLong(total) / 1048576.0) + " GiB";
    }

    private static String line(Path file, String name) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }
}
