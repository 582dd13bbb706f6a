package equilag.broker;

import java.util.Arrays;
import java.util.List;

/**
 * An even assignment that keeps what it can: from the fullest worker on, a partition goes to one
 * with at least two fewer, where need be through others in between (the shortest such path; each
 * gives a partition of a topic that the next one is subscribed to). Where there is no such path, the
 * counts of all workers that the search reached are final: no count can fall without another one
 * rising as high. What a worker got goes on before what it had.
 */
final class Levelling {
    /** Partitions and classes that are looked at: some 50 ms of work, after which all stays. */
    private static final int MOST_STEPS = 30_000_000;

    private final Group group;
    private final int[] owners;
    private final int[] counts;
    private final int[] topicOf;
    private final int[][] topicClasses;
    private final List<int[]> classMembers;
    private final MemberHeap fullest;
    private final MemberHeap[] emptiest;
    /** Rings of each worker's partitions; the worker itself is number `partitions + worker`. */
    private final int[] next;
    private final int[] previous;
    private final boolean[] isFinal;
    /** Class to the partition through which this search reached it, or NOBODY. */
    private final int[] via;
    /** The workers that this search reached, in this order. */
    private final int[] reached;
    private int reachedEnd;
    private int steps;

    private Levelling(Group group) {
        this.group = group;
        owners = Hold.owners(group);
        counts = Hold.counts(group, owners);
        topicOf = group.topicOf();
        topicClasses = group.topicClasses();
        classMembers = group.classMembers();
        int workers = group.workers.length;
        int[] all = new int[workers];
        Arrays.setAll(all, worker -> worker);
        fullest = new MemberHeap(all, counts, new int[workers], -1);
        emptiest = new MemberHeap[classMembers.size()];
        int[] places = new int[workers];
        Arrays.setAll(emptiest, one ->
            new MemberHeap(classMembers.get(one).clone(), counts, places, 1));
        next = new int[group.partitions() + workers];
        previous = new int[next.length];
        Arrays.setAll(next, at -> at);
        Arrays.setAll(previous, at -> at);
        for (int partition = 0; partition < owners.length; partition++) {
            link(partition);
        }
        isFinal = new boolean[workers];
        via = new int[emptiest.length];
        reached = new int[workers];
    }

    /** Returns each partition's worker. */
    static int[] owners(Group group) {
        Levelling levelling = new Levelling(group);
        levelling.run();
        return levelling.owners;
    }

    private void run() {
        while (!fullest.isEmpty() && steps < MOST_STEPS) {
            int giver = fullest.top();
            if (isFinal[giver]) {
                fullest.pop();
            } else if (!relieve(giver, counts[giver] - 2, false)) {
                for (int at = 0; at < reachedEnd; at++) {
                    isFinal[reached[at]] = true;
                }
            }
        }
        boolean better = true;
        while (better) {
            better = false;
            for (int partition = 0; partition < owners.length && steps < MOST_STEPS; partition++) {
                int before = group.target[partition];
                better |= before != Group.NOBODY && before != owners[partition] && giveBack(partition);
            }
        }
    }

    /** Gives a partition back if the counts stay as even and nothing moves for it that is kept. */
    private boolean giveBack(int partition) {
        int giver = group.target[partition];
        int holder = owners[partition];
        int most = counts[holder] - 1;
        move(partition, giver);
        count(holder, -1);
        count(giver, 1);
        if (counts[giver] <= most + 1 || relieve(giver, most, true)) {
            return true;
        }
        move(partition, holder);
        count(giver, -1);
        count(holder, 1);
        return false;
    }

    /**
     * Takes one partition from the worker, for one that has `most` at most before.
     *
     * @param gained whether only what workers did not have before may move
     * @return false if there is no such worker; then `reached` are all that the giver could give to
     */
    private boolean relieve(int giver, int most, boolean gained) {
        boolean[] topicSeen = new boolean[group.topics.length];
        Arrays.fill(via, Group.NOBODY);
        reached[0] = giver;
        reachedEnd = 1;
        for (int at = 0; at < reachedEnd; at++) {
            int worker = reached[at];
            int ring = group.partitions() + worker;
            for (int partition = next[ring]; partition != ring; partition = next[partition]) {
                steps++;
                if (gained && group.target[partition] == worker) {
                    break;
                }
                int topic = topicOf[partition];
                if (topicSeen[topic]) {
                    continue;
                }
                topicSeen[topic] = true;
                int taker = reach(partition);
                if (taker != Group.NOBODY && counts[taker] <= most) {
                    shift(giver, taker);
                    return true;
                }
                addNew(partition, giver);
            }
        }
        return false;
    }

    /** Returns the emptiest worker of the classes that this partition is the first to reach. */
    private int reach(int partition) {
        int taker = Group.NOBODY;
        for (int one : topicClasses[topicOf[partition]]) {
            steps++;
            if (via[one] == Group.NOBODY) {
                via[one] = partition;
                int candidate = emptiest[one].top();
                if (taker == Group.NOBODY || counts[candidate] < counts[taker]) {
                    taker = candidate;
                }
            }
        }
        return taker;
    }

    /** Adds the workers of these classes to those that are reached. */
    private void addNew(int partition, int giver) {
        for (int one : topicClasses[topicOf[partition]]) {
            if (via[one] == partition) {
                for (int worker : classMembers.get(one)) {
                    if (worker != giver) {
                        reached[reachedEnd++] = worker;
                    }
                }
            }
        }
    }

    private void shift(int giver, int taker) {
        int to = taker;
        while (to != giver) {
            int partition = via[group.classOf[to]];
            int from = owners[partition];
            move(partition, to);
            to = from;
        }
        count(giver, -1);
        count(taker, 1);
    }

    private void count(int worker, int change) {
        counts[worker] += change;
        fullest.changed(worker);
        emptiest[group.classOf[worker]].changed(worker);
    }

    private void move(int partition, int to) {
        next[previous[partition]] = next[partition];
        previous[next[partition]] = previous[partition];
        owners[partition] = to;
        link(partition);
    }

    /** What the worker had before goes to the end of its ring, all else to the beginning. */
    private void link(int partition) {
        int ring = group.partitions() + owners[partition];
        boolean kept = group.target[partition] == owners[partition];
        int before = kept ? previous[ring] : ring;
        int after = next[before];
        next[before] = partition;
        previous[partition] = before;
        next[partition] = after;
        previous[after] = partition;
    }
}
