package dev.postrider.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class DoctorReportTest {
    private static final Diagnosis SICK = new Diagnosis(List.of(
            new Diagnosis.Entry(Group.DATABASE, "transactions", Finding.warning("One is open.", "end it")),
            new Diagnosis.Entry(Group.DATABASE, "version", Finding.ok("It is new.")),
            new Diagnosis.Entry(Group.BROKER, "topics", Finding.error("There is none.", "create it")),
            new Diagnosis.Entry(Group.BROKER, "brokers", Finding.info("There is one.", null))));

    @Test
    void textIsGroupedAndAlignedWithTheWorstLast() {
        assertThat(DoctorReport.text(SICK, Ansi.OFF).lines())
                .containsExactly(
                        "Database",
                        "  OK       version       It is new.",
                        "  WARNING  transactions  One is open.",
                        "                         fix: end it",
                        "",
                        "Broker",
                        "  INFO     brokers       There is one.",
                        "  ERROR    topics        There is none.",
                        "                         fix: create it",
                        "",
                        "Not healthy: 1 error, 1 warning, 1 info, 1 OK.");
    }

    @Test
    void coloursAreForTerminalsOnly() {
        assertThat(DoctorReport.text(SICK, Ansi.ON)).contains("\u001b[1m\u001b[31mERROR  \u001b[");
        assertThat(DoctorReport.text(SICK, Ansi.OFF)).doesNotContain("\u001b");
    }

    @Test
    void jsonListsEveryFindingWithItsCheck() {
        assertThat(DoctorReport.json(OutboxTable.DEFAULT, SICK))
                .containsEntry("table", "outbox")
                .containsEntry("healthy", false);
        assertThat(DoctorReport.json(OutboxTable.DEFAULT, SICK).get("findings"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(4)
                .contains(Map.of(
                        "check", "database.transactions",
                        "severity", "WARNING",
                        "finding", "One is open.",
                        "fix", "end it"));
    }

    @Test
    void informationIsHealthy() {
        Diagnosis informed =
                new Diagnosis(List.of(new Diagnosis.Entry(Group.BROKER, "brokers", Finding.info("One.", null))));

        assertThat(informed.isHealthy()).isTrue();
        assertThat(DoctorReport.text(informed, Ansi.OFF)).endsWith("Healthy: 0 errors, 0 warnings, 1 info, 0 OK.\n");
    }

    @Test
    void passwordsAreHidden() {
        Finding finding = Finding.error("jdbc:postgresql://h/d?password=s3cret does not answer.", "password=s3cret");

        assertThat(finding.text() + finding.fix()).doesNotContain("s3cret");
    }

    @Test
    void agesAndSizesHaveTwoUnitsAtMost() {
        assertThat(Amounts.age(Duration.ofMillis(3_250))).isEqualTo("3.3 s");
        assertThat(Amounts.age(Duration.ofSeconds(10))).isEqualTo("10 s");
        assertThat(Amounts.age(Duration.ofSeconds(125))).isEqualTo("2 min 5 s");
        assertThat(Amounts.age(Duration.ofMinutes(185))).isEqualTo("3 h 5 min");
        assertThat(Amounts.age(Duration.ofHours(55))).isEqualTo("2 d 7 h");
        assertThat(Amounts.bytes(1000)).isEqualTo("1000 bytes");
        assertThat(Amounts.bytes(1_048_588)).isEqualTo("1.0 MB");
        assertThat(Amounts.bytes(3L << 30)).isEqualTo("3.0 GB");
        assertThat(Amounts.count(1, "event")).isEqualTo("1 event");
        assertThat(Amounts.count(12_345, "event")).isEqualTo("12,345 events");
    }
}
