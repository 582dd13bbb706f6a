package equilag.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/** An assignor of the broker (KIP-848), called as the group coordinator calls it. */
final class CoordinatorPeer implements Peer<CoordinatorPeer.Input, CoordinatorPeer.Output> {

    record Input(GroupSpec group, SubscribedTopicDescriber topics, Map<Uuid, String> names) {
    }

    record Output(GroupAssignment assignment, Map<Uuid, String> names) {
    }

    /** Partition counts as the broker's image of the cluster has them; no racks. */
    private record Sizes(Map<Uuid, Integer> sizes) implements SubscribedTopicDescriber {
        @Override
        public int numPartitions(Uuid topic) {
            return sizes.getOrDefault(topic, -1);
        }

        @Override
        public Set<String> racksForPartition(Uuid topic, int partition) {
            return Set.of();
        }
    }

    private static final long SEED = 1;

    private final Supplier<ConsumerGroupPartitionAssignor> assignors;

    CoordinatorPeer(Supplier<ConsumerGroupPartitionAssignor> assignors) {
        this.assignors = assignors;
    }

    @Override
    public Input input(CaseFile group) {
        Random random = new Random(SEED);
        Map<String, Uuid> ids = new HashMap<>();
        Map<Uuid, String> names = new HashMap<>();
        Map<Uuid, Integer> sizes = new HashMap<>();
        group.topics().forEach((topic, size) -> {
            Uuid id = new Uuid(random.nextLong(), random.nextLong());
            ids.put(topic, id);
            names.put(id, topic);
            sizes.put(id, size);
        });
        List<Set<Uuid>> subscribed = new ArrayList<>();
        for (List<String> topics : group.subscriptions()) {
            Set<Uuid> set = new HashSet<>();
            topics.forEach(topic -> set.add(ids.get(topic)));
            subscribed.add(set);
        }
        Map<String, MemberSubscriptionAndAssignmentImpl> members = new HashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        for (CaseFile.Member member : group.members()) {
            Map<Uuid, Set<Integer>> owned = new HashMap<>();
            member.owned().forEach((topic, numbers) -> {
                Uuid id = ids.get(topic);
                owned.put(id, new HashSet<>(numbers));
                Map<Integer, String> owner = owners.computeIfAbsent(id, any -> new HashMap<>());
                numbers.forEach(number -> owner.put(number, member.id()));
            });
            members.put(member.id(), new MemberSubscriptionAndAssignmentImpl(
                    Optional.empty(), Optional.empty(),
                    subscribed.get(member.subscription()), new Assignment(owned)));
        }
        SubscriptionType type = subscribed.size() > 1
                ? SubscriptionType.HETEROGENEOUS : SubscriptionType.HOMOGENEOUS;
        return new Input(new GroupSpecImpl(members, type, owners), new Sizes(sizes), names);
    }

    @Override
    public Output assign(Input input) {
        return new Output(assignors.get().assign(input.group, input.topics), input.names);
    }

    @Override
    public Map<String, Map<String, List<Integer>>> names(Output output, CaseFile group) {
        Map<String, Map<String, List<Integer>>> result = new HashMap<>();
        group.members().forEach(member -> result.put(member.id(), new HashMap<>()));
        output.assignment.members().forEach((id, assignment) -> {
            Map<String, List<Integer>> topics = result.get(id);
            assignment.partitions().forEach((topic, numbers) ->
                    topics.put(output.names.get(topic), new ArrayList<>(numbers)));
        });
        return result;
    }

    @Override
    public boolean inRounds() {
        return false;
    }
}
