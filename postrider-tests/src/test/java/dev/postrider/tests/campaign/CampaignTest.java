package dev.postrider.tests.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.tests.support.Torture;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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
 *   <li>{@code -Dpostrider.campaign.configurations}: which, for example {@code log,mariadb}; otherwise all.
 * </ul>
 */
@Tag(Torture.ALSO)
class CampaignTest {
    private static final boolean TORTURE = System.getProperty("postrider.faults") != null;
    private static final int FAULTS = Integer.getInteger("postrider.faults", EveryBuild.FAULTS);
    private static final long SEED = Long.getLong("postrider.seed", TORTURE ? System.nanoTime() : EveryBuild.SEED);
    private static final Path DIRECTORY = Path.of("target", "campaign").toAbsolutePath();

    private static final CampaignReport report = new CampaignReport(SEED);
    private static CampaignServers servers;
    private static Slowdown slowdown;

    @BeforeAll
    static void begin() {
        System.out.println("seed: -Dpostrider.seed=" + SEED);
        servers = new CampaignServers();
        slowdown = new Slowdown();
    }

    @AfterAll
    static void end() {
        slowdown.close();
        servers.close();
        report.write(DIRECTORY);
        System.out.println(report.text());
    }

    @ParameterizedTest
    @EnumSource(Configuration.class)
    void everyPromiseIsKeptWhateverBreaks(Configuration configuration) throws Exception {
        Set<Configuration> wanted = configurations();
        Assumptions.assumeTrue(wanted.contains(configuration));
        Set<FaultKind> kinds = kinds().stream()
                .filter(kind -> kind.appliesTo(configuration))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(FaultKind.class)));
        CampaignReport.Findings findings = report.begin(configuration, kinds);
        Campaign.Plan plan = new Campaign.Plan(
                configuration,
                kinds,
                Math.max(1, FAULTS / wanted.size()),
                SEED + configuration.ordinal(),
                DIRECTORY.resolve(configuration.label()));

        new Campaign(plan, servers, slowdown, findings).run();

        assertThat(findings.violations())
                .as("-Dpostrider.seed=" + SEED + ", logs in " + plan.directory())
                .isEmpty();
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
