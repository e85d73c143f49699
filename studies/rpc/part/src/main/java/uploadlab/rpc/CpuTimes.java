package uploadlab.rpc;

import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;

/**
 * The CPU time of this process, by the operation that was called meanwhile. The kernel tells it in ticks of 10 ms, so of few
 * calls it is coarse; asking costs some µs, once for each operation.
 */
final class CpuTimes {
    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Map<Operation, Long> usedNs = new EnumMap<>(Operation.class);
    private Operation current;
    private long fromNs = process.getProcessCpuTime();

    /** From now on this operation is called; null: none. */
    void now(Operation operation) {
        if (operation == current) return;
        long nowNs = process.getProcessCpuTime();
        if (current != null) usedNs.merge(current, nowNs - fromNs, Long::sum);
        current = operation;
        fromNs = nowNs;
    }

    /** Return the operations that were called. */
    List<Operation> operations() {
        return List.copyOf(usedNs.keySet());
    }

    /** Return the µs for a call of each of the operations that were called, where there were so many calls of each. */
    List<Double> usPerCall(long calls) {
        return usedNs.values().stream().map(ns -> ns / 1e3 / calls).toList();
    }
}
