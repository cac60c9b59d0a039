package dev.postrider.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {
    private final Figures figures = new Figures();

    @Test
    void medianIsTheMiddleRun() {
        assertThat(figure(3, 100, 1).median()).isEqualTo(3);
        assertThat(figure(4, 1, 2, 100).median()).isEqualTo(3);
    }

    @Test
    void ratiosAreTakenRunByRun() {
        // The machine was ten times as slow for everybody in the second run.
        Figure ratio = figure(50, 5, 51).dividedBy(figure(100, 10, 100));

        assertThat(ratio.runs()).containsExactly(0.5, 0.5, 0.51);
    }

    @Test
    void onlyWhatWasMeasuredIsCompared() {
        drain("log", 90_000);

        assertThat(Ratios.of(figures)).isEmpty();

        drain("producer", 100_000);

        assertThat(Ratios.of(figures)).containsOnlyKeys("log_vs_producer");
    }

    @Test
    void targetsAreBoundsFromBelowOrFromAbove() {
        drain("producer", 100_000, 100_000, 100_000);
        drain("log", 89_000, 95_000, 91_000);
        figures.add("idle", "", "log", "statements/s", 5.5);

        Map<String, Ratios.Ratio> ratios = Ratios.of(figures);

        assertThat(ratios.get("log_vs_producer").isMet()).isTrue();
        assertThat(ratios.get("log_idle_statements").isMet()).isFalse();
    }

    @Test
    void largestIsComparedWithSmallest() {
        figures.add("growth", "kept=0", "log", "events/s", 100_000);
        figures.add("growth", "kept=5000000", "log", "events/s", 80_000);

        assertThat(Ratios.of(figures).get("log_rows_kept").figure().median()).isEqualTo(0.8, within(1e-9));
    }

    @Test
    void jsonHasRatiosByName() {
        drain("producer", 100_000);
        drain("claim-keep", 31_000);

        JsonNode document = JsonMapper.shared().readTree(report().json());

        assertThat(document.at("/ratios/claim_keep_vs_producer").asDouble()).isEqualTo(0.31);
        assertThat(document.at("/targets/0/met").asBoolean()).isTrue();
    }

    @Test
    void pageShowsFiguresSettingsAndFailures(@TempDir Path directory) throws Exception {
        drain("log", 90_000, 91_000, 95_000);
        figures.settings("log", List.of("four shards"));
        figures.failed("drain, run 1: the broker was away");

        report().write(directory);

        assertThat(directory.resolve("report.md"))
                .content()
                .contains("| Postrider log |  | 91\u202f000 (90\u202f000 – 95\u202f000) |")
                .contains("four shards")
                .contains("the broker was away");
        assertThat(Files.readAllBytes(directory.resolve("drain.png"))).startsWith(0x89, 'P', 'N', 'G');
        assertThat(report().isComplete()).isFalse();
    }

    private void drain(String contender, double... runs) {
        for (double run : runs) {
            figures.add("drain", "", contender, "events/s", run);
        }
    }

    private Report report() {
        return new Report(figures, new Circumstances(Map.of("processors", "2")), Map.of("drain", "A backlog."));
    }

    private static Figure figure(double... runs) {
        return new Figure("drain", "", "log", "events/s", runs);
    }
}
