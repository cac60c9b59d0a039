package dev.postrider.cli.topics;

import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.TextTable;
import dev.postrider.cli.command.Words;
import dev.postrider.kafka.redrive.RedrivePlan;
import dev.postrider.kafka.redrive.RedriveReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What would be sent and what was, for people or as JSON. */
record RedriveOutput(CommandEnvironment environment, CommonOptions common, RedrivePlan plan) {
    private static final int LONGEST_REASON = 80;

    String question() {
        List<String> topics =
                plan.groups().stream().map(RedrivePlan.Group::topic).distinct().toList();
        // The table belongs to the question, and output is for results.
        environment.err().print(table());
        notes().forEach(environment.err()::println);
        return "Send " + Words.count(plan.toSend(), "record") + " back, to " + String.join(", ", topics) + "?";
    }

    /** Nothing was sent. */
    void plan(String sentence) {
        if (common.json()) {
            environment.printJson(json(new RedriveReport(0, false, null)));
            return;
        }
        if (!plan.groups().isEmpty()) {
            environment.out().print(table());
        }
        environment.out().println(sentence);
        notes().forEach(environment.out()::println);
    }

    void report(RedriveReport report) {
        if (common.json()) {
            environment.printJson(json(report));
            return;
        }
        environment.out().println(Words.count(report.sent(), "record") + " sent back.");
        notes().forEach(environment.out()::println);
    }

    private String table() {
        TextTable table = new TextTable("topic", "reason", ">redriven before", ">records");
        plan.groups()
                .forEach(group -> table.row(
                        Words.plain(group.topic()),
                        Words.shortened(group.reason(), LONGEST_REASON),
                        String.valueOf(group.redriven()),
                        String.format(Locale.ROOT, "%,d", group.records())));
        return table.toString();
    }

    /** About records that are not sent. */
    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (plan.matching() > plan.toSend()) {
            notes.add(
                    Words.count(plan.matching() - plan.toSend(), "more record") + " left for the next run (--limit).");
        }
        if (plan.sentBefore() > 0) {
            notes.add(
                    Words.count(plan.sentBefore(), "record") + " left out: sent back before (--again sends them too).");
        }
        if (plan.withoutOrigin() > 0) {
            notes.add(Words.count(plan.withoutOrigin(), "record")
                    + " left out: no header postrider-dlq-topic says where from (--to sends them to a topic).");
        }
        return notes;
    }

    private Map<String, Object> json(RedriveReport report) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("topic", plan.request().deadLetterTopic());
        object.put("filter", plan.request().filter().inWords());
        object.put("to", plan.request().to());
        object.put("matched", plan.matching());
        object.put("sentBefore", plan.sentBefore());
        object.put("withoutOrigin", plan.withoutOrigin());
        object.put("groups", plan.groups().stream().map(RedriveOutput::json).toList());
        object.put("problems", List.copyOf(new TreeMap<>(plan.problems()).values()));
        object.put("sent", report.sent());
        object.put("complete", report.complete());
        object.put("failure", report.failure());
        return object;
    }

    private static Map<String, Object> json(RedrivePlan.Group group) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("topic", group.topic());
        object.put("reason", group.reason());
        object.put("redriven", group.redriven());
        object.put("records", group.records());
        return object;
    }
}
