package dev.postrider.cli.doctor;

import dev.postrider.cli.doctor.check.Finding;
import dev.postrider.cli.doctor.check.Severity;
import java.util.List;

/** Everything that was found. */
record Diagnosis(List<Entry> entries) {
    Diagnosis {
        entries = List.copyOf(entries);
    }

    /**
     * A finding and where it comes from.
     *
     * @param check its name within the group
     */
    record Entry(Group group, String check, Finding finding) {
        Severity severity() {
            return finding.severity();
        }
    }

    List<Entry> of(Group group) {
        return entries.stream().filter(entry -> entry.group() == group).toList();
    }

    long count(Severity severity) {
        return entries.stream().filter(entry -> entry.severity() == severity).count();
    }

    boolean isHealthy() {
        return entries.stream().noneMatch(entry -> entry.severity().isBad());
    }
}
