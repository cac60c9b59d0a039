package dev.postrider.cli.doctor;

import dev.postrider.OutboxTable;
import dev.postrider.cli.doctor.check.Amounts;
import dev.postrider.cli.doctor.check.Severity;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/** A diagnosis in words and in JSON. */
final class DoctorReport {
    private DoctorReport() {}

    static Map<String, Object> json(OutboxTable table, Diagnosis diagnosis) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("table", table.toString());
        object.put("healthy", diagnosis.isHealthy());
        object.put(
                "findings", diagnosis.entries().stream().map(DoctorReport::json).toList());
        return object;
    }

    private static Map<String, Object> json(Diagnosis.Entry entry) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("check", entry.group().idOf(entry.check()));
        object.put("severity", entry.severity().name());
        object.put("finding", entry.finding().text());
        object.put("fix", entry.finding().fix());
        return object;
    }

    /** By group, the worst of each last. */
    static String text(Diagnosis diagnosis, Ansi ansi) {
        int width = diagnosis.entries().stream()
                .mapToInt(entry -> entry.check().length())
                .max()
                .orElse(0);
        StringBuilder text = new StringBuilder();
        for (Group group : Group.values()) {
            List<Diagnosis.Entry> entries = diagnosis.of(group).stream()
                    .sorted(Comparator.comparing(Diagnosis.Entry::severity))
                    .toList();
            if (!entries.isEmpty()) {
                text.append("%s%n".formatted(group.title()));
                entries.forEach(entry -> text.append(lines(entry, width, ansi)));
                text.append(System.lineSeparator());
            }
        }
        return text.append(summary(diagnosis, ansi)).toString();
    }

    private static String lines(Diagnosis.Entry entry, int width, Ansi ansi) {
        String severity = coloured(entry.severity(), "%-7s".formatted(entry.severity()), ansi);
        String check = ("%-" + width + "s").formatted(entry.check());
        String line =
                "  %s  %s  %s%n".formatted(severity, check, entry.finding().text());
        String fix = entry.finding().fix();
        return fix == null ? line : line + "  %s  fix: %s%n".formatted(" ".repeat(9 + width), fix);
    }

    private static String summary(Diagnosis diagnosis, Ansi ansi) {
        String counts = "%s, %s, %s, %d OK."
                .formatted(
                        Amounts.count(diagnosis.count(Severity.ERROR), "error"),
                        Amounts.count(diagnosis.count(Severity.WARNING), "warning"),
                        Amounts.count(diagnosis.count(Severity.INFO), "info"),
                        diagnosis.count(Severity.OK));
        String verdict = diagnosis.isHealthy()
                ? coloured(Severity.OK, "Healthy", ansi)
                : coloured(Severity.ERROR, "Not healthy", ansi);
        return "%s: %s%n".formatted(verdict, counts);
    }

    private static String coloured(Severity severity, String word, Ansi ansi) {
        return ansi.string("@|" + severity.style() + " " + word + "|@");
    }
}
