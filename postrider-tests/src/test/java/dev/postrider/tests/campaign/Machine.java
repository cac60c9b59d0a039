package dev.postrider.tests.campaign;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/** What a campaign ran on, without the machine's name. */
final class Machine {
    private Machine() {}

    static String described() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return String.format(
                Locale.ROOT,
                "%d cores, %.0f GiB, %s %s, JDK %s",
                system.getAvailableProcessors(),
                system.getTotalMemorySize() / (double) (1L << 30),
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                Runtime.version());
    }
}
