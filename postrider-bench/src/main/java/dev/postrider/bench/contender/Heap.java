package dev.postrider.bench.contender;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.Map;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** What this JVM allocates and keeps, as its garbage collector sees it. */
final class Heap {
    private long allocated;
    private long usedAfter;
    private long peakLive;

    Heap() {
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            ((NotificationEmitter) collector)
                    .addNotificationListener(
                            (notification, handback) -> {
                                if (notification
                                        .getType()
                                        .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
                                    collected(GarbageCollectionNotificationInfo.from(
                                            (CompositeData) notification.getUserData()));
                                }
                            },
                            null,
                            null);
        }
    }

    private synchronized void collected(GarbageCollectionNotificationInfo info) {
        long before = onHeap(info.getGcInfo().getMemoryUsageBeforeGc());
        long after = onHeap(info.getGcInfo().getMemoryUsageAfterGc());
        allocated += Math.max(0, before - usedAfter);
        usedAfter = after;
        peakLive = Math.max(peakLive, after);
    }

    private static long onHeap(Map<String, MemoryUsage> pools) {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == java.lang.management.MemoryType.HEAP)
                .map(pool -> pools.get(pool.getName()))
                .filter(usage -> usage != null)
                .mapToLong(MemoryUsage::getUsed)
                .sum();
    }

    /** Since the process began. */
    synchronized long allocatedBytes() {
        long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return allocated + Math.max(0, now - usedAfter);
    }

    /** The most that was left after a collection. */
    synchronized long peakLiveBytes() {
        return peakLive;
    }
}
