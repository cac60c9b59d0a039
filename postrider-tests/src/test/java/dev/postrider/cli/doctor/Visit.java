package dev.postrider.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.StopSignal;
import dev.postrider.cli.doctor.check.Limits;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One run of the doctor. */
final class Visit {
    private final int status;
    private final String out;
    private final List<Said> findings = new ArrayList<>();

    private Visit(int status, String out) {
        this.status = status;
        this.out = out;
    }

    record Said(String check, String severity, String finding, String fix) {}

    static Visit of(Limits limits, Map<String, String> environment) {
        Visit visit = run(limits, environment, "--json");
        for (JsonNode node : JsonMapper.shared().readTree(visit.out).path("findings")) {
            visit.findings.add(new Said(
                    node.path("check").asString(),
                    node.path("severity").asString(),
                    node.path("finding").asString(),
                    node.path("fix").isNull() ? "" : node.path("fix").asString()));
        }
        return visit;
    }

    /** What a person gets to read. */
    static Visit inWords(Limits limits, Map<String, String> environment) {
        return run(limits, environment);
    }

    private static Visit run(Limits limits, Map<String, String> variables, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CommandEnvironment environment = new CommandEnvironment(
                Path.of("").toAbsolutePath(),
                variables,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                new StopSignal());
        int status = DoctorCommand.create(environment, limits).execute(args);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        return new Visit(status, out.toString(StandardCharsets.UTF_8));
    }

    int status() {
        return status;
    }

    String out() {
        return out;
    }

    List<Said> findings() {
        return findings;
    }

    /** Those that somebody has to act on. */
    List<Said> errors() {
        return findings.stream()
                .filter(said ->
                        said.severity().equals("WARNING") || said.severity().equals("ERROR"))
                .toList();
    }

    /** The only one of a check. */
    Said only(String check) {
        List<Said> all = of(check);
        assertThat(all).as("findings of " + check + " in " + findings).hasSize(1);
        return all.get(0);
    }

    List<Said> of(String check) {
        return findings.stream().filter(said -> said.check().equals(check)).toList();
    }

    Visit assertHealthy() {
        assertThat(errors()).isEmpty();
        assertThat(findings).isNotEmpty();
        assertThat(status).isZero();
        return this;
    }

    /** Exactly this is wrong, and nothing else. */
    Said assertOnlyComplaint(String check, String severity) {
        assertThat(errors()).hasSize(1);
        Said said = errors().get(0);
        assertThat(said.check()).isEqualTo(check);
        assertThat(said.severity()).isEqualTo(severity);
        assertThat(status).isEqualTo(1);
        return said;
    }
}
