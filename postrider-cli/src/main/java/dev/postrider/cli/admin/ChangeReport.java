package dev.postrider.cli.admin;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxTable;
import dev.postrider.admin.LayoutReport;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** What a change of layout did, for people or as JSON. */
record ChangeReport(CommandEnvironment environment, CommonOptions common) {

    /** A line for each step, where errors go. */
    static Consumer<String> progress(CommandEnvironment environment) {
        return line -> environment.err().println("postrider: " + line);
    }

    void print(OutboxTable table, LayoutReport report, String sentence) {
        if (!common.json()) {
            environment.out().println(sentence);
            return;
        }
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("table", table.toString());
        object.put("changed", report.changed());
        object.put("from", json(report.from()));
        object.put("to", json(report.to()));
        object.put("moved", report.moved());
        object.put("newOutboxId", report.newId());
        environment.printJson(object);
    }

    private static Map<String, Object> json(OutboxLayout layout) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("mode", layout.mode().label());
        object.put("shards", layout.shards());
        object.put("delivery", layout.delivery().label());
        return object;
    }
}
