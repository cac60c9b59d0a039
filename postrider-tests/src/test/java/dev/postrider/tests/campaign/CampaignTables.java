package dev.postrider.tests.campaign;

import dev.postrider.tests.campaign.Findings.Phase;
import dev.postrider.tests.campaign.Findings.Strikes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The tables of a {@link CampaignReport}: a column for each configuration. */
final class CampaignTables {
    private final Map<Configuration, Findings> all;

    /**
     * @param note below the title
     * @param rows of cells; the first is the row's name
     */
    private record Table(String title, String note, List<List<String>> rows) {}

    CampaignTables(Map<Configuration, Findings> all) {
        this.all = all;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (Table table : tables()) {
            text.append(String.format(Locale.ROOT, "%s (%s)%n", table.title(), table.note()));
            for (List<String> row : withHead(table)) {
                text.append(String.format(Locale.ROOT, "  %-42s", row.get(0)));
                row.stream().skip(1).forEach(cell -> text.append(String.format(Locale.ROOT, " %18s", cell)));
                text.append(String.format(Locale.ROOT, "%n"));
            }
        }
        return text.toString();
    }

    String markdown() {
        StringBuilder text = new StringBuilder();
        for (Table table : tables()) {
            text.append("\n## ").append(table.title()).append("\n\n");
            text.append(Character.toUpperCase(table.note().charAt(0)))
                    .append(table.note().substring(1))
                    .append(".\n\n");
            List<List<String>> rows = withHead(table);
            text.append(markdown(rows.get(0)));
            text.append("|---|").append("--:|".repeat(all.size())).append("\n");
            rows.stream().skip(1).forEach(row -> text.append(markdown(row)));
        }
        return text.toString();
    }

    private static String markdown(List<String> row) {
        return "| " + String.join(" | ", row) + " |\n";
    }

    private List<List<String>> withHead(Table table) {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of(""));
        all.keySet().forEach(each -> head.add(each.label()));
        rows.add(head);
        rows.addAll(table.rows());
        return rows;
    }

    private List<Table> tables() {
        return List.of(outcome(), faults(), lengths(), time());
    }

    private Table outcome() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(row("database", Findings::database));
        rows.add(row("faults that struck, of those planned", each -> each.struck() + " of " + each.planned()));
        rows.add(row("of these with events in flight", each -> Integer.toString(each.struckInFlight())));
        Set<String> names = new LinkedHashSet<>();
        all.values().forEach(each -> names.addAll(each.numbers().keySet()));
        for (String name : names) {
            rows.add(row(
                    name,
                    each -> each.numbers().containsKey(name)
                            ? "" + each.numbers().get(name)
                            : "not judged"));
        }
        rows.add(row("longest time until all was delivered", each -> seconds(each.longestUntilDelivered())));
        rows.add(row("median time until all was delivered", each -> seconds(each.medianUntilDelivered())));
        rows.add(row("violations", each -> Integer.toString(each.violations().size())));
        rows.add(row("complete", each -> each.brokenOff() == null ? "yes" : "NO"));
        return new Table(
                "Outcome",
                "the same event may arrive twice (doubled) except at exactly-once; times count from the end of a round's last"
                        + " fault",
                rows);
    }

    private Table faults() {
        return new Table(
                "Faults",
                "how often each kind struck / how often with an effect and with events in flight; in brackets how often other"
                        + " faults kept it from having an effect",
                ofKinds(strikes -> strikes.all() + "/" + strikes.inFlight()
                        + (strikes.inVain() == 0 ? "" : " (" + strikes.inVain() + ")")));
    }

    private Table lengths() {
        return new Table(
                "Length of faults",
                "mean, including the time a fault waits for another that must not overlap it",
                ofKinds(strikes -> seconds(Duration.ofMillis(strikes.meanMillis()))));
    }

    private List<List<String>> ofKinds(Function<Strikes, String> cell) {
        List<List<String>> rows = new ArrayList<>();
        for (FaultKind kind : FaultKind.values()) {
            rows.add(row(kind.label(), each -> {
                Strikes strikes = each.strikes().get(kind);
                return strikes == null ? "–" : cell.apply(strikes);
            }));
        }
        return rows;
    }

    private Table time() {
        List<List<String>> rows = new ArrayList<>();
        for (Phase phase : Phase.values()) {
            rows.add(row(phase.label(), each -> minutes(each.spentOn(phase))));
        }
        return new Table("Time", "where it went", rows);
    }

    private List<String> row(String name, Function<Findings, String> cell) {
        List<String> row = new ArrayList<>(List.of(name));
        all.values().forEach(each -> row.add(cell.apply(each)));
        return row;
    }

    static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }

    static String minutes(Duration duration) {
        return String.format(Locale.ROOT, "%d min %d s", duration.toMinutes(), duration.toSecondsPart());
    }
}
