package dev.postrider.bench.scenario;

import dev.postrider.bench.BenchException;
import dev.postrider.bench.contender.ContenderName;
import dev.postrider.bench.lab.Laboratory;
import dev.postrider.bench.lab.Site;
import dev.postrider.bench.report.Figures;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * One call of the command: where to measure, whom, how thoroughly, and where the figures go.
 *
 * @param quick smaller and fewer, to end within ten minutes
 * @param options for every contender, unless a scenario says otherwise
 * @param progress told what is being done
 */
public record Session(
        Laboratory laboratory,
        List<ContenderName> contenders,
        boolean quick,
        int runs,
        Map<String, String> options,
        Figures figures,
        Consumer<String> progress) {

    /** What happens at a place of its own. */
    interface Run {
        void at(Site site) throws Exception;
    }

    /** Those of the chosen contenders that are among these. */
    List<ContenderName> among(List<ContenderName> eligible) {
        return contenders.stream().filter(eligible::contains).toList();
    }

    List<ContenderName> except(ContenderName... excluded) {
        return contenders.stream()
                .filter(name -> !List.of(excluded).contains(name))
                .toList();
    }

    int size(int whenQuick, int otherwise) {
        return quick ? whenQuick : otherwise;
    }

    /** Does it at a place made for it. If it fails the others go on, and the report says so. */
    void at(String scenario, String what, ContenderName contender, Map<String, String> own, Run run) {
        Map<String, String> all = new HashMap<>(options);
        all.putAll(own);
        progress.accept(scenario + ": " + what + contender.label());
        int before = figures.log().size();
        try (Site site = laboratory.site(contender, all)) {
            run.at(site);
            List<String> measured = figures.log();
            progress.accept("    " + String.join(", ", measured.subList(before, measured.size())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("Interrupted.", e);
        } catch (Exception e) {
            if (Thread.currentThread().isInterrupted()) {
                throw new BenchException("Interrupted.", e);
            }
            String problem = scenario + ", " + what + contender.label() + ": " + e.getMessage();
            figures.failed(problem.lines().findFirst().orElse(problem));
            progress.accept("failed: " + problem);
        }
    }
}
