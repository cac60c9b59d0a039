package dev.postrider.cli.doctor;

import dev.postrider.cli.doctor.check.Check;
import dev.postrider.cli.doctor.check.Finding;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes checks and keeps what they find. Whatever happens inside a check becomes a finding. */
final class Round {
    private static final String INSUFFICIENT_PRIVILEGE = "42501";
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final Logger log = LoggerFactory.getLogger(Round.class);
    private final List<Diagnosis.Entry> entries = new ArrayList<>();

    /** Something that can fail. */
    @FunctionalInterface
    interface Attempt<T> {
        T run() throws SQLException, InterruptedException;
    }

    /**
     * @return what this check found
     */
    List<Finding> make(Group group, String name, Check check) throws InterruptedException {
        List<Finding> findings = attempt(group, name, check::examine).orElse(List.of());
        findings.forEach(finding -> add(group, name, finding));
        return findings;
    }

    /**
     * @return empty if it failed, which is noted
     */
    <T> Optional<T> attempt(Group group, String name, Attempt<T> attempt) throws InterruptedException {
        try {
            return Optional.of(attempt.run());
        } catch (SQLException | RuntimeException e) {
            log.debug("The check {} failed", group.idOf(name), e);
            add(group, name, failed(e));
            return Optional.empty();
        }
    }

    private static Finding failed(Exception e) {
        String reason = String.valueOf(e.getMessage())
                .lines()
                .findFirst()
                .orElse("")
                .strip()
                .replaceFirst("^(ERROR|FATAL): ", "");
        String fix = switch (e instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "") {
            case INSUFFICIENT_PRIVILEGE -> "let this user read it, or use one that may";
            case LOCK_NOT_AVAILABLE ->
                "select pid from pg_locks where mode = 'AccessExclusiveLock' and granted;  -- says who locked it";
            default -> "see to the cause and try again; --verbose shows more";
        };
        return Finding.warning("This could not be checked: " + reason + (reason.endsWith(".") ? "" : "."), fix);
    }

    void add(Group group, String name, Finding finding) {
        entries.add(new Diagnosis.Entry(group, name, finding));
    }

    Diagnosis diagnosis() {
        return new Diagnosis(entries);
    }
}
