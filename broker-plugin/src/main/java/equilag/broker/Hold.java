package equilag.broker;

import java.util.Arrays;

/** What is done without a plan: nothing valid moves, and no partition stays without an owner. */
final class Hold {
    private Hold() {
    }

    /** Returns each partition's worker: the present one, else the emptiest that may have it. */
    static int[] owners(Group group) {
        int[] owners = group.target.clone();
        int[] counts = counts(group, owners);
        for (int topic = 0; topic < group.topics.length; topic++) {
            deal(group, topic, owners, counts);
        }
        return owners;
    }

    /** Returns how many partitions each worker has. */
    static int[] counts(Group group, int[] owners) {
        int[] counts = new int[group.workers.length];
        for (int owner : owners) {
            if (owner != Group.NOBODY) {
                counts[owner]++;
            }
        }
        return counts;
    }

    private static void deal(Group group, int topic, int[] owners, int[] counts) {
        int[] takers = null;
        int next = 0;
        for (int at = group.first[topic]; at < group.first[topic + 1]; at++) {
            if (owners[at] != Group.NOBODY) {
                continue;
            }
            if (takers == null) {
                takers = emptiestFirst(group, topic, counts);
            }
            int taker = takers[next];
            owners[at] = taker;
            counts[taker]++;
            // Those before `next` have one more than the one there, or as many.
            next++;
            if (next == takers.length || counts[takers[next]] >= counts[taker]) {
                next = 0;
            }
        }
    }

    private static int[] emptiestFirst(Group group, int topic, int[] counts) {
        long[] keys = new long[counts.length];
        int found = 0;
        for (int worker = 0; worker < counts.length; worker++) {
            if (group.subscribed(worker, topic)) {
                keys[found++] = (long) counts[worker] << Integer.SIZE | worker;
            }
        }
        Arrays.sort(keys, 0, found);
        return Arrays.stream(keys, 0, found).mapToInt(key -> (int) key).toArray();
    }
}
