package dev.postrider.cli.topics;

import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.configuration.SettingsOptions;
import dev.postrider.cli.kafka.KafkaAccess;
import dev.postrider.cli.settings.Settings;
import dev.postrider.kafka.topics.TopicProvisioning;
import dev.postrider.kafka.topics.TopicStep;
import dev.postrider.kafka.topics.WantedTopic;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes topics as the settings want them. */
@Command(
        name = "apply",
        description = {
            "Compares the topics that the settings want with those that are there, and makes them so.",
            "Creates what is missing and changes settings. Never deletes a topic, takes partitions away or moves replicas.",
            "The exit status is 0 if everything is as wanted in the end, and 1 if something was left as it is."
        },
        footer = {
            "",
            "Examples:",
            "  postrider topics apply --kafka localhost:9092 --dry-run",
            "  POSTRIDER_TOPICS_NAMES=order-events,stock-events postrider topics apply --kafka localhost:9092",
            "  postrider topics apply --config /etc/postrider.yml --add-partitions --json"
        })
final class TopicsApplyCommand implements Callable<Integer> {
    private final CommandEnvironment environment;
    private final SettingsOptions options =
            new SettingsOptions("kafka.bootstrap-servers", "kafka.topic-prefix", "kafka.properties", "topics");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(
            names = "--dry-run",
            description =
                    "Show what would be done, ask the brokers whether they would do it, and change nothing. The exit"
                            + " status is 0 if they would.")
    private boolean dryRun;

    @Option(
            names = "--add-partitions",
            description =
                    "Add partitions where more are wanted. That changes which partition a key belongs to: events of a"
                            + " key written from then on may be read before those written until then. Stop relays first and"
                            + " let consumers finish.")
    private boolean addPartitions;

    private TopicsApplyCommand(CommandEnvironment environment) {
        this.environment = environment;
    }

    static CommandLine create(CommandEnvironment environment) {
        TopicsApplyCommand command = new TopicsApplyCommand(environment);
        return command.options.addTo(new CommandLine(command));
    }

    @Override
    public Integer call() {
        Settings settings = options.read(environment.directory(), environment.variables());
        KafkaAccess kafka = new KafkaAccess(settings, environment.directory());
        List<WantedTopic> wanted = WantedTopics.of(settings);
        List<TopicStep> plan;
        List<TopicStep> undone;
        try (TopicProvisioning provisioning = TopicProvisioning.connect(kafka.adminSettings())) {
            plan = provisioning.plan(wanted);
            if (dryRun) {
                provisioning.check(plan);
                undone = plan;
            } else {
                undone = provisioning.apply(plan, addPartitions);
            }
        }
        TopicsReport report = new TopicsReport(plan, undone, dryRun, addPartitions);
        if (common.json()) {
            environment.printJson(report.json());
        } else {
            environment.out().print(report.text(environment.colours()));
            environment.out().flush();
        }
        return dryRun || report.isAsWanted() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
}
