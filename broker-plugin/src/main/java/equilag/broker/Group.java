package equilag.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;

/**
 * A group in numbers. Workers ascend by the UTF-8 bytes of their ids, topics by the bytes of
 * theirs, both unsigned; the partitions of all topics are numbered in one run. Workers with the
 * same subscription are one class.
 */
final class Group {
    static final int NOBODY = -1;

    final String[] workers;
    /** Members that hold a piece of a plan in their rack id. */
    final List<String> carriers = new ArrayList<>();
    /** The rack ids of the carriers. */
    final List<String> pieces = new ArrayList<>();
    final Uuid[] topics;
    /** Topic to its first partition, and the number of all partitions at the end. */
    final int[] first;
    /** Worker to its class. */
    final int[] classOf;
    /** Class to its topics. */
    final List<BitSet> subscriptions = new ArrayList<>();
    /** Partition to the worker that has it in the target assignment and may keep it, or NOBODY. */
    final int[] target;

    /** Reads all that an assignor is told of the group. */
    Group(GroupSpec spec, SubscribedTopicDescriber describer) {
        workers = sortOut(spec);
        classOf = new int[workers.length];
        List<Set<Uuid>> classes = classes(spec);
        topics = existing(classes, describer);
        first = new int[topics.length + 1];
        Map<Uuid, Integer> numbers = new HashMap<>();
        for (int topic = 0; topic < topics.length; topic++) {
            numbers.put(topics[topic], topic);
            int end = Math.addExact(first[topic], describer.numPartitions(topics[topic]));
            first[topic + 1] = end;
        }
        for (Set<Uuid> subscribed : classes) {
            subscriptions.add(numbered(subscribed, numbers));
        }
        target = new int[partitions()];
        readTarget(spec, numbers);
    }

    int partitions() {
        return first[topics.length];
    }

    boolean subscribed(int worker, int topic) {
        return subscriptions.get(classOf[worker]).get(topic);
    }

    /** Partition to its topic. */
    int[] topicOf() {
        int[] topicOf = new int[partitions()];
        for (int topic = 0; topic < topics.length; topic++) {
            Arrays.fill(topicOf, first[topic], first[topic + 1], topic);
        }
        return topicOf;
    }

    /** Class to its workers. */
    List<int[]> classMembers() {
        int[] sizes = new int[subscriptions.size()];
        for (int one : classOf) {
            sizes[one]++;
        }
        List<int[]> members = new ArrayList<>();
        for (int size : sizes) {
            members.add(new int[size]);
        }
        for (int worker = workers.length - 1; worker >= 0; worker--) {
            int one = classOf[worker];
            members.get(one)[--sizes[one]] = worker;
        }
        return members;
    }

    /** Topic to the classes that are subscribed to it. */
    int[][] topicClasses() {
        int[][] classes = new int[topics.length][];
        for (int topic = 0; topic < topics.length; topic++) {
            BitSet found = new BitSet();
            for (int one = 0; one < subscriptions.size(); one++) {
                found.set(one, subscriptions.get(one).get(topic));
            }
            classes[topic] = found.stream().toArray();
        }
        return classes;
    }

    private String[] sortOut(GroupSpec spec) {
        List<String> found = new ArrayList<>();
        for (String id : spec.memberIds()) {
            String rack = spec.memberSubscription(id).rackId().orElse("");
            if (PlanPieces.isPiece(rack)) {
                carriers.add(id);
                pieces.add(rack);
            } else {
                found.add(id);
            }
        }
        found.sort(Comparator.comparing(id -> id.getBytes(UTF_8), Arrays::compareUnsigned));
        return found.toArray(String[]::new);
    }

    private List<Set<Uuid>> classes(GroupSpec spec) {
        Map<Set<Uuid>, Integer> numbers = new HashMap<>();
        List<Set<Uuid>> classes = new ArrayList<>();
        for (int worker = 0; worker < workers.length; worker++) {
            MemberSubscription member = spec.memberSubscription(workers[worker]);
            Set<Uuid> subscribed = member.subscribedTopicIds();
            Integer number = numbers.putIfAbsent(subscribed, classes.size());
            if (number == null) {
                number = classes.size();
                classes.add(subscribed);
            }
            classOf[worker] = number;
        }
        return classes;
    }

    private static Uuid[] existing(List<Set<Uuid>> classes, SubscribedTopicDescriber describer) {
        Comparator<Uuid> unsigned =
            Comparator.comparing(Uuid::getMostSignificantBits, Long::compareUnsigned);
        return classes.stream()
            .flatMap(Set::stream)
            .distinct()
            .filter(topic -> describer.numPartitions(topic) > 0)
            .sorted(unsigned.thenComparing(Uuid::getLeastSignificantBits, Long::compareUnsigned))
            .toArray(Uuid[]::new);
    }

    private static BitSet numbered(Set<Uuid> subscribed, Map<Uuid, Integer> numbers) {
        BitSet found = new BitSet();
        for (Uuid topic : subscribed) {
            Integer number = numbers.get(topic);
            if (number != null) {
                found.set(number);
            }
        }
        return found;
    }

    /** Of a partition that two have, the first worker keeps it. */
    private void readTarget(GroupSpec spec, Map<Uuid, Integer> numbers) {
        Arrays.fill(target, NOBODY);
        for (int worker = 0; worker < workers.length; worker++) {
            Map<Uuid, Set<Integer>> held = spec.memberAssignment(workers[worker]).partitions();
            for (Map.Entry<Uuid, Set<Integer>> entry : held.entrySet()) {
                Integer topic = numbers.get(entry.getKey());
                if (topic != null && subscribed(worker, topic)) {
                    keep(worker, topic, entry.getValue());
                }
            }
        }
    }

    private void keep(int worker, int topic, Set<Integer> held) {
        int size = first[topic + 1] - first[topic];
        for (int partition : held) {
            int at = first[topic] + partition;
            if (partition >= 0 && partition < size && target[at] == NOBODY) {
                target[at] = worker;
            }
        }
    }
}
