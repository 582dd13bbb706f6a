package equilag.bench;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupAssignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.RebalanceProtocol;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** An assignor of kafka-clients, called as the consumer that leads a group calls it. */
final class ClientPeer implements Peer<ClientPeer.Input, GroupAssignment> {

    record Input(ConsumerPartitionAssignor assignor, Cluster cluster, GroupSubscription group) {
    }

    private static final String GROUP = "bench";
    private static final Node NODE = new Node(0, "localhost", 9092);
    private static final Node[] REPLICAS = {NODE};

    private final Supplier<ConsumerPartitionAssignor> assignors;

    ClientPeer(Supplier<ConsumerPartitionAssignor> assignors) {
        this.assignors = assignors;
    }

    @Override
    public Input input(CaseFile group) {
        Map<String, Node> brokers = new HashMap<>();
        List<PartitionInfo> partitions = new ArrayList<>();
        group.topics().forEach((topic, size) -> {
            for (int number = 0; number < size; number++) {
                Node[] replicas = replicas(group.racksOf(topic, number), brokers);
                partitions.add(new PartitionInfo(topic, number, replicas[0], replicas, replicas));
            }
        });
        List<Node> nodes = new ArrayList<>(brokers.values());
        nodes.add(NODE);
        Cluster cluster = new Cluster(GROUP, nodes, partitions, Set.of(), Set.of());
        List<Set<String>> sets = new ArrayList<>();
        group.subscriptions().forEach(topics -> sets.add(new HashSet<>(topics)));
        Map<String, Subscription> subscriptions = new HashMap<>();
        for (CaseFile.Member member : group.members()) {
            List<String> topics = group.subscriptions().get(member.subscription());
            Set<String> set = sets.get(member.subscription());
            subscriptions.put(member.id(), subscription(group, member, topics, set));
        }
        return new Input(assignors.get(), cluster, new GroupSubscription(subscriptions));
    }

    /** One broker for each rack, in `brokers` by rack; one without a rack where there are none. */
    private static Node[] replicas(List<String> racks, Map<String, Node> brokers) {
        if (racks.isEmpty()) {
            return REPLICAS;
        }
        Node[] replicas = new Node[racks.size()];
        for (int at = 0; at < replicas.length; at++) {
            int id = 1 + brokers.size();
            replicas[at] = brokers.computeIfAbsent(
                    racks.get(at), rack -> new Node(id, NODE.host(), NODE.port(), rack));
        }
        return replicas;
    }

    /** What the member sends when it joins, made by an assignor of its own. */
    private Subscription subscription(
            CaseFile group, CaseFile.Member member, List<String> topics, Set<String> set) {
        ConsumerPartitionAssignor own = assignors.get();
        List<TopicPartition> owned = new ArrayList<>();
        member.owned().forEach((topic, numbers) ->
                numbers.forEach(number -> owned.add(new TopicPartition(topic, number))));
        int generation = owned.isEmpty() ? -1 : group.generation();
        if (!owned.isEmpty()) {
            own.onAssignment(
                    new Assignment(owned),
                    new ConsumerGroupMetadata(GROUP, generation, member.id(), Optional.empty()));
        }
        ByteBuffer data = own.subscriptionUserData(set);
        // An eager consumer has given everything up by the time it joins.
        List<TopicPartition> kept = cooperative(own) ? owned : List.of();
        Optional<String> rack = Optional.of(member.rack()).filter(name -> !name.isEmpty());
        return new Subscription(topics, data, kept, generation, rack);
    }

    @Override
    public GroupAssignment assign(Input input) {
        return input.assignor.assign(input.cluster, input.group);
    }

    @Override
    public Map<String, Map<String, List<Integer>>> names(GroupAssignment output, CaseFile group) {
        Map<String, Map<String, List<Integer>>> result = new HashMap<>();
        output.groupAssignment().forEach((id, assignment) -> {
            Map<String, List<Integer>> topics = new HashMap<>();
            for (TopicPartition partition : assignment.partitions()) {
                topics.computeIfAbsent(partition.topic(), topic -> new ArrayList<>())
                        .add(partition.partition());
            }
            result.put(id, topics);
        });
        return result;
    }

    @Override
    public boolean inRounds() {
        return cooperative(assignors.get());
    }

    private static boolean cooperative(ConsumerPartitionAssignor assignor) {
        return assignor.supportedProtocols().contains(RebalanceProtocol.COOPERATIVE);
    }
}
