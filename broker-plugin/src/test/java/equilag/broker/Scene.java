package equilag.broker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;

/** A group as the broker shows it, to be changed at will. */
final class Scene implements GroupSpec, SubscribedTopicDescriber {
    private record Member(Optional<String> rackId, Set<Uuid> subscribedTopicIds)
        implements MemberSubscription {
        @Override
        public Optional<String> instanceId() {
            return Optional.empty();
        }
    }

    /** Unmodifiable for whoever reads it, as UniformAssignor asks for. */
    private record Held(Map<Uuid, Set<Integer>> own, Map<Uuid, Set<Integer>> partitions)
        implements MemberAssignment {
        Held() {
            this(new HashMap<>());
        }

        private Held(Map<Uuid, Set<Integer>> own) {
            this(own, Collections.unmodifiableMap(own));
        }
    }

    final Map<String, MemberSubscription> members = new LinkedHashMap<>();
    private final Map<String, Held> targets = new HashMap<>();
    final Map<Uuid, Integer> topics = new TreeMap<>();
    private final Map<Uuid, Set<Integer>> given = new HashMap<>();

    static Uuid topic(Random random) {
        return new Uuid(random.nextLong(), random.nextLong());
    }

    /** Members whose subscriptions differ unless `alike`; every topic is subscribed to. */
    static Scene any(Random random, int members, int topics, int partitions, boolean alike) {
        Scene scene = new Scene();
        for (int number = 0; number < topics; number++) {
            scene.topics.put(topic(random), 1 + random.nextInt(partitions));
        }
        List<Uuid> all = List.copyOf(scene.topics.keySet());
        for (int number = 0; number < members; number++) {
            Set<Uuid> subscribed = new LinkedHashSet<>();
            for (int at = 0; at < topics; at++) {
                if (alike || number == 0 || random.nextBoolean()) {
                    subscribed.add(all.get(at));
                }
            }
            scene.add("member-" + random.nextInt(1 << 30), null, subscribed);
        }
        return scene;
    }

    void add(String id, String rack, Set<Uuid> subscribed) {
        members.put(id, new Member(Optional.ofNullable(rack), subscribed));
    }

    void addCarriers(List<String> pieces) {
        for (int number = 0; number < pieces.size(); number++) {
            add("carrier-" + number, pieces.get(number), Set.of());
        }
    }

    void give(String id, Uuid topic, int partition) {
        given.computeIfAbsent(topic, key -> new HashSet<>()).add(partition);
        targets.computeIfAbsent(id, key -> new Held()).own()
            .computeIfAbsent(topic, key -> new HashSet<>()).add(partition);
    }

    void become(GroupAssignment assignment) {
        targets.clear();
        given.clear();
        assignment.members().forEach((id, share) -> share.partitions().forEach(
            (topic, held) -> held.forEach(partition -> give(id, topic, partition))));
    }

    /** Without the member, whose partitions nobody has then. */
    void remove(String id) {
        members.remove(id);
        Map<String, MemberAssignment> left = new HashMap<>(targets);
        left.remove(id);
        become(new GroupAssignment(left));
    }

    /** Partition as `topic-number` to each of its owners, of members that there are. */
    Map<String, List<String>> owners() {
        Map<String, MemberAssignment> held = new HashMap<>(targets);
        held.keySet().retainAll(members.keySet());
        return owners(new GroupAssignment(held));
    }

    static Map<String, List<String>> owners(GroupAssignment assignment) {
        Map<String, List<String>> owners = new HashMap<>();
        assignment.members().forEach((id, share) -> share.partitions().forEach(
            (topic, held) -> held.forEach(partition -> owners.computeIfAbsent(
                topic + "-" + partition, key -> new ArrayList<>()).add(id))));
        return owners;
    }

    /** All partitions as in `owners` that some member is subscribed to, with their takers. */
    Map<String, Set<String>> takers() {
        Map<String, Set<String>> takers = new HashMap<>();
        members.forEach((id, member) -> {
            if (member.rackId().filter(rack -> rack.startsWith("equilag:")).isEmpty()) {
                for (Uuid topic : member.subscribedTopicIds()) {
                    for (int partition = 0; partition < numPartitions(topic); partition++) {
                        takers.computeIfAbsent(topic + "-" + partition, key -> new HashSet<>()).add(id);
                    }
                }
            }
        });
        return takers;
    }

    /** Each partition to a random member, now and then to none, to two, or to one that may not. */
    void scatter(Random random, double wrong) {
        List<String> ids = List.copyOf(members.keySet());
        topics.forEach((topic, size) -> {
            for (int partition = 0; partition < size; partition++) {
                String id = ids.get(random.nextInt(ids.size()));
                boolean may = members.get(id).subscribedTopicIds().contains(topic);
                if (may || random.nextDouble() < wrong) {
                    give(id, topic, random.nextDouble() < wrong ? size + partition : partition);
                }
                if (random.nextDouble() < wrong) {
                    give(ids.get(random.nextInt(ids.size())), topic, partition);
                }
            }
        });
        if (random.nextDouble() < wrong) {
            give(ids.get(0), topic(random), -1);
        }
    }

    @Override
    public Collection<String> memberIds() {
        return members.keySet();
    }

    @Override
    public SubscriptionType subscriptionType() {
        long different = members.values().stream()
            .map(MemberSubscription::subscribedTopicIds).distinct().count();
        return different > 1 ? SubscriptionType.HETEROGENEOUS : SubscriptionType.HOMOGENEOUS;
    }

    @Override
    public boolean isPartitionAssigned(Uuid topic, int partition) {
        return given.getOrDefault(topic, Set.of()).contains(partition);
    }

    @Override
    public MemberSubscription memberSubscription(String id) {
        return members.get(id);
    }

    @Override
    public MemberAssignment memberAssignment(String id) {
        return targets.getOrDefault(id, new Held());
    }

    @Override
    public int numPartitions(Uuid topic) {
        return topics.getOrDefault(topic, -1);
    }

    @Override
    public Set<String> racksForPartition(Uuid topic, int partition) {
        return Set.of();
    }
}
