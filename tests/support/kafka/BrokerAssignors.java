import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

/** Reads snapshots, one a line, and prints what the broker's own assignors make of each.
 *
 *  Members are given to them by id, topics by name, partitions by number: maps and sets keep that
 *  order, and ids of topics are 0, 1, …, first those that anybody reads, so that hash sets of them
 *  keep it too. A line of output is {"uniform": {member: [[topic, number], ...]}, "range": {...}}.
 */
class BrokerAssignors {
    record Topics(Map<Uuid, String> names, JsonNode sizes, JsonNode racks)
            implements SubscribedTopicDescriber {
        @Override
        public int numPartitions(Uuid topic) {
            return names.containsKey(topic) ? sizes.get(names.get(topic)).asInt() : -1;
        }

        @Override
        public Set<String> racksForPartition(Uuid topic, int partition) {
            Set<String> found = new TreeSet<>();
            racks.path(names.get(topic)).path(partition).forEach(rack -> found.add(rack.asText()));
            return found;
        }
    }

    static Optional<String> text(JsonNode member, String field) {
        return Optional.ofNullable(member.get(field)).map(JsonNode::asText);
    }

    static Map<String, Map<String, List<List<Object>>>> answers(JsonNode group) {
        Map<String, JsonNode> members = new TreeMap<>();
        group.get("members").forEach(member -> members.put(member.get("id").asText(), member));
        Set<String> all = new TreeSet<>();
        // A topic without partitions does not exist.
        group.get("topics").properties().forEach(topic -> {
            if (topic.getValue().asInt() > 0) all.add(topic.getKey());
        });
        Set<String> read = new TreeSet<>();
        Set<Set<String>> different = new LinkedHashSet<>();
        members.values().forEach(member -> {
            Set<String> topics = new TreeSet<>();
            member.get("subscription").forEach(topic -> topics.add(topic.asText()));
            topics.retainAll(all);
            read.addAll(topics);
            different.add(topics);
        });
        Set<String> ordered = new LinkedHashSet<>(read);
        ordered.addAll(all);
        Map<String, Uuid> ids = new HashMap<>();
        Map<Uuid, String> names = new HashMap<>();
        for (String topic : ordered) {
            Uuid id = new Uuid(0, ids.size());
            ids.put(topic, id);
            names.put(id, topic);
        }

        Map<String, MemberSubscriptionAndAssignmentImpl> specs = new LinkedHashMap<>();
        Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
        members.forEach((name, member) -> {
            Set<Uuid> topics = new LinkedHashSet<>();
            for (String topic : all) {
                member.get("subscription").forEach(one -> {
                    if (one.asText().equals(topic)) topics.add(ids.get(topic));
                });
            }
            Map<Uuid, Set<Integer>> owned = new LinkedHashMap<>();
            for (String topic : all) {
                Set<Integer> numbers = new TreeSet<>();
                member.path("owned").path(topic).forEach(number -> numbers.add(number.asInt()));
                if (numbers.isEmpty()) continue;
                owned.put(ids.get(topic), numbers);
                Map<Integer, String> owner = owners.computeIfAbsent(ids.get(topic), any -> new HashMap<>());
                numbers.forEach(number -> owner.put(number, name));
            }
            specs.put(name, new MemberSubscriptionAndAssignmentImpl(
                text(member, "rack"), text(member, "instance_id"), topics, new Assignment(owned)));
        });
        SubscriptionType type = different.size() > 1
            ? SubscriptionType.HETEROGENEOUS : SubscriptionType.HOMOGENEOUS;
        Topics described = new Topics(names, group.get("topics"), group.path("racks"));

        Map<String, Map<String, List<List<Object>>>> answers = new TreeMap<>();
        for (ConsumerGroupPartitionAssignor one : List.of(new UniformAssignor(), new RangeAssignor())) {
            Map<String, List<List<Object>>> held = new TreeMap<>();
            specs.keySet().forEach(member -> held.put(member, new ArrayList<>()));
            one.assign(new GroupSpecImpl(specs, type, owners), described).members().forEach(
                (member, assignment) -> assignment.partitions().forEach(
                    (id, numbers) -> numbers.forEach(
                        number -> held.get(member).add(List.of(names.get(id), number)))));
            answers.put(one.name(), held);
        }
        return answers;
    }

    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(mapper.writeValueAsString(answers(mapper.readTree(line))));
        }
    }
}
