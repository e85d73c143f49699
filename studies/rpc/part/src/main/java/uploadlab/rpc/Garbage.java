package uploadlab.rpc;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/** How long this process has collected garbage since the object was made, in ms, as its collectors count it. */
final class Garbage {
    private final long beganMs = totalMs();

    long millisecondsSince() {
        return totalMs() - beganMs;
    }

    private static long totalMs() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }
}
