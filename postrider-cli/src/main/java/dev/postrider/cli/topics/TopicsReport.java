package dev.postrider.cli.topics;

import dev.postrider.cli.command.Colours;
import dev.postrider.cli.command.TextTable;
import dev.postrider.kafka.topics.TopicStep;
import dev.postrider.kafka.topics.TopicStep.AddPartitions;
import dev.postrider.kafka.topics.TopicStep.AsWanted;
import dev.postrider.kafka.topics.TopicStep.ChangeSetting;
import dev.postrider.kafka.topics.TopicStep.Create;
import dev.postrider.kafka.topics.TopicStep.LeftUnchanged;
import dev.postrider.kafka.topics.WantedTopic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is different and what was done about it, for people or as JSON.
 *
 * @param undone those of the plan that were not done
 */
record TopicsReport(List<TopicStep> plan, List<TopicStep> undone, boolean dryRun, boolean addPartitions) {

    /** What is done, or would be. */
    private enum Action {
        CREATE("created"),
        ADD("added"),
        CHANGE("changed"),
        LEAVE("left"),
        NONE("");

        private final String done;

        Action(String done) {
            this.done = done;
        }
    }

    /**
     * One difference.
     *
     * @param what is different
     */
    private record Line(
            String topic,
            String what,
            @Nullable String is,
            @Nullable String wanted,
            Action action) {}

    boolean isAsWanted() {
        return undone.stream().allMatch(AsWanted.class::isInstance);
    }

    String text(Colours colours) {
        TextTable table = new TextTable("TOPIC", "WHAT", "IS", "WANTED", dryRun ? "WOULD BE" : "WAS");
        lines().forEach(line -> table.row(
                line.topic(), line.what(), orNothing(line.is()), orNothing(line.wanted()), line.action().done));
        StringBuilder text = new StringBuilder(table.text(colours));
        notes().forEach(note -> text.append(note).append(System.lineSeparator()));
        return text.toString();
    }

    private static String orNothing(@Nullable String text) {
        return text == null ? "" : text;
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        for (TopicStep step : plan) {
            if (step instanceof LeftUnchanged alone) {
                notes.add(alone.topic() + ": " + alone.reason() + ".");
            }
        }
        if (plan.stream().anyMatch(AddPartitions.class::isInstance)) {
            notes.add((addPartitions ? "" : "Partitions are added with --add-partitions only. ")
                    + "More partitions change which one a key belongs to: events of a key written from then on may be read"
                    + " before those written until then, and consumers that begin at the latest miss what comes before they"
                    + " notice. Stop relays first, let consumers finish, then add partitions, then restart both.");
        }
        if (dryRun) {
            notes.add("Nothing was changed.");
        } else if (plan.stream().allMatch(AsWanted.class::isInstance)) {
            notes.add("Everything is as wanted; nothing was changed.");
        }
        return notes;
    }

    Map<String, Object> json() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("dryRun", dryRun);
        object.put("asWanted", isAsWanted());
        object.put(
                "topics",
                lines().stream()
                        .map(line -> {
                            Map<String, Object> one = new LinkedHashMap<>();
                            one.put("topic", line.topic());
                            one.put("what", line.what());
                            one.put("is", line.is());
                            one.put("wanted", line.wanted());
                            one.put("action", line.action().name().toLowerCase(Locale.ROOT));
                            return one;
                        })
                        .toList());
        return object;
    }

    private List<Line> lines() {
        return plan.stream().map(this::line).toList();
    }

    private Line line(TopicStep step) {
        if (step instanceof Create create) {
            return new Line(step.topic(), "topic", null, describe(create.wanted()), Action.CREATE);
        }
        if (step instanceof AddPartitions more) {
            Action action = addPartitions ? Action.ADD : Action.LEAVE;
            return new Line(step.topic(), "partitions", String.valueOf(more.from()), String.valueOf(more.to()), action);
        }
        if (step instanceof ChangeSetting change) {
            return new Line(step.topic(), change.setting(), change.from(), change.to(), Action.CHANGE);
        }
        if (step instanceof LeftUnchanged alone) {
            return new Line(
                    step.topic(),
                    alone.what(),
                    String.valueOf(alone.is()),
                    String.valueOf(alone.wanted()),
                    Action.LEAVE);
        }
        return new Line(step.topic(), "everything", "as wanted", null, Action.NONE);
    }

    private static String describe(WantedTopic topic) {
        List<String> parts = new ArrayList<>(
                List.of(count(topic.partitions(), "partition"), count(topic.replicationFactor(), "replica")));
        new TreeMap<>(topic.settings()).forEach((name, value) -> parts.add(name + "=" + value));
        return String.join(", ", parts);
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
